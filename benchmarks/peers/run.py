"""Scores the rows of a data file with another tool, in an environment of its own.

    python benchmarks/peers/run.py NAME --data FILE.jsonl --out scores.jsonl
    python benchmarks/peers/run.py path/to/adapter.py --python VENV/bin/python --data FILE.jsonl --out scores.jsonl

What is in the output is kept, so an interrupted run goes on where it stopped. See README.md for the peers.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from peer_catalogue import PEERS, Peer
from peer_environment import environment
from peer_run import Request, run_peer

from ragcortex.errors import EXIT_INTERRUPTED, EXIT_OK, EXIT_SOME_ROWS_FAILED, InputError, RagcortexError, exit_code


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code: 0, 5 if a row ended in an error, else that of the error."""
    given = _parser().parse_args(arguments)
    try:
        peer = _peer(given)
        request = Request(
            data=given.data,
            out=given.out,
            methods=_methods(peer, given.methods),
            limit=given.limit,
            options=_options(peer, given),
            seconds_a_row=given.timeout,
            retry=given.retry,
        )
        python = given.python or (environment(peer) if peer.requirements else Path(sys.executable))
        outcome = run_peer(peer, python, request)
    except RagcortexError as error:
        print(error, file=sys.stderr)
        return exit_code(error)
    except KeyboardInterrupt:
        print("interrupted; the same command goes on from here", file=sys.stderr)
        return EXIT_INTERRUPTED
    pace = "" if outcome.mean_seconds is None else f", {outcome.mean_seconds:.4f} s a row"
    print(f"{outcome.n_rows} rows, {outcome.n_errors} with an error; {outcome.n_new} scored now{pace}")
    return EXIT_SOME_ROWS_FAILED if outcome.n_errors else EXIT_OK


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Score a data file with another tool.")
    parser.add_argument("name", metavar="NAME", help=f"one of {', '.join(PEERS)}, or an adapter's .py file")
    parser.add_argument("--data", type=Path, required=True, help="JSON lines, one row each")
    parser.add_argument("--out", type=Path, required=True, help="the scores, JSON lines; kept and added to")
    parser.add_argument("--limit", type=int, help="only so many rows from the start")
    parser.add_argument("--methods", help="of the peer's methods only these, separated by commas")
    parser.add_argument("--model", help="a model folder, or the chat model's name where there is an endpoint")
    parser.add_argument(
        "--endpoint",
        help="base address of a chat endpoint in the OpenAI form, ending in /v1; the key is OPENAI_API_KEY",
    )
    parser.add_argument(
        "--python", type=Path, help="the Python to run the adapter with, instead of an environment made for it"
    )
    parser.add_argument("--timeout", type=float, default=600, help="seconds for one row (default 600)")
    parser.add_argument("--retry", action="store_true", help="score rows again that ended in an error")
    return parser


def _peer(given: argparse.Namespace) -> Peer:
    if given.name in PEERS:
        return PEERS[given.name]
    script = Path(given.name)
    if script.suffix != ".py":
        raise InputError("name", f"must be one of {', '.join(PEERS)} or an adapter's .py file, got {given.name!r}")
    if not script.is_file():
        raise InputError("name", f"the adapter {given.name!r} does not exist")
    return Peer(script.stem, script.resolve(), methods=tuple((given.methods or "scores").split(",")))


def _methods(peer: Peer, wanted: str | None) -> tuple[str, ...]:
    methods = peer.methods if wanted is None else tuple(wanted.split(","))
    for method in methods:
        if method not in peer.methods:
            raise InputError("methods", f"of {peer.name} are {', '.join(peer.methods)}, got {method!r}")
    return methods


def _options(peer: Peer, given: argparse.Namespace) -> dict[str, Any]:
    """Return what the adapter is told, with the embedded models where the peer needs one and none is named."""
    options: dict[str, Any] = {"encoder": None, "model": given.model, "endpoint": given.endpoint}
    if peer.needs == "encoder":
        from ragcortex.geometry.embedders.embedded import find

        options |= {"encoder": given.model or str(find()), "model": None}
    elif peer.needs == "reader":
        from ragcortex.readers.models import locate

        options["model"] = str(locate(given.model or "embedded").folder)
    elif peer.needs == "checkpoint" and not given.model:
        raise InputError("model", f"is missing; {peer.name} needs the folder of a checkpoint")
    elif peer.needs == "endpoint" and not (given.endpoint and given.model):
        raise InputError("endpoint", f"is missing; {peer.name} needs --endpoint URL and --model NAME")
    if given.endpoint and peer.needs != "endpoint" and peer.requirements:
        raise InputError("endpoint", f"is of no use to {peer.name}")
    return options


if __name__ == "__main__":
    sys.exit(main())
