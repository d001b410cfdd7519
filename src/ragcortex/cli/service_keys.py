"""`ragcortex service keys`: who may call a service."""

import datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ragcortex.cli.console import say, write_text
from ragcortex.cli.service_options import DatabaseOption, JsonOption, opened, require_libraries, write_json
from ragcortex.errors import EXIT_OK, InputError
from ragcortex.rendering.inert import inert_line

if TYPE_CHECKING:
    from ragcortex.service.storage.tables import ApiKey

app = typer.Typer(help="API keys: make, list, revoke and replace them.", rich_markup_mode=None)

KeyArgument = Annotated[str, typer.Argument(metavar="ID", help="A key's id; `service keys list` has them.")]


@app.command()
def create(
    *,
    name: Annotated[str, typer.Option("--name", metavar="NAME", help="Who uses the key, for people.")],
    scopes: Annotated[
        list[str],
        typer.Option(
            "--scope",
            metavar="SCOPE",
            help="What it may do: check, corpora, review, calibrate, read, or admin for all of it; repeatable.",
        ),
    ],
    rate: Annotated[
        int | None, typer.Option("--rate", metavar="N", help="Requests a minute. [default: the service's limit]")
    ] = None,
    days: Annotated[
        float | None, typer.Option("--days", metavar="N", help="How long it is valid. [default: for ever]")
    ] = None,
    database: DatabaseOption = None,
    as_json: JsonOption = False,
) -> int:
    """Make a key and print its token, this once."""
    require_libraries()
    from ragcortex.service import keys

    now = _now()
    expires_at = None if days is None else now + _span("days", datetime.timedelta(days=1), days)
    token = keys.new_token()
    with opened(database) as place:
        key, text = place.run(
            lambda session: keys.create_key(
                session, name=name, scopes=scopes, rate_per_minute=rate, expires_at=expires_at, now=now, token=token
            )
        )
    return _show_token(key, text, now, as_json)


@app.command("list")
def list_all(database: DatabaseOption = None, as_json: JsonOption = False) -> int:
    """List all keys, without their secrets."""
    require_libraries()
    from ragcortex.service import keys

    now = _now()
    with opened(database) as place:
        known = place.run(keys.list_keys)
    if as_json:
        write_json({"keys": [_object(key, now) for key in known]})
        return EXIT_OK
    if not known:
        say("there are no keys; make one with `ragcortex service keys create`")
        return EXIT_OK
    rows: list[tuple[str, ...]] = [("id", "state", "name", "scopes", "a minute", "made", "valid until")]
    rows += [_row(key, now) for key in known]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        write_text("  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip() + "\n")
    return EXIT_OK


@app.command()
def revoke(key_id: KeyArgument, database: DatabaseOption = None) -> int:
    """Make a key invalid at once."""
    require_libraries()
    from ragcortex.service import keys

    now = _now()
    with opened(database) as place:
        key = place.run(lambda session: keys.revoke_key(session, key_id, now))
    say(f"key {key.id} ({key.name}) is revoked")
    return EXIT_OK


@app.command()
def rotate(
    key_id: KeyArgument,
    hours: Annotated[
        float, typer.Option("--overlap-hours", metavar="N", help="How long the old key is still valid.")
    ] = 24,
    database: DatabaseOption = None,
    as_json: JsonOption = False,
) -> int:
    """Replace a key by a new one, and print its token, this once."""
    require_libraries()
    from ragcortex.service import keys

    now, overlap = _now(), _span("overlap-hours", datetime.timedelta(hours=1), hours)
    token = keys.new_token()
    with opened(database) as place:
        key, text = place.run(lambda session: keys.rotate_key(session, key_id, now, overlap=overlap, token=token))
    say(f"key {key_id} is valid for {hours:g} hours more at most")
    return _show_token(key, text, now, as_json)


def _show_token(key: "ApiKey", text: str, now: datetime.datetime, as_json: bool) -> int:
    if as_json:
        write_json({"key": _object(key, now), "token": text})
    else:
        write_text(text + "\n")
    say(f"key {key.id} ({key.name}) is made; its token is shown this once")
    return EXIT_OK


def _row(key: "ApiKey", now: datetime.datetime) -> tuple[str, ...]:
    from ragcortex.service.keys import state_of

    return (
        key.id,
        state_of(key, now),
        inert_line(key.name),
        ",".join(key.scopes),
        "" if key.rate_per_minute is None else str(key.rate_per_minute),
        f"{key.created_at:%Y-%m-%d}",
        "" if key.expires_at is None else f"{key.expires_at:%Y-%m-%d %H:%M}",
    )


def _object(key: "ApiKey", now: datetime.datetime) -> dict[str, Any]:
    from ragcortex.service.keys import state_of

    return {
        "id": key.id,
        "name": key.name,
        "state": state_of(key, now),
        "scopes": key.scopes,
        "rate_per_minute": key.rate_per_minute,
        "created_at": key.created_at.isoformat(),
        "expires_at": None if key.expires_at is None else key.expires_at.isoformat(),
        "revoked_at": None if key.revoked_at is None else key.revoked_at.isoformat(),
        "replaced_by": key.replaced_by,
    }


def _span(option: str, unit: datetime.timedelta, amount: float) -> datetime.timedelta:
    """Return so many units of time.

    Raises:
        InputError: it is negative, no number, or reaches beyond the calendar.
    """
    try:
        span = unit * amount
        _now() + span
    except (OverflowError, ValueError):
        raise InputError(option, f"must end before the year 10000, got {amount:g}") from None
    if amount < 0:
        raise InputError(option, f"must not be negative, got {amount:g}")
    return span


def _now() -> datetime.datetime:
    return datetime.datetime.now(datetime.UTC)
