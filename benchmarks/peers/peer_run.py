"""One run of a peer over the rows of a file: what is there already is kept, and every other row ends in a line."""

import hashlib
import json
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Final

from peer_catalogue import Peer
from peer_process import Adapter, AdapterEndedError

from ragcortex.benchmark.external_scores import ExternalScores
from ragcortex.datasets.jsonl import Row, read_rows
from ragcortex.errors import InputError, ModelError, RagcortexError

_MOST_ENDS_IN_A_ROW: Final = 3
_SECONDS_BETWEEN_REPORTS: Final = 10.0


@dataclass(frozen=True, slots=True)
class Request:
    """What to score and where to write it.

    Attributes:
        data: the rows.
        out: the scores; where the peer has several methods, `NAME.METHOD.jsonl` for each.
        methods: the peer's methods to write.
        limit: only so many rows from the start, None for all.
        options: model, encoder and endpoint, as the adapter is told.
        seconds_a_row: how long the adapter may take for one row.
        retry: score rows again that ended in an error.
    """

    data: Path
    out: Path
    methods: tuple[str, ...]
    limit: int | None
    options: Mapping[str, Any]
    seconds_a_row: float
    retry: bool

    def file(self, method: str) -> Path:
        """Return the file of one method's scores."""
        return self.out if len(self.methods) == 1 else self.out.with_suffix(f".{method}{self.out.suffix}")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run came to: rows in the files, those with an error, rows scored now and their mean time in seconds."""

    n_rows: int
    n_errors: int
    n_new: int
    mean_seconds: float | None


def run_peer(peer: Peer, python: Path, request: Request) -> Outcome:
    """Score every row that has no line yet in one of the files, and return the outcome.

    Raises:
        InputError: the data cannot be read, or the files are of another run.
        ModelError: the peer cannot start, or ended on three rows one after the other.
    """
    rows = list(enumerate(islice(read_rows(request.data), request.limit), start=1))
    if not rows:
        raise InputError("data", f"{request.data} holds no rows")
    _check_same_run(peer, request)
    files = {method: _Scores(request.file(method), request.retry) for method in request.methods}
    wanted = [(number, row) for number, row in rows if any(number not in file.errors for file in files.values())]
    seconds: list[float] = []
    if wanted:
        with _Conversation(peer, python, request) as conversation:
            _score_all(wanted, conversation, files, seconds)
    numbers = range(1, len(rows) + 1)
    failed = {number for file in files.values() for number in numbers if file.errors.get(number)}
    return Outcome(len(rows), len(failed), len(wanted), sum(seconds) / len(seconds) if seconds else None)


def _score_all(
    wanted: Sequence[tuple[int, Row]],
    conversation: "_Conversation",
    files: Mapping[str, "_Scores"],
    seconds: list[float],
) -> None:
    reported = time.monotonic()
    for done, (number, row) in enumerate(wanted, start=1):
        lines = conversation.score(number, row)
        for method, line in lines.items():
            files[method].add(line)
        if (taken := next(iter(lines.values())).seconds) is not None:
            seconds.append(taken)
        if time.monotonic() - reported > _SECONDS_BETWEEN_REPORTS:
            reported = time.monotonic()
            print(f"{done} of {len(wanted)} rows", file=sys.stderr)


class _Conversation:
    """An adapter that is started again when it has ended on a row."""

    def __init__(self, peer: Peer, python: Path, request: Request) -> None:
        log = request.out.with_suffix(".log")
        options = {**request.options, "methods": list(request.methods)}
        self._begin: Callable[[], Adapter] = lambda: Adapter(python, peer.adapter, options, log)
        self._request = request
        self._adapter: Adapter | None = self._begin()
        self._n_ends = 0

    def __enter__(self) -> "_Conversation":
        return self

    def __exit__(self, *_: object) -> None:
        if self._adapter is not None:
            self._adapter.close()

    def score(self, number: int, row: Row) -> dict[str, ExternalScores]:
        """Return the line of each method for one row; whatever went wrong stands in it."""
        if row.example is None:
            return self._failed(number, row, f"the row cannot be read: {row.error}", None)
        if self._adapter is None:
            self._adapter = self._begin()
        example = row.example
        references = [reference.text for reference in example.references]
        message = {"row": number, "id": example.id, "question": example.question, "answer": example.answer}
        began = time.perf_counter()
        try:
            reply = self._adapter.ask({**message, "references": references}, self._request.seconds_a_row)
        except AdapterEndedError as error:
            self._adapter = None
            self._n_ends += 1
            if self._n_ends == _MOST_ENDS_IN_A_ROW:
                raise ModelError(f"the adapter ended on {self._n_ends} rows one after the other; {error}") from None
            return self._failed(number, row, str(error), time.perf_counter() - began)
        self._n_ends = 0
        if "error" in reply:
            return self._failed(number, row, str(reply["error"]), reply.get("seconds"))
        try:
            return {method: self._checked(method, number, row, reply) for method in self._request.methods}
        except (RagcortexError, TypeError, KeyError) as error:
            message_of = error if isinstance(error, RagcortexError) else f"{type(error).__name__} {error}"
            return self._failed(number, row, f"the adapter's reply cannot be used: {message_of}", reply.get("seconds"))

    def _checked(self, method: str, number: int, row: Row, reply: Mapping[str, Any]) -> ExternalScores:
        if reply["row"] != number:
            raise InputError("row", f"must be {number}, got {reply['row']!r}")
        assert row.example is not None
        given = {"id": row.id, "row": number, "error": None, "seconds": reply["seconds"], **reply["scores"][method]}
        scores = ExternalScores.from_row(given)
        scores.check_against(row.example)
        return scores

    def _failed(self, number: int, row: Row, error: str, seconds: float | None) -> dict[str, ExternalScores]:
        line = ExternalScores(row.id, number, None, None, None, error, seconds)
        return dict.fromkeys(self._request.methods, line)


class _Scores:
    """A file of scores that grows line by line; `errors` has each row in it, with its error or None."""

    def __init__(self, path: Path, retry: bool) -> None:
        self._path = path
        self.errors: dict[int, str | None] = {}
        kept = b""
        content = path.read_bytes() if path.exists() else b""
        for number, line in enumerate(content.splitlines(keepends=True), start=1):
            if not line.endswith(b"\n"):
                print(f"{path}: line {number} was cut off in writing; its row is scored again", file=sys.stderr)
                break
            try:
                scores = ExternalScores.from_row(json.loads(line))
            except (InputError, ValueError) as error:
                raise InputError("out", f"{path} is not a file of scores: {error} (line {number})") from None
            if not (retry and scores.error):
                self.errors[scores.row] = scores.error
                kept += line
        if kept != content:
            partial = path.with_suffix(".partial")
            partial.write_bytes(kept)
            partial.replace(path)

    def add(self, scores: ExternalScores) -> None:
        """Write one line, unless the row has one."""
        if scores.row in self.errors:
            return
        with self._path.open("ab") as stream:
            stream.write(json.dumps(scores.to_row(), ensure_ascii=False, allow_nan=False).encode() + b"\n")
        self.errors[scores.row] = scores.error


def _check_same_run(peer: Peer, request: Request) -> None:
    """Write what decides the scores beside them, or refuse to add to files that something else decided."""
    about = {
        "peer": peer.name,
        "adapter_sha256": _digest(peer.adapter),
        "requirements_sha256": _digest(peer.requirements) if peer.requirements else None,
        "data_sha256": _digest(request.data),
        "methods": list(request.methods),
        "options": {name: request.options[name] for name in sorted(request.options)},
    }
    path = request.out.with_suffix(".about.json")
    written = [request.file(method) for method in request.methods if request.file(method).exists()]
    if path.exists() and written:
        before = json.loads(path.read_text(encoding="utf-8"))
        for name, value in about.items():
            if before.get(name) != value:
                raise InputError(
                    "out", f"{request.out} was begun with {name} {before.get(name)!r}, not {value!r}; give another file"
                )
    elif written:
        raise InputError("out", f"{written[0]} was not begun by this command; give another file")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
