"""SummEdits: edited summaries of ten kinds of documents, consistent or not.

The official format (repository salesforce/factualNLG, folder `data/summedits`): ten files `summedits_<domain>.json`,
each a JSON array of objects with `id`, `doc`, `summary`, `label` (1 = consistent), `original_summary` (consistent),
`edit_types` (entity_modification, antonym_swap, …; often empty) and `split` (evaluation or test).
"""

from pathlib import Path
from typing import Final

from ragcortex.datasets.collector import BLANK_REFERENCES, Collector, source_group
from ragcortex.datasets.loaded import LoadedDataset
from ragcortex.datasets.official_files import found_files, missing
from ragcortex.datasets.official_rows import OfficialRow, json_rows
from ragcortex.datasets.word_diff import changed_spans
from ragcortex.example import Span

DOMAINS: Final = (
    "billsum", "ectsum", "news", "podcast", "qmsumm", "sales_call", "sales_email", "samsum", "scitldr", "shakespeare",
)  # fmt: skip
PATTERN: Final = "data/summedits/summedits_*.json"
NO_CHANGED_WORD: Final = "spans unknown, since no word differs from the original summary"


def load(path: Path, *, edited_words: bool = False) -> LoadedDataset:
    """Return the summaries with labels of whole summaries; 1 = hallucinated, the opposite of the official label.

    Summaries of one document are one group. The official part "evaluation" is the validation split here.

    Args:
        path: the folder with the ten files, or one of them.
        edited_words: mark the words in which an inconsistent summary differs from its original as spans. Some of them
            may be rewordings that changed nothing: these are approximate labels.

    Raises:
        InputError: a file is missing or damaged, or nothing is left.
    """
    files = (path,) if path.is_file() else found_files(path, PATTERN)
    if not files:
        raise missing(path, [PATTERN])
    collector = Collector("summedits")
    for file in files:
        domain = file.stem.removeprefix("summedits_")
        for row in json_rows(file):
            _add(row, domain, edited_words, collector)
    return collector.build()


def _add(row: OfficialRow, domain: str, edited_words: bool, collector: Collector) -> None:
    identifier = f"{domain}/{row.text_or_number('id')}"
    document, summary, original = row.text("doc"), row.text("summary"), row.text("original_summary")
    consistent = row.whole("label")
    if consistent not in (0, 1):
        raise row.refused("label", f"must be 0 or 1, got {consistent}")
    split = row.word("split", ("evaluation", "test"))
    if not document.strip():
        collector.drop(BLANK_REFERENCES, identifier)
        return
    spans: tuple[Span, ...] | None = () if consistent else None
    if edited_words and not consistent:
        types = ", ".join(row.texts("edit_types")) or None
        spans = tuple(Span(span.start, span.end, types) for span in changed_spans(original, summary)) or None
    added = collector.add(
        identifier,
        answer=summary,
        references=[document],
        split="validation" if split == "evaluation" else "test",
        spans=spans,
        label=1 - consistent,
        group=source_group(domain, document),
        generator="reference" if identifier.endswith("_og") else "edited",
        task=domain,
    )
    if added and edited_words and spans is None:
        collector.note(NO_CHANGED_WORD, identifier)
