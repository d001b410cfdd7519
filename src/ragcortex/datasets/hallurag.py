"""HalluRAG: answers of three models to questions on recent Wikipedia sentences, each sentence labelled.

The official format (repository F4biian/HalluRAG, its README and its scripts 2output.py, run_shd.py and
hallurag_clf_train.py; the data themselves are a download of the University of Münster): pickled lists
`<split>_<model>.pickle` with split train, val or test, one entry an answer: `model`, `quantization`, `prompt` (with
`qna_id`, `answerable`, `passage.question`, `rag_prompt`, a list of messages), `llm_response`, and `sentence_data`, one
entry a sentence: `cum_sentence` (the answer up to the sentence's end), `internal_states`, `target` and `pred` (what
GPT-4o judged).

* The label of a sentence follows from `pred`, as in the official classifier, which does not read `target`; where there
  is no `pred`, `target` counts. In words: whatever conflicts with the chunk, or states a fact that is not in it, is
  hallucinated; so is not answering a question that the chunk answers.
* References are the chunks in the prompt, "### Chunk 1: title" and text.
* The CORTEX paper counts 1,662 / 185 / 396 without saying of what; the official files do not give these numbers.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Literal

from ragcortex.align import strip_range
from ragcortex.checks import check_known
from ragcortex.datasets.collector import Collector
from ragcortex.datasets.hallurag_files import answer_rows
from ragcortex.datasets.loaded import LoadedDataset, Split
from ragcortex.datasets.official_files import found_files, missing
from ragcortex.datasets.official_rows import OfficialRow
from ragcortex.errors import InputError
from ragcortex.example import Reference, Span

FILES: Final = tuple(
    f"data/HalluRAG/{split}_*.{ending}" for split in ("train", "val", "test") for ending in ("pickle", "json")
)
_SPLITS: Final[Mapping[str, Split]] = {"train": "train", "val": "validation", "test": "test"}
_FAILURES = tuple(
    f"{name}_fail{kind}" for name in ("conflicting", "grounded", "no_clear_answer") for kind in ("", "_content")
)
_JUDGEMENTS = ("conflicting", "grounded", "has_factual_information", "no_clear_answer")
_TARGETS: Final[Mapping[object, int]] = {"hallucinated": 1, "non-hallucinated": 0, 1: 1, 0: 0}
_CHUNK = re.compile(r"(?:^|(?<=Context: ))### Chunk (\d+): ", re.MULTILINE)
# What follows the chunks in each of the three official prompts, the question put in.
_AFTER = ("\n\n\nQUESTION: {question}\n", "\n\n \nAnswer:")

Unlabelled = Literal["drop", "grounded"]


def load(path: Path, *, unlabelled: Unlabelled = "drop") -> LoadedDataset:
    """Return the answers with their hallucinated sentences as spans, and the official splits.

    The type of a span is Conflict, Baseless or No clear answer. Questions are groups: each was asked of every model,
    with and without the passage that answers it.

    Args:
        path: the folder with the pickled files, or one of them (or the same as JSON).
        unlabelled: answers with a sentence that the official rule gives no label are dropped, or such sentences count
            as `grounded`; either way they are counted.

    Raises:
        InputError: a file is missing, damaged or no plain data, an option is unknown, or nothing is left.
    """
    check_known("unlabelled", unlabelled, ("drop", "grounded"))
    files = [path] if path.is_file() else [file for pattern in FILES for file in found_files(path, pattern)]
    if not files:
        raise missing(path, ("train_*.pickle", "val_*.pickle", "test_*.pickle"))
    collector = Collector("hallurag")
    for file in files:
        split = _SPLITS.get(file.name.partition("_")[0])
        if split is None:
            raise InputError("path", f"{file} must be named train_…, val_… or test_…, as the official files are")
        for row in answer_rows(file):
            _add(row, split, collector, unlabelled)
    return collector.build()


def _add(row: OfficialRow, split: Split, collector: Collector, unlabelled: Unlabelled) -> None:
    prompt = row.inner("prompt")
    group, answerable = prompt.text_or_number("qna_id"), prompt.flag("answerable", default=False)
    quantization = row.fields.get("quantization")
    generator = row.text("model") + (f" ({quantization})" if quantization else "")
    identifier = f"{group}/{'answerable' if answerable else 'unanswerable'}/{generator}"
    question = prompt.inner("passage").text("question")
    references = chunks(prompt.inners("rag_prompt")[-1].text("content"), question)
    found = _sentences(row, answerable)
    if not references:
        collector.drop("chunks not found in the prompt", identifier)
    elif isinstance(found, str):
        collector.drop(found, identifier)
    elif found[1] and unlabelled == "drop":
        collector.drop("sentence without a valid label", identifier)
    else:
        added = collector.add(
            identifier,
            answer=row.text("llm_response"),
            references=references,
            split=split,
            question=question,
            spans=tuple(found[0]),
            label=int(bool(found[0])),
            group=group,
            generator=generator,
            task="answerable" if answerable else "unanswerable",
        )
        if added and found[1]:
            collector.note("sentence without a valid label counted as grounded", identifier)


def chunks(prompt: str, question: str) -> tuple[Reference, ...]:
    """Return the chunks that a prompt holds, each with its title on the first line; () where they cannot be told.

    >>> [chunk.text for chunk in chunks("Context: ### Chunk 1: Ode\\nIn 1901.\\n\\n \\nAnswer:", "When?")]
    ['Ode\\nIn 1901.']
    """
    end = max(prompt.rfind(mark.format(question=question)) for mark in _AFTER)
    headings: list[re.Match[str]] = []
    for match in _CHUNK.finditer(prompt, 0, max(end, 0)):
        if int(match[1]) == len(headings) + 1:
            headings.append(match)
    ends = [*(match.start() for match in headings[1:]), end]
    texts = [prompt[match.end() : stop].strip() for match, stop in zip(headings, ends, strict=False)]
    return tuple(Reference(text, id=f"chunk {number}") for number, text in enumerate(texts, start=1) if text)


def _sentences(row: OfficialRow, answerable: bool) -> tuple[list[Span], bool] | str:
    """Return the hallucinated sentences, and whether any has no valid label; or why sentences cannot be placed."""
    answer = row.text("llm_response")
    spans: list[Span] = []
    reached, unlabelled = 0, False
    for sentence in row.inners("sentence_data"):
        so_far = sentence.text("cum_sentence")
        if len(so_far) <= reached or not answer.startswith(so_far):
            return "sentences not one after the other in the answer"
        place = strip_range(answer, reached, len(so_far))
        reached = len(so_far)
        judged = sentence.fields.get("pred")
        label = sentence_label(answerable, judged) if isinstance(judged, Mapping) else _target(sentence)
        unlabelled |= label is None
        if label == 1 and place is not None:
            spans.append(Span(*place, type=_type(judged)))
    return (spans, unlabelled) if not answer[reached:].strip() else "sentences do not reach the end of the answer"


def _target(sentence: OfficialRow) -> int | None:
    value = sentence.fields.get("target")
    return _TARGETS.get(value) if isinstance(value, str | int) else None


def _type(judged: object) -> str | None:
    """Return what kind of error the judgements of a hallucinated sentence say it is, None without judgements."""
    if not isinstance(judged, Mapping):
        return None
    if judged["conflicting"]:
        return "Conflict"
    return "Baseless" if judged["has_factual_information"] else "No clear answer"


def sentence_label(answerable: bool, judged: Mapping[str, Any]) -> int | None:
    """Return 1 if a sentence is hallucinated, 0 if not, None where the judgements give no valid label.

    Source: the rule of the official scripts, in fewer cases.

    Args:
        answerable: whether the prompt holds the passage that answers the question.
        judged: the fields of `pred`.
    """
    if any(judged.get(name) for name in _FAILURES):
        return None
    conflicting, grounded, factual, unclear = (judged.get(name) for name in _JUDGEMENTS)
    if None in (conflicting, grounded, factual, unclear) or (grounded and factual and unclear):
        return None
    if conflicting or (factual and not grounded):
        return 1
    if factual:  # grounded, which an answer that is not in the prompt cannot be
        return 0 if answerable else None
    return int(bool(answerable and unclear))
