"""The command `ragcortex`: its groups, and what becomes of every error. Nothing heavy is imported here."""

import os
import sys
from collections.abc import Sequence
from typing import Annotated, Any, Final

import typer

from ragcortex import __version__
from ragcortex.cli import (
    benchmark,
    calibrate,
    check,
    consistency,
    corpus,
    corpus_map,
    data,
    detectors,
    doctor,
    evaluate,
    models,
    score,
    serve,
    service,
    table,
    train,
)
from ragcortex.cli.console import EXIT_BROKEN_PIPE, complain, onto
from ragcortex.errors import EXIT_INPUT, EXIT_INTERNAL, EXIT_INTERRUPTED, EXIT_OK, RagcortexError, exit_code

# typer shows only this one of its usage errors; what they share is its base.
_UsageError: Final[Any] = typer.BadParameter.__base__

app = typer.Typer(
    name="ragcortex",
    help="Marks, token by token, what a RAG answer says that its references do not support.",
    epilog="Exit codes: 0 fine, 1 --fail-on met, 2 bad input, 3 model or detector trouble, 4 nothing to check, "
    "5 some rows failed, 70 internal error, 130 interrupted.",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


@app.callback(invoke_without_command=True)
def _global_options(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,  # noqa: ARG001
) -> None:
    if version:
        print(f"ragcortex {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        print(context.get_help(), file=sys.stderr)
        raise typer.Exit(EXIT_INPUT)


app.command("check")(check.check)
app.command("score")(score.score)
app.command("train")(train.train)
app.command("evaluate")(evaluate.evaluate)
app.command("calibrate")(calibrate.calibrate)
app.add_typer(benchmark.app, name="benchmark")
app.add_typer(data.app, name="data")
app.add_typer(models.app, name="models")
app.add_typer(detectors.app, name="detectors")
corpus.app.command("map")(corpus_map.map_corpus)
app.add_typer(corpus.app, name="corpus")
app.add_typer(service.app, name="service")
app.command("consistency")(consistency.consistency)
app.command("table")(table.table)
app.command("serve")(serve.serve)
app.command("doctor")(doctor.doctor)


def main() -> None:
    """Run the command line and end the process with its exit code."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code; every error is one sentence on standard error."""
    try:
        code = _invoke(arguments)
        with onto("standard output"):
            sys.stdout.flush()
    except BrokenPipeError:
        _mute()
        return EXIT_BROKEN_PIPE
    except (KeyboardInterrupt, typer.Abort) as interrupt:
        complain(f"interrupted {interrupt}".rstrip())
        return EXIT_INTERRUPTED
    except _UsageError as error:
        complain(_usage_sentence(error))
        return EXIT_INPUT
    except Exception as error:  # the last resort too: what nobody expected must still be one sentence and a code
        return _failed(error, arguments)
    return code


def _failed(error: Exception, arguments: Sequence[str]) -> int:
    """Say what went wrong and return the exit code."""
    if "--debug" in arguments[:1]:
        import traceback

        traceback.print_exc()
    known = isinstance(error, RagcortexError)
    complain(str(error) if known else _internal_sentence(error))
    try:
        sys.stdout.flush()
    except OSError:  # Python would try it again at exit
        _mute()
    return exit_code(error) if isinstance(error, RagcortexError) else EXIT_INTERNAL


def _invoke(arguments: Sequence[str]) -> int:
    command = typer.main.get_command(app)
    try:
        with command.make_context("ragcortex", list(arguments)) as context:
            code = command.invoke(context)
    except typer.Exit as end:
        return end.exit_code
    return code if isinstance(code, int) else EXIT_OK


def _usage_sentence(error: Any) -> str:
    """Return typer's message about an option, with where to read more."""
    path = error.ctx.command_path if getattr(error, "ctx", None) is not None else "ragcortex"
    message = " ".join(str(error.format_message()).split()).rstrip(".").replace("Value error, ", "")
    return f"{message} See `{path} --help`" if message.endswith("?") else f"{message}; see `{path} --help`"


def _internal_sentence(error: Exception) -> str:
    detail = " ".join(str(error).split())
    kind = type(error).__name__
    return f"internal error: {kind}{': ' + detail[:300] if detail else ''}; `ragcortex --debug …` shows where"


def _mute() -> None:
    """Send what is left to write nowhere: its reader has gone, and Python would complain about that at exit."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        for stream in (sys.stdout, sys.stderr):
            os.dup2(nowhere, stream.fileno())
    except (OSError, ValueError, AttributeError):  # no real stream, as in a notebook
        return


if __name__ == "__main__":
    main()
