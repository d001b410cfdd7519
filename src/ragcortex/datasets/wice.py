"""WiCE: sentences of Wikipedia, and the claims in them, against the articles they cite.

The official format (repository ryokamoi/wice, folder `data`, described in its README): train.jsonl, dev.jsonl and
test.jsonl in three folders, one object a line.

* `entailment_retrieval/claim` and `entailment_retrieval/subclaim`: `label` (supported, partially_supported,
  not_supported), `supporting_sentences` (lists of indices into `evidence`, each list a valid choice, empty for what is
  not supported), `claim`, `evidence` (the cited article's sentences), `meta` (`id`, `claim_title`, …).
* `non_supported_tokens`: partially supported sub-claims with `claim_tokens` and `non_supported_spans` (one boolean a
  token, true = not supported).
"""

from collections.abc import Mapping
from itertools import groupby
from pathlib import Path
from typing import Final, Literal

from ragcortex.checks import check_known
from ragcortex.datasets.collector import BLANK_REFERENCES, Collector
from ragcortex.datasets.loaded import LoadedDataset, Split
from ragcortex.datasets.official_files import found_files, missing
from ragcortex.datasets.official_rows import OfficialRow, json_rows
from ragcortex.example import Span

Part = Literal["claim", "subclaim", "tokens"]
Evidence = Literal["article", "supporting"]
FOLDERS: Final[Mapping[Part, str]] = {
    "claim": "data/entailment_retrieval/claim",
    "subclaim": "data/entailment_retrieval/subclaim",
    "tokens": "data/non_supported_tokens",
}
_SPLITS: Final[Mapping[str, Split]] = {"train": "train", "dev": "validation", "test": "test"}
_LABELS: Final[Mapping[str, int]] = {"supported": 0, "partially_supported": 1, "not_supported": 1}


def load(path: Path, *, part: Part = "claim", evidence: Evidence = "article") -> LoadedDataset:
    """Return claims, with labels of whole claims or (`tokens`) the stretches that are not supported; official splits.

    What is only partially supported is hallucinated. The question is the title of the Wikipedia page, which says what
    "he" or "the company" is; claims of one page are one group, and some pages have claims in several official splits.

    Args:
        path: the folder `data`, the one that holds it, or the part's own.
        part: claim, subclaim or tokens.
        evidence: `article` takes the cited article as one reference; `supporting` the sentences that annotators chose
            (their first choice), each as a reference, and drops claims that have none.

    Raises:
        InputError: a file is missing or damaged, an option is unknown, or nothing is left.
    """
    check_known("part", part, tuple(FOLDERS))
    check_known("evidence", evidence, ("article", "supporting"))
    collector = Collector("wice")
    files = _files(path, part)
    if not files:
        raise missing(path, [f"{FOLDERS[part]}/*.jsonl"])
    for split, file in files.items():
        for row in json_rows(file):
            _add(row, split, part, evidence, collector)
    return collector.build()


def _files(path: Path, part: Part) -> dict[Split, Path]:
    found = {}
    for name, split in _SPLITS.items():
        places = found_files(path, f"{FOLDERS[part]}/{name}.jsonl", in_own_folder=True)
        if places:
            found[split] = places[0]
    return found


def _add(row: OfficialRow, split: Split, part: Part, evidence: Evidence, collector: Collector) -> None:
    meta = row.inner("meta")
    identifier, title = meta.text("id"), meta.text("claim_title")
    claim = row.text("claim")
    references = _references(row, evidence)
    spans: tuple[Span, ...] | None = None
    label = 1
    if part == "tokens":
        marked = row.items("non_supported_spans")
        spans = token_spans(claim, row.texts("claim_tokens"), marked)
        if spans is None:
            collector.drop("tokens not one after the other in the claim", identifier)
            return
        label = int(bool(spans))
    else:
        label = _LABELS[row.word("label", tuple(_LABELS))]
    if not references:
        collector.drop(BLANK_REFERENCES if evidence == "article" else "no supporting sentence", identifier)
        return
    collector.add(
        identifier,
        answer=claim,
        references=references,
        split=split,
        question=title,
        spans=spans,
        label=label,
        group=title,
        generator="Wikipedia",
        task=part,
    )


def _references(row: OfficialRow, evidence: Evidence) -> list[str]:
    sentences = row.texts("evidence")
    if evidence == "article":
        article = "\n".join(sentences)
        return [article] if article.strip() else []
    choices = row.items("supporting_sentences")
    chosen = choices[0] if choices else []
    for index in chosen:
        if not isinstance(index, int) or not 0 <= index < len(sentences):
            raise row.refused(
                "supporting_sentences", f"must be indices of the {len(sentences)} sentences, got {index!r}"
            )
    return [sentences[index] for index in chosen if sentences[index].strip()]


def token_spans(text: str, tokens: list[str], marked: list[object]) -> tuple[Span, ...] | None:
    """Return the stretches of a text that runs of marked tokens cover, None if the tokens do not make up the text.

    >>> token_spans("It is red.", ["It", "is", "red", "."], [False, True, True, False])
    (Span(start=3, end=9, type=None),)
    """
    if len(tokens) != len(marked) or not all(isinstance(flag, bool) for flag in marked):
        return None
    places: list[tuple[int, int, object]] = []
    reached = 0
    for token, flag in zip(tokens, marked, strict=True):
        start = text.find(token, reached)
        if start < 0 or not token or text[reached:start].strip():
            return None
        reached = start + len(token)
        places.append((start, reached, flag))
    if text[reached:].strip():
        return None
    runs = [list(run) for flag, run in groupby(places, key=lambda place: place[2]) if flag]
    return tuple(Span(run[0][0], run[-1][1]) for run in runs)
