"""The tables of the service's database, the same for SQLite and PostgreSQL.

Times are UTC. A check's texts can be deleted while its figures stay: `question`, `references`, `answer`, `report` and
`salt` are then null, and so is every text of its reviews and feedback.
"""

import datetime
from typing import Any, ClassVar, Final

from sqlalchemy import (
    JSON,
    BigInteger,
    DateTime,
    Double,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Text,
    TypeDecorator,
)
from sqlalchemy.engine import Dialect
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

_ID: Final = String(32)
_NAME: Final = String(200)
# A JSON column that may be empty: None is the database's own null, which `IS NULL` finds.
_JSON_OR_NULL: Final = JSON(none_as_null=True)
_CONSTRAINT_NAMES: Final = {
    "pk": "pk_%(table_name)s",
    "uq": "uq_%(table_name)s_%(column_0_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s",
    "ix": "ix_%(column_0_label)s",
}


class Moment(TypeDecorator[datetime.datetime]):
    """A moment in UTC, with its time zone in Python whatever the database keeps."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime.datetime | None, dialect: Dialect) -> datetime.datetime | None:  # noqa: ARG002
        """Return the moment in UTC; one without a time zone is refused."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"a moment needs its time zone, got {value!r}")
        return value.astimezone(datetime.UTC)

    def process_result_value(self, value: datetime.datetime | None, dialect: Dialect) -> datetime.datetime | None:  # noqa: ARG002
        """Return the moment with its time zone."""
        if value is None:
            return None
        return value.replace(tzinfo=datetime.UTC) if value.tzinfo is None else value.astimezone(datetime.UTC)


class Base(DeclarativeBase):
    """What all tables have in common: constraints have names, by which later migrations change them."""

    metadata = MetaData(naming_convention=_CONSTRAINT_NAMES)
    # As doubles, whatever a version of SQLAlchemy takes for a float.
    type_annotation_map: ClassVar[dict[Any, Any]] = {float: Double()}


class ApiKey(Base):
    """Who may use the service: only the digest of the secret is kept."""

    __tablename__ = "api_keys"

    id: Mapped[str] = mapped_column(_ID, primary_key=True)
    name: Mapped[str] = mapped_column(_NAME)
    secret_digest: Mapped[str] = mapped_column(String(64))
    scopes: Mapped[list[str]] = mapped_column(JSON)
    rate_per_minute: Mapped[int | None] = mapped_column(Integer)
    created_at: Mapped[datetime.datetime] = mapped_column(Moment)
    expires_at: Mapped[datetime.datetime | None] = mapped_column(Moment)
    revoked_at: Mapped[datetime.datetime | None] = mapped_column(Moment)
    replaced_by: Mapped[str | None] = mapped_column(_ID)


class Corpus(Base):
    """A corpus that the service keeps in a folder of its own making."""

    __tablename__ = "corpora"

    id: Mapped[str] = mapped_column(_ID, primary_key=True)
    name: Mapped[str] = mapped_column(_NAME, unique=True)
    created_at: Mapped[datetime.datetime] = mapped_column(Moment)
    changed_at: Mapped[datetime.datetime] = mapped_column(Moment)
    fingerprint: Mapped[str] = mapped_column(_NAME)
    embedder: Mapped[str] = mapped_column(_NAME)
    n_documents: Mapped[int] = mapped_column(Integer)
    n_chunks: Mapped[int] = mapped_column(Integer)
    n_merged: Mapped[int] = mapped_column(Integer)
    n_conflicts: Mapped[int] = mapped_column(Integer)


class Calibration(Base):
    """Thresholds that people chose on reviewed answers, for one detector; one at most is active for each detector.

    `method` is `f1` (the best F1) or `manual`; `figures` are what they do on the reviewed answers.
    """

    __tablename__ = "calibrations"

    id: Mapped[str] = mapped_column(_ID, primary_key=True)
    name: Mapped[str] = mapped_column(_NAME)
    created_at: Mapped[datetime.datetime] = mapped_column(Moment)
    created_by: Mapped[str] = mapped_column(_NAME)
    detector_fingerprint: Mapped[str] = mapped_column(String(64), index=True)
    detector: Mapped[str] = mapped_column(_NAME)
    method: Mapped[str] = mapped_column(String(16))
    review_threshold: Mapped[float]
    hallucinated_threshold: Mapped[float]
    n_answers: Mapped[int] = mapped_column(Integer)
    n_hallucinated: Mapped[int] = mapped_column(Integer)
    figures: Mapped[dict[str, Any]] = mapped_column(JSON)
    active: Mapped[bool]


class Check(Base):
    """One judged answer, what the policy made of it, and how far its review is.

    `action` is `pass`, `review` or `block`; `queue` is `none`, `open`, `disputed` (reviewers disagree) or `decided`.
    `priority` orders the queue, highest first. `sampled` marks answers that passed and are reviewed to see what passing
    answers are like. `label` is what reviewers decided, 1 = hallucinated.
    """

    __tablename__ = "checks"
    __table_args__ = (
        Index("checks_by_time", "created_at"),
        Index("checks_by_queue", "queue", "priority"),
        Index("checks_by_caller", "external_id"),
    )

    id: Mapped[str] = mapped_column(_ID, primary_key=True)
    created_at: Mapped[datetime.datetime] = mapped_column(Moment)
    actor: Mapped[str] = mapped_column(_NAME)
    external_id: Mapped[str | None] = mapped_column(_NAME)
    question: Mapped[str | None] = mapped_column(Text)
    references: Mapped[list[dict[str, Any]] | None] = mapped_column("reference_texts", _JSON_OR_NULL)
    answer: Mapped[str | None] = mapped_column(Text)
    group: Mapped[str | None] = mapped_column("source_group", _NAME)
    generator: Mapped[str | None] = mapped_column(_NAME, index=True)
    task: Mapped[str | None] = mapped_column(_NAME)
    corpus_id: Mapped[str | None] = mapped_column(_ID)
    report: Mapped[dict[str, Any] | None] = mapped_column(_JSON_OR_NULL)
    verdict: Mapped[str] = mapped_column(String(16))
    score: Mapped[float | None]
    review_threshold: Mapped[float | None]
    hallucinated_threshold: Mapped[float | None]
    witness: Mapped[str] = mapped_column(String(16))
    detector: Mapped[str] = mapped_column(_NAME)
    detector_fingerprint: Mapped[str] = mapped_column(String(64))
    calibration_id: Mapped[str | None] = mapped_column(_ID)
    n_characters: Mapped[int] = mapped_column(Integer)
    n_spans: Mapped[int] = mapped_column(Integer)
    seconds: Mapped[float]
    policy: Mapped[str] = mapped_column(_NAME)
    action: Mapped[str] = mapped_column(String(8))
    sampled: Mapped[bool]
    queue: Mapped[str] = mapped_column(String(8))
    priority: Mapped[float]
    claimed_by: Mapped[str | None] = mapped_column(_NAME)
    claimed_until: Mapped[datetime.datetime | None] = mapped_column(Moment)
    label: Mapped[int | None] = mapped_column(Integer)
    decided_at: Mapped[datetime.datetime | None] = mapped_column(Moment)
    salt: Mapped[str | None] = mapped_column(String(64))
    text_deleted_at: Mapped[datetime.datetime | None] = mapped_column(Moment)


class Review(Base):
    """What one reviewer says of one answer; a later review of the same reviewer replaces it and is kept beside it.

    `label` is 1 where the answer is hallucinated; `spans` are the stretches that the references do not support, as
    objects with `start`, `end` and perhaps `type`.
    """

    __tablename__ = "reviews"
    __table_args__ = (Index("reviews_of_check", "check_id", "replaced"),)

    id: Mapped[str] = mapped_column(_ID, primary_key=True)
    check_id: Mapped[str] = mapped_column(ForeignKey("checks.id", ondelete="CASCADE"))
    reviewer: Mapped[str] = mapped_column(_NAME)
    created_at: Mapped[datetime.datetime] = mapped_column(Moment)
    label: Mapped[int] = mapped_column(Integer)
    spans: Mapped[list[dict[str, Any]]] = mapped_column(JSON)
    comment: Mapped[str | None] = mapped_column(Text)
    replaced: Mapped[bool]


class Feedback(Base):
    """What a user of the answer says of the verdict: `rating` is `right` or `wrong`."""

    __tablename__ = "feedback"

    id: Mapped[str] = mapped_column(_ID, primary_key=True)
    check_id: Mapped[str] = mapped_column(ForeignKey("checks.id", ondelete="CASCADE"), index=True)
    actor: Mapped[str] = mapped_column(_NAME)
    created_at: Mapped[datetime.datetime] = mapped_column(Moment)
    rating: Mapped[str] = mapped_column(String(8))
    comment: Mapped[str | None] = mapped_column(Text)


class Idempotent(Base):
    """A request that its caller named, and what was answered; written together with what the request made.

    `response` holds the ids of checks and the problems, no texts: what is answered again is made of the checks.
    """

    __tablename__ = "idempotent_requests"

    actor: Mapped[str] = mapped_column(_NAME, primary_key=True)
    key: Mapped[str] = mapped_column(String(255), primary_key=True)
    request_digest: Mapped[str] = mapped_column(String(64))
    created_at: Mapped[datetime.datetime] = mapped_column(Moment, index=True)
    status: Mapped[int] = mapped_column(Integer)
    response: Mapped[dict[str, Any]] = mapped_column(JSON)


class AuditEntry(Base):
    """One link of the audit trail. Nothing is ever changed or removed here; the database refuses it.

    `body` is the canonical JSON text that `digest` was made of, together with `previous`.
    """

    __tablename__ = "audit_entries"

    number: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    body: Mapped[str] = mapped_column(Text)
    previous: Mapped[str] = mapped_column(String(64))
    digest: Mapped[str] = mapped_column(String(64), unique=True)
