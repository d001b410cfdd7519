"""The mixture of public data that the shipped detectors are trained on, from rows in the schema of our data folder.

Only sources whose licence lets a head trained on them ship are named here; RAGTruth is not among them, so that it can
be used to measure.
"""

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import regex

from ragcortex.datasets.bases import tidied
from ragcortex.datasets.claims import claim_spans
from ragcortex.datasets.jsonl import read_objects
from ragcortex.datasets.synthetic import synthesise
from ragcortex.datasets.text_pool import split_glued
from ragcortex.datasets.word_diff import changed_spans
from ragcortex.example import Example, Reference, Span

FILES: Final = ("summedits", "halueval_qa_sample", "wice_tokens", "wice_claims", "begin", "refchecker_dolly")

# Rows taken as they are.
_N_SUMMEDITS, _N_HALUEVAL, _N_WICE = 800, 400, 300
_MAX_WORDS = 700
_MAX_SUMMEDITS_WORDS = 520
_MAX_EDITS = 2
_SHORT_ANSWER_WORDS = 6

# Shares of the sources that synthetic answers start from.
_BASE_SHARES: Final[Mapping[str, float]] = {
    "refchecker_dolly": 0.46,
    "summedits": 0.18,
    "halueval_qa": 0.2,
    "wice": 0.11,
    "begin": 0.05,
}
# Rows kept of an origin at most, so that reading all takes well under an hour on two cores; halves of what is cheap to
# make (grounded answers) or unlike real answers (edited summaries) go first.
_MOST_ROWS: Final[Mapping[str, int]] = {
    "synthetic/grounded": 220,
    "synthetic/extractive": 160,
    "halueval_qa": 200,
    "summedits": 250,
    "wice_tokens": 100,
    "wice_claims": 30,
}
_SPEECH = ("samsum", "qmsumm", "sales_call", "podcast")
_TOKENISED = (
    (r"\s+([.,;:!?%)\]]|'s\b|n't\b|'re\b|'ve\b|'ll\b)", r"\1"),
    (r"([(\[$])\s+", r"\1"),
    (r"\b(\w+) - (\w+)\b", r"\1-\2"),
    (r'" ([^"]*?) "', r'"\1"'),
)


def training_examples(folder: Path, *, seed: int, n_synthetic: int) -> list[Example]:
    """Return the whole mixture, shuffled: rows taken as they are, and synthetic ones made from them. A synthetic
    answer that is the same as a row taken, references and all, is left out.

    Args:
        folder: where the files named in `FILES` lie, each with the ending .jsonl.
        seed: the same seed and files give the same examples.
        n_synthetic: how many synthetic examples to make before that; 0 for none.

    Raises:
        InputError: a file is missing or damaged.
    """
    rows = {name: list(_named(folder / f"{name}.jsonl")) for name in FILES}
    rng = random.Random(f"ragcortex mix {seed}")
    taken = [
        *_sampled(summedits(rows["summedits"]), _N_SUMMEDITS, rng),
        *_sampled(halueval_pairs(rows["halueval_qa_sample"]), _N_HALUEVAL // 2, rng),
        *_sampled(wice_tokens(rows["wice_tokens"]), _N_WICE, rng),
        *_sampled(wice_supported(rows["wice_claims"]), _N_WICE, rng),
        *[[example] for example in refchecker(rows["refchecker_dolly"]) if example.spans is not None],
    ]
    examples = [example for unit in taken for example in unit]
    if n_synthetic:
        sources = base_sources(rows)
        bases = _weighted(sources, n_synthetic, rng)
        donors = [example for group in sources.values() for example in group]
        examples += synthesise(bases, seed=seed, n=n_synthetic, donors=donors)
    unique = {(example.references, example.question, example.answer): example for example in reversed(examples)}
    kept = [example for example in unique.values() if n_words(example) <= _MAX_WORDS]
    rng.shuffle(kept)
    return _capped(kept)


def _capped(examples: Sequence[Example]) -> list[Example]:
    """Return the examples in order, at most `_MOST_ROWS` of an origin."""
    seen: Counter[str] = Counter()
    kept = []
    for example in examples:
        task = example.task or ""
        seen[task] += 1
        if seen[task] <= _MOST_ROWS.get(task, len(examples)):
            kept.append(example)
    return kept


def n_words(example: Example) -> int:
    """Return the words of an example's references and answer together."""
    return sum(len(text.split()) for text in (*(reference.text for reference in example.references), example.answer))


Unit = list[Example]


def _sampled(units: Sequence[Unit], n: int, rng: random.Random) -> list[Unit]:
    """Return up to n of the units (examples that stay together), as many as possible of different groups."""
    order = list(units)
    rng.shuffle(order)
    seen: dict[str | None, int] = {}
    ranked = []
    for unit in order:
        seen[unit[0].group] = seen.get(unit[0].group, 0) + 1
        ranked.append((seen[unit[0].group], unit))
    return [unit for _, unit in sorted(ranked, key=lambda pair: pair[0])[:n]]


def summedits(rows: Sequence[Mapping[str, Any]]) -> list[Unit]:
    """Return the SummEdits summaries with the spans that a word diff with the consistent original gives.

    A summary labelled wrong that differs in no word from its original is left out, and one that differs in many
    places, since most of those are rewordings that changed nothing.
    """
    found: list[Unit] = []
    for row in rows:
        spans = changed_spans(row["original"], row["answer"]) if row["label"] else ()
        example = _example(row, "summedits", spans)
        if len(spans) <= _MAX_EDITS and bool(spans) == bool(row["label"]) and n_words(example) <= _MAX_SUMMEDITS_WORDS:
            found.append([example])
    return found


def halueval_pairs(rows: Sequence[Mapping[str, Any]]) -> list[Unit]:
    """Return pairs of a right and a wrong answer of about the same, short length; the wrong part is the span."""
    by_group: dict[str, dict[int, Mapping[str, Any]]] = {}
    for row in rows:
        by_group.setdefault(row["group"], {})[row["label"]] = row
    found: list[Unit] = []
    for pair in by_group.values():
        if set(pair) != {0, 1}:
            continue
        right, wrong = pair[0]["answer"].strip(), pair[1]["answer"].strip()
        lengths = len(right.split()), len(wrong.split())
        if max(lengths) <= _SHORT_ANSWER_WORDS and abs(lengths[0] - lengths[1]) <= 1 and right and wrong:
            span = Span(0, len(wrong))
            found.append([_example(pair[0], "halueval_qa", ()), _example(pair[1], "halueval_qa", (span,))])
    return found


def wice_tokens(rows: Sequence[Mapping[str, Any]]) -> list[Unit]:
    """Return the WiCE claims with the stretches that annotators found unsupported, where the article is not long."""
    found: list[Unit] = []
    for row in rows:
        spans = tuple(sorted({Span(s["start"], s["end"]) for s in row["spans"]}, key=lambda span: span.start))
        example = _example(row, "wice_tokens", spans)
        if spans and not row.get("unlocated") and n_words(example) <= _MAX_WORDS:
            found.append([example])
    return found


def wice_supported(rows: Sequence[Mapping[str, Any]]) -> list[Unit]:
    """Return the WiCE claims that annotators found supported, where the article is not long."""
    examples = [_example(row, "wice_claims", ()) for row in rows if row["label"] == 0]
    return [[example] for example in examples if n_words(example) <= _MAX_WORDS]


def refchecker(rows: Sequence[Mapping[str, Any]]) -> list[Example]:
    """Return the RefChecker answers: spans () where every claim is entailed, the places of the claims that are not
    where they can be found, else unknown.
    """
    examples = []
    for row in rows:
        spans: tuple[Span, ...] | None = ()
        if row["label"] != 0:
            wrong = [claim["claim"] for claim in row.get("claims", []) if claim["label"] != "Entailment"]
            spans = claim_spans(row["answer"], wrong) if row["label"] == 1 else None
        examples.append(_example(row, "refchecker_claims" if spans else "refchecker_dolly", spans))
    return [example for example in examples if n_words(example) <= _MAX_WORDS and example.answer]


def base_sources(rows: Mapping[str, Sequence[Mapping[str, Any]]]) -> dict[str, list[Example]]:
    """Return by origin the examples whose references, and grounded answers where long enough, start synthetic ones."""
    written = [row for row in rows["summedits"] if not any(kind in row["task"] for kind in _SPEECH)]
    articles = [*rows["wice_tokens"], *rows["wice_claims"]]
    return {
        "refchecker_dolly": refchecker(rows["refchecker_dolly"]),
        "summedits": _first_of_group([_example(row, "summedits", None) for row in written if row["label"] == 0], 3),
        "halueval_qa": _first_of_group([_example(row, "halueval_qa", None) for row in rows["halueval_qa_sample"]], 1),
        "wice": _first_of_group([_article(row) for row in articles], 1),
        "begin": _first_of_group([_dialogue(row) for row in rows["begin"] if len(row["context"].split()) > 50], 1),
    }


def _first_of_group(examples: Sequence[Example], n: int) -> list[Example]:
    seen: dict[tuple[str | None, str], int] = {}
    counts: dict[str | None, int] = {}
    kept = []
    for example in examples:
        key = (example.group, example.answer)
        seen[key] = seen.get(key, 0) + 1
        counts[example.group] = counts.get(example.group, 0) + (seen[key] == 1)
        if seen[key] == 1 and counts[example.group] <= n:
            kept.append(example)
    return kept


def _weighted(sources: Mapping[str, Sequence[Example]], n: int, rng: random.Random) -> list[Example]:
    """Return about n examples, of each origin its share, repeating those of small origins."""
    chosen: list[Example] = []
    for origin, share in _BASE_SHARES.items():
        pool = list(sources[origin])
        wanted = round(n * share)
        while pool and wanted > 0:
            drawn = rng.sample(pool, min(wanted, len(pool)))
            chosen += drawn
            wanted -= len(drawn)
    return chosen


def _named(path: Path) -> Sequence[Mapping[str, Any]]:
    return list(read_objects(path))


def _example(row: Mapping[str, Any], task: str, spans: tuple[Span, ...] | None) -> Example:
    """Return a row as an example of the task, its passages glued by the source set apart again."""
    answer = row["answer"]
    lead = len(answer) - len(answer.lstrip())
    spans = spans and tuple(Span(span.start - lead, span.end - lead) for span in spans)
    context = split_glued(row["context"]) if task == "halueval_qa" else row["context"]
    question = row["question"]
    return Example(
        question=question.strip() if question else None,
        references=(Reference(context.strip()),),
        answer=answer.strip(),
        id=row["id"],
        spans=spans,
        label=row["label"] if spans is not None or row["label"] != 1 else 1,
        group=row["group"],
        generator=row["model"],
        task=task,
    )


def _article(row: Mapping[str, Any]) -> Example:
    lines = [line for line in row["context"].split("\n") if not line.startswith(("(meta data)", "#", "*"))]
    example = _example(row, "wice", None)
    return replace(
        example, references=(Reference(tidied("\n".join(lines))),), label=None, question=_about(row["group"])
    )


def _about(title: str) -> str:
    return f"What is known about {regex.sub(r' *[(][^()]*[)]$', '', title)}?"


def _dialogue(row: Mapping[str, Any]) -> Example:
    context = row["context"]
    for pattern, replacement in _TOKENISED:
        context = regex.sub(pattern, replacement, context)
    return replace(_example(row, "begin", None), references=(Reference(tidied(context)),), label=None, question=None)
