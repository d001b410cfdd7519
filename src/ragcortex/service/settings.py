"""What the service can be told, each with its environment variable; docs/service.md lists them from here."""

from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import Field, SecretStr, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from ragcortex.settings import settings

Auth = Literal["auto", "keys", "none"]
Durability = Literal["full", "normal"]
Retention = Literal["keep", "until-decided", "none"]
PREFIX: Final = "RAGCORTEX_SERVICE_"
_LOOPBACK: Final = ("127.0.0.1", "localhost", "::1")


def _default_data_dir() -> Path:
    return settings().cache_dir / "service"


class ServiceSettings(BaseSettings):
    """All settings of one service; see the descriptions of the fields.

    Raises:
        pydantic.ValidationError: a value is out of range or unknown.
    """

    model_config = SettingsConfigDict(env_prefix=PREFIX, env_ignore_empty=True, extra="forbid", frozen=True)

    host: str = Field(default="127.0.0.1", description="The address to listen on.")
    port: int = Field(default=8765, ge=0, le=65535, description="The port to listen on; 0 takes a free one.")
    database: SecretStr = Field(
        default=SecretStr(""), description="The database's URL; empty is an SQLite file in the data folder."
    )
    durability: Durability = Field(
        default="full",
        description="A commit on SQLite survives a power failure (`full`), or the end of the process only (`normal`).",
    )
    data_dir: Path = Field(
        default_factory=_default_data_dir, description="Where corpora, and the SQLite file, are kept."
    )
    detector: str = Field(default="fusion", description="The detector: a shipped name or a folder that `train` wrote.")
    witness: Literal["both", "internal", "geometry", "cascade"] = Field(
        default="both", description="Who judges where a request does not say; a request may ask for any that is loaded."
    )
    load_reader: bool = Field(default=True, description="Load the reader; without it only `geometry` can be asked for.")
    calibration: Path | None = Field(default=None, description="A file that `ragcortex calibrate` wrote.")
    dtype: str | None = Field(default=None, description="The reader's precision; chosen by device if not set.")
    policies: Path | None = Field(default=None, description="A JSON file of triage policies beside the built-in ones.")
    policy: str = Field(default="triage", description="The policy where a request names none.")
    auth: Auth = Field(
        default="auto",
        description="Who may call: `keys` only, everybody (`none`), or keys unless only loopback is listened on.",
    )
    session_secret: SecretStr | None = Field(
        default=None, description="Signs the cookies of pages; made at random and kept in the data folder if not set."
    )
    secure_cookies: bool = Field(default=False, description="Send cookies over HTTPS only; set it behind a TLS proxy.")
    allowed_hosts: Annotated[tuple[str, ...], NoDecode] = Field(
        default=(),
        description="Host names that are answered, by commas, besides loopback's; empty: its own, or all with keys.",
    )
    cors_origins: Annotated[tuple[str, ...], NoDecode] = Field(
        default=(), description="Origins whose scripts may call the API, by commas; none by default."
    )
    rate_per_minute: int | None = Field(
        default=None, ge=1, description="Requests a minute of one key that has no limit of its own."
    )
    max_body_bytes: int = Field(default=4_000_000, ge=1_000, description="The largest request body.")
    max_upload_bytes: int = Field(
        default=50_000_000, ge=1_000, description="The largest body of documents for a corpus."
    )
    max_answer_chars: int = Field(default=50_000, ge=1, description="The longest answer.")
    max_reference_chars: int = Field(default=1_000_000, ge=1, description="The references of one answer together.")
    max_batch: int = Field(default=256, ge=1, description="Answers in one batch request.")
    queue_size: int = Field(default=256, ge=1, description="Answers that may wait; more are refused with 429.")
    batch_size: int = Field(default=16, ge=1, description="Answers that are judged together.")
    timeout_seconds: float = Field(default=60.0, gt=0, description="How long one request may take, waiting included.")
    drain_seconds: float = Field(
        default=60.0, ge=0, description="How long accepted requests may still take at the end."
    )
    prefix_bytes: int = Field(
        default=512 * 1024 * 1024,
        ge=0,
        description="Memory for the keys and values of sources read before; 0 keeps none.",
    )
    store_text: Retention = Field(
        default="keep",
        description="Keep texts until deleted, until their review is decided, or never (no review, no queue).",
    )
    retention_days: int | None = Field(
        default=None, ge=1, description="Delete texts after so many days; never if not set."
    )
    reviewers: int = Field(default=1, ge=1, le=2, description="How many reviewers decide an answer.")
    claim_minutes: int = Field(
        default=30, ge=1, description="How long an answer is one reviewer's before others see it again."
    )
    trace_endpoint: str | None = Field(
        default=None, description="Where OpenTelemetry traces go (OTLP over HTTP); nowhere if not set."
    )
    language: Literal["en", "ja", "zh"] | None = Field(
        default=None, description="The pages' language; that of the browser if not set."
    )

    @field_validator("allowed_hosts", "cors_origins", mode="before")
    @classmethod
    def _by_commas(cls, value: object) -> object:
        return tuple(part.strip() for part in value.split(",") if part.strip()) if isinstance(value, str) else value

    @property
    def on_loopback(self) -> bool:
        """Whether only this machine can reach the service."""
        return self.host in _LOOPBACK

    @property
    def needs_keys(self) -> bool:
        """Whether a caller must have a key."""
        return self.auth == "keys" or (self.auth == "auto" and not self.on_loopback)

    @property
    def database_url(self) -> str:
        """The database's URL, which may hold a password."""
        return self.database.get_secret_value() or f"sqlite:///{self.data_dir / 'service.sqlite3'}"

    @property
    def hosts(self) -> list[str]:
        """The host names that are answered; those of loopback always are, which health checks ask for.

        Where keys are needed all are unless some are named: a page under another name has neither key nor cookie.
        """
        others = self.allowed_hosts or (("*",) if self.needs_keys else (self.host,))
        return [*_LOOPBACK, *others]
