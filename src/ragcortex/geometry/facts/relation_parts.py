"""The words of a sentence with their part in it, and the noun phrases around a verb."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import regex

from ragcortex.geometry.facts.extract import FactSheet
from ragcortex.geometry.facts.relation_grammar_words import GrammarWords

_NUMBER_OR_STOP: Final = r"\p{N}+(?:[.,:/–-]\p{N}+)*\p{L}*|[,;:()—–.!?…]"
_WORD: Final = regex.compile(rf"\p{{L}}[\p{{L}}\p{{M}}\p{{N}}]*(?:[-’'][\p{{L}}\p{{N}}]+)*|{_NUMBER_OR_STOP}")
_ELIDING: Final = regex.compile(
    rf"\p{{L}}{{1,5}}['’](?=\p{{L}})|\p{{L}}[\p{{L}}\p{{M}}\p{{N}}]*(?:-[\p{{L}}\p{{N}}]+)*|{_NUMBER_OR_STOP}"
)
_ADVERB: Final = regex.compile(r"\p{L}{3,}(?:ly|ment|mente)")
_FIGURES: Final = frozenset(("number", "quantity", "money", "percentage", "duration", "ordinal", "date", "time"))
_SIGNS: Final = frozenset(",;:()—–.!?…")


@dataclass(frozen=True, slots=True)
class Token:
    """A word or inner stop at `text[start:end]`: case-folded, with the stems of its content words.

    Attributes:
        is_figure: it belongs to a figure or date, which is neither who nor whom.
        is_capital: it is written with a capital.
    """

    start: int
    end: int
    word: str
    stems: tuple[str, ...] = ()
    is_figure: bool = False
    is_capital: bool = False

    @property
    def is_stop(self) -> bool:
        """Whether it is a comma or another inner stop."""
        return self.word in _SIGNS

    @property
    def is_adverb(self) -> bool:
        """Whether it ends like an adverb of manner."""
        return _ADVERB.fullmatch(self.word) is not None


@dataclass(frozen=True, slots=True)
class Phrase:
    """Who or whom: a stretch of the sentence and the stems of its content words.

    Without stems it is a pronoun at the beginning of the sentence, which stands for the subject of the one before.
    """

    start: int
    end: int
    stems: frozenset[str]


@dataclass(frozen=True, slots=True)
class Relation:
    """The two participants of a verb or a comparison.

    Attributes:
        sense: what the one does to the other, the same for verbs that say the same; of a comparison the word compared
            by, with `less ` before it where the first one has less of it.
        agent, patient: the one who acts, or has more of it, and the other one.
        verb: where the verb, or the word that compares, begins.
        compares: whether it is a comparison.
    """

    sense: str
    agent: Phrase
    patient: Phrase
    verb: int
    compares: bool = False

    @property
    def inverted(self) -> "Relation":
        """The same with the participants exchanged."""
        return replace(self, agent=self.patient, patient=self.agent)


@dataclass(frozen=True, slots=True)
class Entry:
    """A verb of the table: its sense, and what it wants behind it.

    Attributes:
        sense: what it says.
        particle: the word right behind it («take over»); empty for none.
        prepositions: those that its second participant stands behind; empty where it is a direct object.
        is_reversed: whether the participants change places («sell to» for «buy from»).
        is_noun: whether it is a noun («Übernahme von»), whose participants stand behind it.
    """

    sense: str
    particle: str
    prepositions: frozenset[str]
    is_reversed: bool
    is_noun: bool = False


def tokens_of(sheet: FactSheet, words: GrammarWords, *, elides: bool) -> list[Token]:
    """Return the words and inner stops of a sentence in order; function words have no stems."""
    figures = [(fact.start, fact.end) for fact in sheet.facts if fact.kind in _FIGURES]
    empty = words.empty
    found: list[Token] = []
    position, content = 0, sheet.terms
    for match in (_ELIDING if elides else _WORD).finditer(sheet.text):
        start, end = match.span()
        stems = []
        while position < len(content) and content[position].start < end:
            if content[position].start >= start:
                stems.append(content[position].stem)
            position += 1
        word = match.group().casefold()
        is_figure = any(low < end and start < high for low, high in figures)
        kept = () if word in empty and not word.isupper() else tuple(stems)
        if len(word) == 1 and word.isalpha() and not kept and found and found[-1].stems and match.group().isupper():
            kept = (word,)  # «model B»
        found.append(Token(start, end, word, () if is_figure else kept, is_figure, match.group()[0].isupper()))
    return found


def phrase(tokens: Sequence[Token]) -> Phrase | None:
    """Return the phrase that some words make, without words at its edges that say nothing; None of none that do."""
    telling = [token for token in tokens if token.stems]
    if not telling:
        return None
    return Phrase(telling[0].start, telling[-1].end, frozenset(stem for token in telling for stem in token.stems))
