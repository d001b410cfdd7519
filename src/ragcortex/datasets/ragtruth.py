"""RAGTruth: answers of six models to questions, articles and business data, with hallucinated stretches marked.

The official format (repository ParticleMedia/RAGTruth, folder `dataset`, described in its README):

* `response.jsonl`, one answer a line: `id`, `source_id`, `model`, `temperature`, `split` (train or test), `quality`
  (good, truncated or incorrect_refusal), `response`, and `labels`, a list of `start`, `end` (character offsets into the
  response, end excluded), `text` (what stands there), `label_type` (Evident or Subtle, Conflict or Baseless Info),
  `meta`, `implicit_true` (right, although the source does not say it) and `due_to_null` (states a value that is null).
* `source_info.jsonl`, one source a line: `source_id`, `task_type` (QA, Summary or Data2txt), `source`, `prompt`, and
  `source_info`: question and passages, the text of an article, or an object.

What the published counts imply: the CORTEX paper has 4,530 / 504 / 900 answers to questions, which are all 989 × 6
official ones, so it leaves none out for its quality, and holds out a tenth of the 839 training sources (84 × 6 = 504).
Those are the defaults here.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ragcortex.checks import check_known
from ragcortex.datasets.collector import BLANK_REFERENCES, Collector
from ragcortex.datasets.loaded import LoadedDataset
from ragcortex.datasets.official_files import needed_file
from ragcortex.datasets.official_rows import OfficialRow, json_rows
from ragcortex.datasets.ragtruth_sources import TASKS, Source, Task, source
from ragcortex.datasets.utf16 import OFFSET_UNITS, OffsetUnit, character_range
from ragcortex.example import Span

RESPONSES = "dataset/response.jsonl"
SOURCES = "dataset/source_info.jsonl"

Quality = Literal["all", "good"]
_QUALITIES = ("good", "truncated", "incorrect_refusal")


@dataclass(frozen=True, slots=True)
class _Options:
    quality: Quality
    implicit_true: bool
    due_to_null: bool
    offsets: OffsetUnit


def load(
    path: Path,
    *,
    task: Task | None = None,
    quality: Quality = "all",
    implicit_true: bool = True,
    due_to_null: bool = True,
    validation: float = 0.1,
    seed: int = 0,
    offsets: OffsetUnit = "characters",
) -> LoadedDataset:
    """Return the answers, their hallucinated stretches with the annotators' types, and the official test split.

    An answer with a label whose `text` does not stand at its offsets is dropped and counted; nothing is shifted. A
    label that is there twice counts once, which is noted.

    Args:
        path: the folder with response.jsonl and source_info.jsonl, or the first of them.
        task: QA, Summary or Data2txt only.
        quality: `good` drops answers that are truncated or refuse although the source has the answer.
        implicit_true: whether stretches that are right but not in the source count as hallucinated.
        due_to_null: whether stretches that come from a null value count as hallucinated.
        validation: the share of the training sources of each task that becomes the validation split, whole sources.
        seed: decides which.
        offsets: `utf16` reads offsets that count UTF-16 units; the official ones count characters.

    Raises:
        InputError: a file is missing or damaged, an option is unknown, or nothing is left.
    """
    check_known("quality", quality, ("all", "good"))
    check_known("offsets", offsets, OFFSET_UNITS)
    if task is not None:
        check_known("task", task, TASKS)
    folder = path.parent if path.is_file() else path
    options = _Options(quality, implicit_true, due_to_null, offsets)
    sources = _sources(needed_file(folder, SOURCES))
    collector = Collector("ragtruth")
    for row in json_rows(needed_file(folder, RESPONSES)):
        identifier, key = row.text_or_number("id"), row.text_or_number("source_id")
        own = sources.get(key)
        if own is None:
            collector.drop("source not in source_info.jsonl", identifier)
        elif task in (None, own.task):
            _add(row, own, options, collector)
    collector.hold_out_validation(validation, seed)
    return collector.build()


def _sources(path: Path) -> Mapping[str, Source]:
    sources: dict[str, Source] = {}
    for row in json_rows(path):
        key = row.text_or_number("source_id")
        if key in sources:
            raise row.refused("source_id", f"{key!r} occurs twice, so its answers have no certain source")
        sources[key] = source(row)
    return sources


def _add(row: OfficialRow, own: Source, options: _Options, collector: Collector) -> None:
    identifier, quality = row.text_or_number("id"), row.word("quality", _QUALITIES)
    found = _spans(row, options)
    if options.quality == "good" and quality != "good":
        collector.drop(f"quality {quality}", identifier)
    elif not own.references:
        collector.drop(BLANK_REFERENCES, identifier)
    elif isinstance(found, str):
        collector.drop(found, identifier)
    else:
        spans, left_out = found
        added = collector.add(
            identifier,
            answer=row.text("response"),
            references=own.references,
            split="train" if row.word("split", ("train", "test")) == "train" else "test",
            question=own.question,
            spans=spans,
            label=int(bool(spans)),
            group=row.text_or_number("source_id"),
            generator=row.text("model"),
            task=own.task,
        )
        for reason in left_out if added else ():
            collector.note(reason, identifier)


def _spans(row: OfficialRow, options: _Options) -> tuple[tuple[Span, ...], list[str]] | str:
    """Return the labels that count as spans, in order, and what is to be noted; or why a label cannot be placed."""
    answer = row.text("response")
    spans: set[Span] = set()
    left_out: dict[str, None] = {}
    for label in row.inners("labels"):
        span = _span(label, answer, options.offsets)
        if isinstance(span, str):
            return span
        if not options.implicit_true and label.flag("implicit_true", default=False):
            left_out["stretch not counted: implicit_true"] = None
        elif not options.due_to_null and label.flag("due_to_null", default=False):
            left_out["stretch not counted: due_to_null"] = None
        elif span in spans:
            left_out["label given twice, counted once"] = None
        else:
            spans.add(span)
    return tuple(sorted(spans, key=lambda span: (span.start, span.end, span.type or ""))), list(left_out)


def _span(label: OfficialRow, answer: str, offsets: OffsetUnit) -> Span | str:
    """Return a label as a span, or why it is none."""
    start, end, text = label.whole("start"), label.whole("end"), label.text("text")
    found = character_range(answer, start, end, offsets)
    if found is not None and answer[slice(*found)] == text:
        return Span(*found, type=label.text("label_type"))
    other: OffsetUnit = "utf16" if offsets == "characters" else "characters"
    elsewhere = character_range(answer, start, end, other)
    if elsewhere is not None and answer[slice(*elsewhere)] == text:
        return f"label text not at its offsets, but there with offsets={other}"
    return "label text not at its offsets"
