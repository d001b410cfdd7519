"""`ragcortex serve`: the service, until it is stopped."""

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ragcortex.cli.console import say
from ragcortex.errors import EXIT_OK, InputError

if TYPE_CHECKING:
    from ragcortex.service.settings import ServiceSettings


def serve(
    *,
    host: Annotated[
        str | None, typer.Option("--host", metavar="ADDRESS", help="Where to listen. [default: 127.0.0.1]")
    ] = None,
    port: Annotated[
        int | None, typer.Option("--port", metavar="PORT", help="0 takes a free one. [default: 8765]")
    ] = None,
    database: Annotated[
        str | None,
        typer.Option(
            "--database", metavar="URL", help="postgresql://… or sqlite:///FILE. [default: a file of its own]"
        ),
    ] = None,
    data_dir: Annotated[
        Path | None, typer.Option("--data-dir", metavar="DIR", help="Where corpora and the SQLite file are kept.")
    ] = None,
    detector: Annotated[
        str | None, typer.Option("--detector", metavar="NAME|DIR", help="A shipped detector, or one of your own.")
    ] = None,
    witness: Annotated[
        str | None,
        typer.Option(
            "--witness", help="Who judges where a request does not say; `geometry` alone does not load the reader."
        ),
    ] = None,
    calibration: Annotated[
        Path | None, typer.Option("--calibration", metavar="FILE", help="What `ragcortex calibrate` wrote.")
    ] = None,
    policies: Annotated[
        Path | None, typer.Option("--policies", metavar="FILE", help="Triage policies of your own, as JSON.")
    ] = None,
) -> int:
    """Serve the API and the pages until stopped.

    Every setting has an environment variable too, RAGCORTEX_SERVICE_…; docs/service.md lists them. Beyond loopback,
    callers need keys: `ragcortex service keys create`.
    """
    if any(importlib.util.find_spec(library) is None for library in ("fastapi", "sqlalchemy", "uvicorn")):
        raise InputError("serve", "needs the service's libraries; run `pip install 'ragcortex[service]'`")
    given: dict[str, Any] = {
        "host": host,
        "port": port,
        "database": database,
        "data_dir": data_dir,
        "detector": detector,
        "witness": witness,
        "calibration": calibration,
        "policies": policies,
    }
    if witness == "geometry":
        given["load_reader"] = False
    settings = service_settings({name: value for name, value in given.items() if value is not None})
    from ragcortex.cli.serving import Server, end_if_busy, listening, quietly
    from ragcortex.service.app import create_app
    from ragcortex.service.logs import configure_logs

    app = create_app(settings)
    sockets = listening(settings.host, settings.port)
    configure_logs()
    say("loading the models")
    server = Server(app, settings)
    with quietly():
        server.run(sockets)
    end_if_busy(EXIT_OK)
    return EXIT_OK


def service_settings(given: dict[str, Any]) -> "ServiceSettings":
    """Return the settings of the environment, with what was given instead.

    Raises:
        InputError: a value is unknown or out of range; the message names the option or the variable.
    """
    from pydantic import ValidationError

    from ragcortex.service.settings import PREFIX, ServiceSettings

    try:
        return ServiceSettings(**given)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        name = str(first["loc"][0]) if first["loc"] else "settings"
        shown = name if name in given else f"{PREFIX}{name.upper()}"
        raise InputError(shown, str(first["msg"])) from None
