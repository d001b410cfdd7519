"""UHGEval: continuations of Chinese news that models wrote, with their keywords judged one by one.

The official format (repository IAAR-Shanghai/UHGEval, folder `src/eval_suite/benchs/uhgeval`, described in its
README): `dataset_uhgeval_full.jsonl` and `dataset_uhgeval_concise.jsonl` (a part of the former), one object a line:
`id`, `headLine`, `broadcastDate`, `type` (doc, gen, kno or num), `newsBeginning`, `hallucinatedContinuation`,
`generatedBy`, `annotations` ("keyword<sep>合理", reasonable, or "keyword<sep>不合理，why", in the order of the text),
`realContinuation` and `newsRemainder` (which begins with it). There are no official splits: news are divided at
random, 80 / 10 / 10.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from ragcortex.datasets.collector import BLANK_REFERENCES, Collector
from ragcortex.datasets.loaded import LoadedDataset, Split
from ragcortex.datasets.official_files import missing, one_file
from ragcortex.datasets.official_rows import OfficialRow, json_rows
from ragcortex.example import Reference, Span

FILES: Final = tuple(
    f"src/eval_suite/benchs/uhgeval/dataset_uhgeval_{version}.jsonl" for version in ("full", "concise")
)
TYPES: Final = ("doc", "gen", "kno", "num")
_REASONABLE, _UNREASONABLE = "合理", "不合理"


def load(path: Path, *, real: bool = False, seed: int = 0) -> LoadedDataset:
    """Return the models' continuations with the keywords that are not reasonable as spans.

    References are the beginning of the news and what really followed; the question is the headline. All continuations
    are hallucinated, so that without `real` there is nothing to rank at the level of answers. A row with a keyword
    that cannot be placed is dropped and counted.

    Args:
        path: the folder with the files, of which the full one is taken if it is there; or one of them.
        real: also return the true continuation of each, as a grounded answer of the same group and split.
        seed: decides which news go to which split.

    Raises:
        InputError: a file is missing or damaged, or nothing is left.
    """
    file = path if path.is_file() else next((found for name in FILES if (found := one_file(path, name))), None)
    if file is None:
        raise missing(path, FILES)
    collector = Collector("uhgeval")
    rows = [row for row in json_rows(file) if _add(row, collector)]
    collector.split_at_random(seed, by_task=False)
    splits = collector.group_splits()
    for row in rows if real else ():
        _add_real(row, splits[row.text("id")], collector)
    return collector.build()


def _add(row: OfficialRow, collector: Collector) -> bool:
    identifier, answer = row.text("id"), row.text("hallucinatedContinuation")
    kind, references = row.word("type", TYPES), _references(row)
    spans = _spans(row, answer)
    if not references:
        collector.drop(BLANK_REFERENCES, identifier)
    elif isinstance(spans, str):
        collector.drop(spans, identifier)
    else:
        return collector.add(
            identifier,
            answer=answer,
            references=references,
            question=row.text("headLine"),
            spans=spans,
            label=int(bool(spans)),
            group=identifier,
            generator=row.text("generatedBy"),
            task=kind,
        )
    return False


def _add_real(row: OfficialRow, split: Split | None, collector: Collector) -> None:
    collector.add(
        f"{row.text('id')}-real",
        answer=row.text("realContinuation"),
        references=_references(row),
        split=split,
        question=row.text("headLine"),
        spans=(),
        label=0,
        group=row.text("id"),
        generator="reference",
        task=row.word("type", TYPES),
    )


def _references(row: OfficialRow) -> list[Reference]:
    texts = {"beginning": row.text("newsBeginning"), "remainder": row.text("newsRemainder")}
    return [Reference(text, id=name) for name, text in texts.items() if text.strip()]


def _spans(row: OfficialRow, answer: str) -> tuple[Span, ...] | str:
    """Return the keywords that are not reasonable as spans, or why they cannot be told."""
    judged: list[tuple[str, bool]] = []
    for index, annotation in enumerate(row.texts("annotations")):
        keyword, separator, verdict = annotation.partition("<sep>")
        wrong = verdict.startswith(_UNREASONABLE)
        if not separator or not keyword or not (wrong or verdict.startswith(_REASONABLE)):
            raise row.refused(f"annotations[{index}]", f"must be a keyword, <sep> and {_REASONABLE} or {_UNREASONABLE}")
        judged.append((keyword, wrong))
    return keyword_spans(answer, judged)


def keyword_spans(answer: str, judged: Sequence[tuple[str, bool]]) -> tuple[Span, ...] | str:
    """Return where the wrong keywords stand, or why that cannot be told.

    Keywords come in the order of the text, so each is sought after the one before. One that is not found there counts
    where it is in the text exactly once.

    >>> keyword_spans("A met B, then A left.", [("A", False), ("B", False), ("A", True)])
    (Span(start=14, end=15, type=None),)
    """
    spans: list[Span] = []
    reached = 0
    for keyword, wrong in judged:
        start = answer.find(keyword, reached)
        if start >= 0:
            reached = start + len(keyword)
        elif wrong:
            if answer.count(keyword) != 1:
                return "keyword not in the answer, or at several places out of order"
            start = answer.find(keyword)
        if wrong:
            spans.append(Span(start, start + len(keyword)))
    return tuple(sorted(set(spans), key=lambda span: (span.start, span.end)))
