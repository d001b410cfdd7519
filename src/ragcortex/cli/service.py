"""`ragcortex service`: what a service's operator does with its database: tables, keys, the audit trail."""

import typer

from ragcortex.cli import service_audit, service_keys
from ragcortex.cli.console import say
from ragcortex.cli.service_options import DatabaseOption, opened, require_libraries
from ragcortex.errors import EXIT_OK

app = typer.Typer(help="A service's database: its tables, keys and audit trail.", rich_markup_mode=None)
app.add_typer(service_keys.app, name="keys")
app.add_typer(service_audit.app, name="audit")


@app.command()
def migrate(database: DatabaseOption = None) -> int:
    """Make the database's tables, or bring them to this version."""
    require_libraries()
    from ragcortex.service.storage.retrying import NAMES

    with opened(database) as place:
        place.migrate()
        say(f"the {NAMES[place.kind]} database is ready")
    return EXIT_OK
