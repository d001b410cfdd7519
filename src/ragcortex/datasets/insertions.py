"""Plausible detail that the references do not support: whole sentences and clauses of other texts put in."""

import random
from collections.abc import Set

import regex

from ragcortex.align import sentences
from ragcortex.datasets.draft import Draft
from ragcortex.datasets.entities import main_entity
from ragcortex.datasets.phrases import ELABORATIONS
from ragcortex.datasets.surface import insert_sentence, is_introduction, item_text
from ragcortex.datasets.text_pool import PoolSentence, SentencePool, content_words, coverage, starts_with_pronoun

# At most this share of an inserted text's content words may occur in the references.
MAX_COVERAGE = 0.5
_OWN_SUBJECT_RATE = 0.65
_SENTENCE_DONORS = 8

_SUBJECT = regex.compile(
    r"(?:The (?:\w+ ){1,2}?|(?:\p{Lu}[\w'’.-]* ?){1,4}(?:\([^()]*\) )?)"
    r"(?=(?:(?:is|was) (?!an?\b|the\b|one\b)|has|had|can|also|became|began|won|offers|includes|provides|features)\b)"
)
_PRONOUNS = frozenset({"He", "She", "It", "They"})
_DEFINITION = regex.compile(r"^[^,.]{2,60}(?:\([^()]*\) )?\b(?:is|was|are|were) (?:an?|the) ")
_CLAUSE = regex.compile(
    r",? (?P<clause>(?:including|especially|particularly|as well as|making (?:it|them|him|her)|allowing|leading to|"
    r"resulting in|because|due to|in order to|so that|although|while|thanks to|along with|followed by|"
    r"which (?:is|are|was|were|has|have|had|can|could|may|will|also|includes?|allows?|makes?|helps?|led))"
    r" [^.;:()\"“”]{12,})\.$"
)
_NO_COMMA = ("because", "due to", "in order to", "so that", "thanks to")
_ELABORATION_RATE, _CLAUSE_DONORS = 0.3, 80
_MIN_CLAUSE_WORDS, _MAX_CLAUSE_WORDS = 4, 24


def insert_sentences(
    answer: str, *, query: str, known: Set[str], excluded_groups: Set[str], pool: SentencePool, rng: random.Random
) -> Draft | None:
    """Return the answer with one to three unsupported sentences put in, or None if none fits.

    Args:
        answer: a grounded answer.
        query: what the donors must be near: question and answer.
        known: the content words of the references (`content_words`).
        excluded_groups: sources the references came from; no donor is of them.
        pool: the sentences to draw from.
        rng: the source of chance.
    """
    wanted = rng.choices((1, 2, 3), weights=(0.66, 0.24, 0.1))[0]
    donors = [
        donor
        for donor in pool.near(query, excluded_groups=excluded_groups, limit=120, least=0.09)
        if coverage(donor.text, known) <= MAX_COVERAGE and _fits(donor.text, answer)
    ]
    if not donors:
        return None
    donors = donors[:_SENTENCE_DONORS]
    draft = Draft(answer)
    topic = main_entity(query)
    for donor in _chosen(donors, wanted, rng):
        text = _with_subject(donor.text, topic) if topic and rng.random() < _OWN_SUBJECT_RATE else donor.text
        extended = insert_sentence(draft, text, rng, marked=True)
        draft = extended or draft
    return draft if draft.spans else None


def _chosen(donors: list[PoolSentence], wanted: int, rng: random.Random) -> list[PoolSentence]:
    """Draw donors by `_weight` and nearness, no two of which say much the same."""
    weights = [_weight(donor) / (rank + 2) for rank, donor in enumerate(donors)]
    drawn: list[PoolSentence] = []
    said: set[str] = set()
    while len(drawn) < wanted and any(weights):
        index = rng.choices(range(len(donors)), weights=weights)[0]
        weights[index] = 0.0
        if coverage(donors[index].text, said) <= MAX_COVERAGE:
            drawn.append(donors[index])
            said |= content_words(donors[index].text)
    return drawn


def _weight(donor: PoolSentence) -> float:
    """Prefer what language models wrote, and details about a thing to sentences that introduce another thing."""
    return (2.0 if donor.from_answer else 1.0) * (0.35 if _DEFINITION.search(donor.text) else 1.0)


def _fits(sentence: str, answer: str) -> bool:
    """Return whether the sentence needs no earlier one, or starts with a pronoun that the answer uses as well."""
    first = sentence.split(maxsplit=1)[0]
    if not starts_with_pronoun(sentence):
        return True
    return first in _PRONOUNS and regex.search(rf"\b{first}\b", answer, flags=regex.IGNORECASE) is not None


def _with_subject(sentence: str, subject: str) -> str:
    """Return the sentence about `subject` instead of its own subject, where that is easily told."""
    match = _SUBJECT.match(sentence)
    return f"{subject} {sentence[match.end() :]}" if match else sentence


def insert_clause(
    answer: str, *, known: Set[str], excluded_groups: Set[str], pool: SentencePool, rng: random.Random
) -> Draft | None:
    """Return the answer with a subordinate clause or trailing phrase of another text at the end of one of its
    sentences, or None if none fits. Parameters as in `insert_sentences`.
    """
    ranges = list(sentences(answer))
    rng.shuffle(ranges)
    general = rng.random() < _ELABORATION_RATE
    # Where no clause is near any sentence, a general one does.
    for (start, end), general in [*((place, general) for place in ranges), *((place, True) for place in ranges)]:
        _, sentence = item_text(answer[start:end])
        if is_introduction(sentence) or not sentence.endswith(".") or _CLAUSE.search(sentence):
            continue
        clauses = list(ELABORATIONS) if general else _near_clauses(sentence, known, excluded_groups, pool)
        clauses = [clause for clause in clauses if coverage(clause, known) <= MAX_COVERAGE]
        if clauses:
            clause = rng.choice(clauses)
            lead = len(clause) - len(clause.lstrip(", "))
            return Draft(answer).replaced(end - 1, end - 1, clause, [(lead, len(clause))])
    return None


def _near_clauses(sentence: str, known: Set[str], excluded_groups: Set[str], pool: SentencePool) -> list[str]:
    """Return the few nearest clauses with their leading comma or space."""
    found = [
        clause
        for donor in pool.near(sentence, excluded_groups=excluded_groups, limit=_CLAUSE_DONORS, least=0.12)
        if (clause := _clause(donor.text, known)) is not None
    ]
    return [f" {clause}" if clause.startswith(_NO_COMMA) else f", {clause}" for clause in found[:3]]


def _clause(sentence: str, known: Set[str]) -> str | None:
    match = _CLAUSE.search(sentence)
    if match is None:
        return None
    clause = match["clause"].strip()
    count = len(clause.split())
    if not _MIN_CLAUSE_WORDS <= count <= _MAX_CLAUSE_WORDS or not content_words(clause):
        return None
    if clause.startswith((*_NO_COMMA, "which", "although", "while")) and "," in clause:  # the main clause may follow it
        return None
    return clause if coverage(clause, known) <= MAX_COVERAGE else None
