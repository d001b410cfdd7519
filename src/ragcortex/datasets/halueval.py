"""HaluEval: right and made-up answers to questions, in dialogues and as summaries; and labelled chat answers.

The official format (repository RUCAIBox/HaluEval, folder `data`, described in its README and read by evaluate.py):
four files of one JSON object a line, in spite of their ending.

* `qa_data.json`: `knowledge`, `question`, `right_answer`, `hallucinated_answer`.
* `dialogue_data.json`: `knowledge`, `dialogue_history`, `right_response`, `hallucinated_response`.
* `summarization_data.json`: `document`, `right_summary`, `hallucinated_summary`.
* `general_data.json`: `ID`, `user_query`, `chatgpt_response`, `hallucination` (yes or no; the README calls it
  `hallucination_label`), and `hallucination_spans`, which quote the response or comment on it. There is no reference.

There are no official splits: sources are divided at random, 80 / 10 / 10.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, Literal, get_args

from ragcortex.checks import check_known
from ragcortex.datasets.collector import BLANK_REFERENCES, Collector, source_group
from ragcortex.datasets.loaded import LoadedDataset
from ragcortex.datasets.official_files import missing, one_file
from ragcortex.datasets.official_rows import OfficialRow, json_rows
from ragcortex.errors import InputError
from ragcortex.example import Span

Part = Literal["qa", "dialogue", "summarization", "general"]
PARTS: Final[tuple[Part, ...]] = get_args(Part)
FILES: Final[Mapping[Part, str]] = {part: f"data/{part}_data.json" for part in PARTS}

# Field of the source, of what was asked (None where nothing was), and what the two answers' fields end with.
_PAIRS: Final[Mapping[Part, tuple[str, str | None, str]]] = {
    "qa": ("knowledge", "question", "answer"),
    "dialogue": ("knowledge", "dialogue_history", "response"),
    "summarization": ("document", None, "summary"),
}
UNPLACED = "spans unknown, since a quoted stretch is not in the answer exactly once"


def load(path: Path, *, part: Part | None = None, seed: int = 0) -> LoadedDataset:
    """Return a right and a hallucinated answer a row (labels of whole answers), and the labelled chat answers.

    Rows about the same source text are one group, so both answers of a row are. A chat answer has spans where each
    stretch quoted as hallucinated is in it exactly once; otherwise its spans are unknown, which is noted.

    Args:
        path: the folder with the four files, or one of them.
        part: qa, dialogue, summarization or general only; all that are there without it.
        seed: decides which sources go to which split.

    Raises:
        InputError: a file is missing or damaged, an option is unknown, or nothing is left.
    """
    if part is not None:
        check_known("part", part, PARTS)
    collector = Collector("halueval")
    for own, file in _files(path, part).items():
        add = _add_general if own == "general" else _pair_adder(own)
        for number, row in enumerate(json_rows(file), start=1):
            add(row, number, collector)
    collector.split_at_random(seed, by_task=True)
    return collector.build()


def _files(path: Path, part: Part | None) -> dict[Part, Path]:
    if path.is_file():
        own = next((name for name in PARTS if path.name.startswith(name)), part)
        if own is None or part not in (None, own):
            raise InputError("path", f"{path} is no file of {part or ', '.join(PARTS)}; its name must begin with that")
        return {own: path}
    found = {name: one_file(path, FILES[name]) for name in PARTS if part in (None, name)}
    if not any(found.values()):
        raise missing(path, [FILES[name] for name in found])
    return {name: file for name, file in found.items() if file is not None}


def _pair_adder(part: Part) -> Callable[[OfficialRow, int, Collector], None]:
    source_field, question_field, answer = _PAIRS[part]

    def add(row: OfficialRow, number: int, collector: Collector) -> None:
        source = row.text(source_field)
        question = None if question_field is None else row.text(question_field)
        for label, kind in enumerate(("right", "hallucinated")):
            identifier = f"{part}-{number}-{kind}"
            if not source.strip():
                collector.drop(BLANK_REFERENCES, identifier)
                continue
            collector.add(
                identifier,
                answer=row.text(f"{kind}_{answer}"),
                references=[source],
                question=question,
                label=label,
                group=source_group(part, source),
                # The generator would be the label: right answers are the sources' own, wrong ones ChatGPT's.
                generator=None,
                task=part,
            )

    return add


def _add_general(row: OfficialRow, number: int, collector: Collector) -> None:
    answer = row.text("chatgpt_response")
    label = int(row.word("hallucination", ("yes", "no")) == "yes")
    identifier = f"general-{number}"  # the field ID is blank or "ID" in some rows
    spans = _quoted(answer, row.texts("hallucination_spans")) if label else ()
    query = row.text("user_query")
    added = collector.add(
        identifier,
        answer=answer,
        references=[],
        question=query,
        spans=spans,
        label=label,
        group=source_group("general", query),
        generator="ChatGPT",
        task="general",
    )
    if added and spans is None:
        collector.note(UNPLACED, identifier)


def _quoted(answer: str, quotes: list[str]) -> tuple[Span, ...] | None:
    """Return where the quotes stand, None if there are none or one is not in the answer exactly once."""
    places = [(answer.find(quote), quote) for quote in quotes if quote]
    if not places or len(places) < len(quotes) or any(answer.count(quote) != 1 for _, quote in places):
        return None
    return tuple(Span(start, start + len(quote)) for start, quote in sorted(places))
