"""Consistency of several sampled answers to one question: the check that needs no references.

The more meanings there are among the answers, and the more even their shares, the less certain the generator is.
"""

import math
from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from ragcortex.checks import check_text
from ragcortex.errors import InputError
from ragcortex.geometry.consistency_clusters import Booleans, Floats, complete_linkage
from ragcortex.geometry.consistency_facts import FactsOf, Profile, contradictions
from ragcortex.geometry.consistency_parts import LIMITATION, Consistency, Disagreement, Place
from ragcortex.geometry.consistency_silence import states_nothing
from ragcortex.geometry.embedders.embedder import FLOAT32, Embedder, dtype_of
from ragcortex.report_parts import Note

__all__ = ["DEFAULT_SIMILARITY", "ENOUGH_ANSWERS", "LIMITATION", "Consistency", "consistency"]

DEFAULT_SIMILARITY: Final = 0.6
# How much of the question's own vector is taken out of question and answer, see `_cosines`.
QUESTION_SHARE: Final = 0.7
ENOUGH_ANSWERS: Final = 5


def consistency(
    answers: Sequence[str],
    embedder: Embedder,
    *,
    question: str | None = None,
    similarity: float = DEFAULT_SIMILARITY,
    facts_of: FactsOf | None = None,
    claims_nothing: Callable[[str], bool] = states_nothing,
) -> Consistency:
    """Return how far several answers to one question agree.

    Two answers mean the same if their cosine reaches `similarity` and no hard fact (amount, date, time, name, negation)
    of one contradicts the other. Answers that claim nothing (blank, refusals) mean the same as each other and as no
    other answer. Clusters are made by complete linkage: every two answers of a cluster mean the same. The order of the
    answers changes nothing but the indices.

    Args:
        answers: at least two sampled answers to the same question, the one in doubt among them.
        embedder: the embedding model.
        question: the question; with it «1889» and «It was finished in 1889» are more alike, and other answers less.
        similarity: the cosine, from -1 to 1, from which on two answers may mean the same; the default is for the
            embedded model, and other models have another scale.
        facts_of, claims_nothing: the facts of a text, and whether it is blank, a refusal, a greeting or the like.

    Raises:
        InputError: there are fewer than two answers, one is no text, or `similarity` is no cosine.
        ReadingError, ModelError: from the embedder.
    """
    answers = _checked(answers, question, similarity)
    silent = frozenset(text for text in set(answers) if claims_nothing(text))
    claims = sorted(set(answers) - silent)
    cosines = _cosines(claims, embedder, question)
    profiles = _profiles(claims, facts_of, question)
    same = _same(cosines, list(profiles.values()), similarity)
    groups = [[claims[index] for index in group] for group in complete_linkage(cosines, same)]
    clusters = _indices([*groups, sorted(silent)] if silent else groups, answers)
    return Consistency(
        answers=answers,
        clusters=clusters,
        refusals=next((number for number, (first, *_) in enumerate(clusters) if answers[first] in silent), None),
        agreement=_agreement(answers, claims, same),
        disagreements=_disagreements(answers, clusters, profiles, claims, cosines),
        similarity=float(similarity),
        question=question,
        embedder=embedder.identity.fingerprint,
        notes=(*_precision(embedder), *_notes(answers, clusters, n_claims=len(claims))),
    )


def _checked(answers: Sequence[str], question: str | None, similarity: float) -> tuple[str, ...]:
    if isinstance(answers, str) or not isinstance(answers, Sequence):
        raise InputError("answers", f"must be a sequence of texts, got {type(answers).__name__}")
    for index, answer in enumerate(answers):
        check_text(f"answers[{index}]", answer)
    if len(answers) < 2:
        raise InputError(
            "answers", f"must be at least 2 sampled answers to one question, got {len(answers)}; sample it again"
        )
    if isinstance(similarity, bool) or not isinstance(similarity, (int, float)) or not -1 <= similarity <= 1:
        raise InputError("similarity", f"must be a cosine from -1 to 1, got {similarity!r}")
    check_text("question", question, optional=True, filled=question is not None)
    return tuple(answers)


def _profiles(claims: Sequence[str], facts_of: FactsOf | None, question: str | None) -> dict[str, Profile]:
    if facts_of is None:
        from ragcortex.geometry.facts.extract import facts_of as default

        facts_of = default
    return {text: Profile.of(text, facts_of, question or "") for text in claims}


def _cosines(claims: Sequence[str], embedder: Embedder, question: str | None) -> Floats:
    """Return the cosines of each two distinct answers.

    With a question each answer is read after it, and a share of the question's vector is taken out again: what is
    compared is what the answers add. Texts that all begin with the same question would be alike whatever they answer.
    """
    if not claims:
        return np.zeros((0, 0))
    if question is None:
        unit = embedder.embed(claims).unit.astype(np.float64)
    else:
        both = embedder.embed([question, *(f"{question} {claim}" for claim in claims)]).unit.astype(np.float64)
        unit = both[1:] - QUESTION_SHARE * both[0]
        unit /= np.linalg.norm(unit, axis=1, keepdims=True)
    cosines: Floats = np.clip(unit @ unit.T, -1.0, 1.0)
    return (cosines + cosines.T) / 2


def _same(cosines: Floats, profiles: Sequence[Profile], similarity: float) -> Booleans:
    """Return whether each two distinct answers mean the same."""
    same: Booleans = cosines >= similarity
    for first, second in zip(*np.nonzero(np.triu(same, 1)), strict=True):
        if contradictions(profiles[first], profiles[second]):
            same[first, second] = same[second, first] = False
    np.fill_diagonal(same, val=True)
    return same


def _indices(groups: Sequence[Sequence[str]], answers: Sequence[str]) -> tuple[tuple[int, ...], ...]:
    """Return the clusters as indices of answers, the largest first, then by first index."""
    of_text = {text: number for number, group in enumerate(groups) for text in group}
    clusters: list[list[int]] = [[] for _ in groups]
    for index, answer in enumerate(answers):
        clusters[of_text[answer]].append(index)
    return tuple(tuple(cluster) for cluster in sorted(clusters, key=lambda cluster: (-len(cluster), cluster[0])))


def _agreement(answers: Sequence[str], claims: Sequence[str], same: Booleans) -> tuple[float, ...]:
    """Return for each answer the share of the others that mean the same."""
    row = {text: index for index, text in enumerate(claims)}
    rows = [row.get(answer) for answer in answers]
    others = len(answers) - 1
    return tuple(
        sum(
            (mine is None and theirs is None) or (mine is not None and theirs is not None and bool(same[mine, theirs]))
            for position, theirs in enumerate(rows)
            if position != index
        )
        / others
        for index, mine in enumerate(rows)
    )


def _disagreements(
    answers: Sequence[str],
    clusters: Sequence[Sequence[int]],
    profiles: dict[str, Profile],
    claims: Sequence[str],
    cosines: Floats,
) -> tuple[Disagreement, ...]:
    """Return the facts in which answers outside the largest cluster contradict its most central answer."""
    tied = len(clusters) > 1 and len(clusters[1]) == len(clusters[0])
    if tied or answers[clusters[0][0]] not in profiles:
        return ()
    row = {text: index for index, text in enumerate(claims)}
    majority = [row[answers[index]] for index in clusters[0]]
    # Central is who is most similar to all of the cluster; of equals the first in the order of the alphabet.
    centre = min(majority, key=lambda index: (-math.fsum(cosines[index, majority]), index))
    speaker = answers.index(claims[centre])
    found = []
    for index, answer in enumerate(answers):
        if index in clusters[0] or answer not in profiles:
            continue
        for each in contradictions(profiles[answer], profiles[claims[centre]]):
            mine = Place(index, *each.first, answer[slice(*each.first)])
            theirs = Place(speaker, *each.second, claims[centre][slice(*each.second)])
            found.append(Disagreement(each.kind, mine, theirs))
    return tuple(found)


def _precision(embedder: Embedder) -> tuple[Note, ...]:
    dtype = dtype_of(embedder)
    text = f"Embedded in {dtype}: cosines may differ in the third decimal from those in {FLOAT32}."
    return () if dtype == FLOAT32 else (Note("precision", text),)


def _notes(answers: Sequence[str], clusters: Sequence[Sequence[int]], *, n_claims: int) -> tuple[Note, ...]:
    n = len(answers)
    notes = []
    if n < ENOUGH_ANSWERS:
        notes.append(
            Note("few_answers", f"{n} answers give a coarse result; sample {ENOUGH_ANSWERS} or more, 10 are better.")
        )
    if len(set(answers)) == 1:
        notes.append(
            Note(
                "identical_answers",
                "All answers are the same to the letter. If they were sampled without randomness (temperature 0), "
                "their agreement says nothing.",
            )
        )
    if n_claims == 0:
        notes.append(Note("no_claim", "No answer claims anything, so there is nothing to compare."))
    elif len(clusters) > 1 and len(clusters[0]) == len(clusters[1]):
        notes.append(Note("no_majority", "No meaning has more answers than every other, so there is no majority."))
    return tuple(notes)
