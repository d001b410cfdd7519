"""Synthetic answers from real references: half of them grounded, half with exactly marked hallucinations.

Both halves are built the same way (a real grounded answer, lengthened with sentences of its references or not, or an
extractive answer) and to the same lengths, so that neither length, position nor layout tells them apart.
"""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from types import MappingProxyType
from typing import Final

from ragcortex.datasets.bases import Base, BaseBuilder, has_real_answer
from ragcortex.datasets.draft import Draft
from ragcortex.datasets.edits import EDITS
from ragcortex.datasets.insertions import insert_clause, insert_sentences
from ragcortex.datasets.removal import remove_evidence
from ragcortex.datasets.text_pool import SentencePool, content_words
from ragcortex.errors import InputError
from ragcortex.example import Example, Reference

KINDS: Final = ("insertion", "clause", "removal", *EDITS)

# Inserted unsupported detail is by far the most frequent error of real RAG answers, so it weighs most.
DEFAULT_MIXTURE: Final[Mapping[str, float]] = MappingProxyType(
    {
        "insertion": 0.42,
        "clause": 0.16,
        "removal": 0.13,
        "entity": 0.08,
        "number": 0.06,
        "date": 0.03,
        "unit": 0.01,
        "negation": 0.03,
        "antonym": 0.03,
        "condition": 0.01,
        "role": 0.04,
    }
)

_EXTRACTIVE_RATE = 0.42
_TRIES = 500
_NEAR_TEXTS = 12


def synthesise(
    examples: Sequence[Example],
    *,
    seed: int,
    n: int,
    mixture: Mapping[str, float] = DEFAULT_MIXTURE,
    donors: Sequence[Example] = (),
) -> list[Example]:
    """Return `n` synthetic examples, half of them grounded (label 0, no spans), the others with exact spans.

    Args:
        examples: sources of references; those with label 0 also of grounded answers. All are used about equally
            often, so repeat those that should weigh more.
        seed: the same seed and the same input give the same output.
        n: how many to make, at least 2.
        mixture: weights of the kinds of hallucination, which are `KINDS`.
        donors: further examples to take inserted text and added passages from.

    Returns:
        Examples of the tasks `synthetic/<kind>`, `synthetic/grounded` and `synthetic/extractive`, in random order; the
        group is that of the example which the references came from.

    Raises:
        InputError: an unknown kind, a negative weight, n below 2, or examples that yield no such answer.
    """
    _check(n, mixture)
    rng = random.Random(f"ragcortex synthetic {seed}")
    maker = _Maker(examples, donors, rng)
    made: list[Example] = []
    partners: list[tuple[bool, int]] = []
    for kind in _kinds(mixture, n // 2, rng):
        extractive = not maker.has_real_answers or rng.random() < _EXTRACTIVE_RATE
        made.append(maker.hallucinated(kind, extractive=extractive))
        partners.append((extractive, len(made[-1].answer.split())))
    # Each grounded answer is built like one hallucinated answer, to the same length.
    for extractive, target in [*partners, *rng.choices(partners, k=n % 2)]:
        made.append(maker.grounded(target, extractive=extractive))
    rng.shuffle(made)
    return [replace(example, id=f"synthetic-{seed}-{index}") for index, example in enumerate(made)]


class _Maker:
    """Makes one synthetic example after another from sources that it goes through again and again."""

    def __init__(self, examples: Sequence[Example], donors: Sequence[Example], rng: random.Random) -> None:
        self._rng = rng
        self._sources = _cycled(examples, rng)
        self._pool = SentencePool.of([*examples, *donors])
        self._builder = BaseBuilder([*examples, *donors], self._pool)
        self.has_real_answers = any(map(has_real_answer, examples))

    def hallucinated(self, kind: str, *, extractive: bool) -> Example:
        """Return an answer with one hallucination of the kind, from the first source that yields one."""
        for source in islice(self._sources, _TRIES):
            base = self._builder.build(source, self._rng, extractive=extractive)
            made = self._with_error(base, kind) if base is not None else None
            if made is not None:
                return made
        raise InputError("examples", f"yield no {kind} answer in {_TRIES} tries; give more, or longer ones")

    def _with_error(self, base: Base, kind: str) -> Example | None:
        draft: Draft | None
        if kind == "removal":
            found = remove_evidence(base.answer, base.references, self._rng)
            return _example(base, Draft(base.answer, (found[1],)), kind, found[0]) if found is not None else None
        query = f"{base.source.question or ''} {base.answer}"
        known = content_words(base.text)
        if kind == "insertion":
            draft = insert_sentences(
                base.answer, query=query, known=known, excluded_groups=base.groups, pool=self._pool, rng=self._rng
            )
        elif kind == "clause":
            draft = insert_clause(base.answer, known=known, excluded_groups=base.groups, pool=self._pool, rng=self._rng)
        else:
            near = self._pool.near(query, excluded_groups=base.groups, limit=_NEAR_TEXTS)
            draft = EDITS[kind](base.answer, base.text, [item.text for item in near], self._rng)
        return _example(base, draft, kind, base.references) if draft is not None else None

    def grounded(self, target: int, *, extractive: bool) -> Example:
        """Return a grounded answer within about a fifth of `target` words; an extractive one where no real one fits."""
        for attempt, source in enumerate(islice(self._sources, 2 * _TRIES)):
            base = self._builder.build(source, self._rng, extractive=extractive or attempt >= _TRIES, target=target)
            if base is not None and 0.8 * target - 3 <= len(base.answer.split()) <= 1.2 * target + 3:
                kind = "extractive" if base.is_extractive else "grounded"
                return _example(base, Draft(base.answer), kind, base.references)
        raise InputError("examples", f"yield no grounded answer of about {target} words; give more, or longer ones")


def _example(base: Base, draft: Draft, kind: str, references: tuple[Reference, ...]) -> Example:
    return Example(
        question=base.source.question,
        references=references,
        answer=draft.answer,
        spans=draft.spans,
        label=int(bool(draft.spans)),
        group=base.source.group,
        task=f"synthetic/{kind}",
    )


def _check(n: int, mixture: Mapping[str, float]) -> None:
    if n < 2:
        raise InputError("n", f"must be at least 2, one grounded and one hallucinated example, got {n}")
    for kind, weight in mixture.items():
        if kind not in KINDS:
            raise InputError("mixture", f"has the unknown kind {kind!r}; the kinds are {', '.join(KINDS)}")
        if not weight >= 0:
            raise InputError("mixture", f"must have weights of at least 0, got {weight!r} for {kind!r}")
    if not sum(mixture.values()) > 0:
        raise InputError("mixture", "must have a positive weight for at least one kind")


def _kinds(mixture: Mapping[str, float], n: int, rng: random.Random) -> list[str]:
    """Return n kinds in the mixture's proportions (largest remainders), shuffled."""
    total = sum(mixture.values())
    exact = {kind: n * weight / total for kind, weight in mixture.items()}
    counts = {kind: int(share) for kind, share in exact.items()}
    by_remainder = sorted(exact, key=lambda kind: counts[kind] - exact[kind])
    for kind in by_remainder[: n - sum(counts.values())]:
        counts[kind] += 1
    kinds = [kind for kind, count in counts.items() for _ in range(count)]
    rng.shuffle(kinds)
    return kinds


def _cycled(examples: Sequence[Example], rng: random.Random) -> Iterator[Example]:
    """Yield the examples for ever, in a new random order each time round."""
    order = list(examples)
    while order:
        rng.shuffle(order)
        yield from order
