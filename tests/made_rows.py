"""Labelled answers with what both witnesses say of them, made of numbers and a word-counting embedder: no reader."""

import re
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from made_embedder import WordEmbedder
from made_geometry import made_model
from ragcortex.align import AnswerTokens, token_ranges
from ragcortex.calibration import Calibration
from ragcortex.example import Example, Reference, Span
from ragcortex.fusion.model import CascadeBounds, FusionModel
from ragcortex.fusion.stack import FusionStack
from ragcortex.fusion.statement_signals import STATEMENT_SIGNALS
from ragcortex.fusion.token_signals import TOKEN_SIGNALS, TokenSignals, token_signals
from ragcortex.geometry.corpus import Corpus
from ragcortex.geometry.evidence import GeometricEvidence
from ragcortex.geometry.judgement import score
from ragcortex.geometry.linear_model import LinearModel
from ragcortex.geometry.witness import examine
from ragcortex.platt import PlattScaling
from ragcortex.readers.reading import Block, PassArrays, Reading
from ragcortex.smoothing import Smoothing
from ragcortex.training.fusion import FusionIdentity, FusionRow

EMBEDDER = WordEmbedder()
PLACES = (
    "lighthouse",
    "library",
    "bakery",
    "harbour",
    "museum",
    "observatory",
    "vineyard",
    "theatre",
    "station",
    "mill",
)
PEOPLE = ("keeper", "owner", "gardener", "cook")
INVENTED = ("collects foreign stamps", "breeds prize rabbits", "sings in a choir", "paints small boats")
IDENTITY = FusionIdentity("made fusion", "1", "made reader", "d1" * 32, "9e" * 32)


def seen(answer: str, *references: str, question: str | None = None) -> GeometricEvidence:
    """Return what the geometric witness sees in an answer."""
    return examine(answer, Corpus.in_memory(tuple(map(Reference, references)), EMBEDDER), question=question)


def word_tokens(text: str) -> AnswerTokens:
    """Return words and marks as tokens, white space with the next one."""
    ranges = token_ranges(text, [match.span() for match in re.finditer(r"\w+|[^\w\s]", text)])
    return AnswerTokens(text, tuple(range(len(ranges))), ranges)


def made_reading(
    tokens: AnswerTokens, rng: np.random.Generator, *, n_windows: int = 1, pieces: tuple[tuple[int, int, int], ...] = ()
) -> Reading:
    """Return a reading with random numbers, in pieces of (start, stop, keep); one piece by default."""

    def passed(n: int) -> PassArrays:
        mass = rng.random(n).astype(np.float32)
        return PassArrays({}, -rng.exponential(2, n).astype(np.float32), None, None, mass)

    blocks = []
    for start, stop, keep in pieces or ((0, len(tokens), 0),):
        noref = replace(passed(stop - start), reference_attention=None)
        blocks += [Block(start, stop, keep, window, passed(stop - start), noref) for window in range(n_windows)]
    return Reading(tokens, tuple(blocks), n_windows)


def made_signals(example: Example, rng: np.random.Generator) -> tuple[TokenSignals, GeometricEvidence, float]:
    """Return signals whose reader finds the hallucinated tokens with some noise, the evidence, and its score."""
    tokens = word_tokens(example.answer)
    spans = example.spans or ()
    wrong = [any(span.start < end and start + 1 < span.end for span in spans) for start, end in tokens.ranges]
    raw = np.clip(np.where(wrong, 0.7, 0.25) + rng.normal(0, 0.12, len(tokens)), 0, 1)
    corpus = Corpus.in_memory(example.references, EMBEDDER)
    evidence = examine(example.answer, corpus, question=example.question)
    scores = score(evidence, made_model())
    return token_signals(tokens, made_reading(tokens, rng), raw, evidence, scores), evidence, scores.answer


def made_examples(n_groups: int = 10) -> list[Example]:
    """Return four answers to each source: two grounded ones, one with an invented sentence, one with a wrong year."""
    examples = []
    for group in range(n_groups):
        place, person = PLACES[group % len(PLACES)], PEOPLE[group % len(PEOPLE)]
        year, invented = 1850 + 3 * group, f"Its {person} {INVENTED[group % len(INVENTED)]}."
        built, opens = f"The {place} was built in {year}.", f"The {place} opens every morning except on Mondays."
        wrong = f"The {place} was built in {year + 11}."
        answers = (
            (f"{built} {opens}", ""),
            (f"{built} {invented}", invented),
            (opens, ""),
            (f"{opens} {wrong}", f"{year + 11}"),
        )
        for number, (answer, marked) in enumerate(answers):
            start = answer.index(marked) if marked else 0
            examples.append(
                Example(
                    f"What is the {place}?",
                    (Reference(built), Reference(opens)),
                    answer,
                    id=f"{group}-{number}",
                    spans=(Span(start, start + len(marked)),) if marked else (),
                    label=int(bool(marked)),
                    group=f"source {group}",
                )
            )
    return examples


@cache
def made_rows(n_groups: int = 10, seed: int = 0) -> tuple[FusionRow, ...]:
    """Return the rows of `made_examples`."""
    rng = np.random.default_rng(seed)
    return tuple(FusionRow(example, *made_signals(example, rng)) for example in made_examples(n_groups))


def relabelled(row: FusionRow, **changes: Any) -> FusionRow:
    """Return a row with other fields of its example."""
    return replace(row, example=replace(row.example, **changes))


def swapped(row: FusionRow) -> FusionRow:
    """Return a row with the other label: a grounded answer's first statement is marked, a hallucinated one's is not."""
    if row.label:
        return relabelled(row, label=0, spans=())
    return relabelled(row, label=1, spans=(Span(row.evidence.claims[0].start, row.evidence.claims[0].end),))


def linear(names: tuple[str, ...], seed: int, **weights: float) -> LinearModel:
    """Return a model with random means, scales and weights, but for those given."""
    rng = np.random.default_rng(seed)
    own = [weights.get(name, value) for name, value in zip(names, rng.normal(0, 0.5, len(names)).tolist(), strict=True)]
    means, scales = rng.normal(0, 1, len(names)).tolist(), rng.uniform(0.5, 2, len(names)).tolist()
    return LinearModel(names, tuple(means), tuple(scales), tuple(own), -0.4)


def made_stack() -> FusionStack:
    """Return a stack that was fitted on nothing."""
    return FusionStack(linear(TOKEN_SIGNALS, 1), Smoothing.persistence(0.9), linear(STATEMENT_SIGNALS, 2))


def made_fusion(**changes: Any) -> FusionModel:
    """Return a fusion that was fitted on nothing."""
    values: dict[str, Any] = {
        "name": "made fusion",
        "version": "1",
        "internal": "made reader",
        "internal_digest": "d1" * 32,
        "geometry_fingerprint": "9e" * 32,
        "stack": made_stack(),
        "probabilities": {
            "tokens": PlattScaling(0.9, -0.3),
            "statements": PlattScaling(1.2, 0.1),
            "answers": PlattScaling(0.7, -0.6),
        },
        "statement_threshold": 0.6,
        "cascade": CascadeBounds(0.1, 0.9),
        "calibration": Calibration(
            0.4, 0.5, 0.5, "ten answers", 10, 4, "2026-01-31", {"statement_recall": 0.7, "statement_precision": 0.8}
        ),
        "training": {"data": "hand-written answers", "licences": ["CC0"]},
        "figures": {"token_ap": 0.5},
    }
    return FusionModel(**(values | changes))
