"""`ragcortex corpus map`: the chunks of a corpus, and answers with their verdicts, in two dimensions."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ragcortex.cli.console import check_writable, plural, save_bytes, say
from ragcortex.cli.corpus import EmbedderOption, FolderArgument
from ragcortex.errors import EXIT_OK, InputError

if TYPE_CHECKING:
    from ragcortex.geometry.map_data import CorpusMap, MapPoint


def map_corpus(
    *,
    folder: FolderArgument,
    out: Annotated[str, typer.Option("--out", metavar="FILE", help="Where to write: a name in .png or .html.")],
    answers: Annotated[
        str | None,
        typer.Option("--answers", metavar="REPORTS.jsonl", help="Answers to show as well, as `score` wrote them."),
    ] = None,
    method: Annotated[
        str, typer.Option("--method", metavar="METHOD", help="pca, or umap where umap-learn is installed.")
    ] = "pca",
    max_chunks: Annotated[
        int, typer.Option("--max-chunks", metavar="N", min=1, help="Of more chunks, show N, evenly taken.")
    ] = 5000,
    embedder: EmbedderOption = None,
) -> int:
    """Draw a corpus, and answers with their verdicts, in two dimensions.

    For looking at only: verdicts are reached in the full space.
    """
    from ragcortex.checks import check_known
    from ragcortex.geometry.corpus import Corpus
    from ragcortex.geometry.map_build import map_of
    from ragcortex.geometry.projection import METHODS
    from ragcortex.rendering.progress import progress

    check_known("method", method, METHODS)
    path = Path(out)
    if path.suffix.lower() not in (".png", ".html"):
        raise InputError("out", f"must end in .png or .html, got {out!r}")
    check_writable(path)
    judged = _answers(Path(answers)) if answers is not None else []
    opened = Corpus.open(folder, embedder=embedder if judged else None)
    corpus_map = map_of(opened, judged, method=method, max_chunks=max_chunks, progress=progress)  # type: ignore[arg-type]
    _write(path, corpus_map)
    say(f"{out}: {', '.join(corpus_map.legend.values())}. {' '.join(corpus_map.caption)}")
    return EXIT_OK


def _write(path: Path, corpus_map: "CorpusMap") -> None:
    if path.suffix.lower() == ".png":
        from ragcortex.geometry.map_png import render_png

        content = render_png(corpus_map)
    else:
        from ragcortex.rendering.corpus_page import corpus_page

        content = corpus_page(corpus_map).encode("utf-8")
    save_bytes(path, content)


def _answers(path: Path) -> "list[MapPoint]":
    """Return the judged answers of a file that `score` wrote, and say which rows cannot be shown.

    Raises:
        InputError: the file cannot be read, a line is no row of `score`, or no row can be shown.
    """
    left_out: Counter[str] = Counter()
    points = []
    n_rows = 0
    for number, row in _rows(path):
        n_rows += 1
        if "error" in row and "report" not in row:
            left_out["that failed"] += 1
            continue
        point = _point(number, row)
        if point.text.strip():
            points.append(point)
        else:
            left_out["with a blank answer"] += 1
    if not points:
        raise InputError("answers", f"file {str(path)!r} has no answer that can be shown among {plural(n_rows, 'row')}")
    for reason, n in sorted(left_out.items()):
        say(f"answers: {plural(n, 'row')} {reason} {'is' if n == 1 else 'are'} not on the map")
    return points


def _rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield each row with the number of its line; blank lines are skipped."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError("answers", f"file {str(path)!r} cannot be read: {error.strerror}") from None
    for number, line in enumerate(content.split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line.decode("utf-8-sig" if number == 1 else "utf-8"))
        except (ValueError, RecursionError):
            raise InputError(
                "answers", f"line {number} of {str(path)!r} is not JSON; give what `score` wrote"
            ) from None
        if not isinstance(row, dict):
            raise InputError("answers", f"line {number} of {str(path)!r} must be an object, got {type(row).__name__}")
        yield number, row


def _point(number: int, row: dict[str, Any]) -> "MapPoint":
    from ragcortex.geometry.map_data import MapPoint
    from ragcortex.report_parts import VERDICTS

    report = row.get("report")
    if not isinstance(report, dict):
        raise InputError("answers", f"line {number} has neither a report nor an error; give what `score` wrote")
    verdict, answer, name = report.get("verdict"), report.get("answer"), row.get("id")
    if verdict not in VERDICTS:
        known = ", ".join(VERDICTS)
        raise InputError("answers", f"line {number}: report.verdict must be one of {known}, got {verdict!r}")
    if not isinstance(answer, str):
        raise InputError("answers", f"line {number}: report.answer must be a string, got {type(answer).__name__}")
    try:
        return MapPoint(verdict, answer, f"answer {name}" if isinstance(name, str) else _line(number, row))
    except InputError as error:
        raise InputError("answers", f"line {number}: report.answer {error.message}") from None


def _line(number: int, row: dict[str, Any]) -> str:
    """Return where an answer without an id is found: in the input that was scored, if the row says so."""
    line = row.get("line")
    return f"line {line} of the input" if isinstance(line, int) else f"line {number} of the reports"
