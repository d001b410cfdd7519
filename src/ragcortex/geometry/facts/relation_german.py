"""Who and whom in German clauses, where the verb stands second or last and the object may come first."""

from collections.abc import Sequence
from typing import Final

from ragcortex.geometry.facts.relation_grammar_words import GrammarWords
from ragcortex.geometry.facts.relation_parts import Entry, Phrase, Relation, Token, phrase

_PASSIVE: Final = frozenset(("wird", "werden", "wurde", "wurden", "worden"))
_PERFECT: Final = frozenset(("hat", "haben", "hatte", "hatten"))
# They mark the object, or the one who gets something.
_OBJECT: Final = frozenset(("den", "einen", "diesen", "seinen", "ihren", "dem", "einem"))


def related_german(tokens: Sequence[Token], verb: int, entry: Entry, words: GrammarWords) -> Relation | None:
    """Return the relation that a verb of the table makes, None where either participant cannot be told."""
    stops = [index for index, token in enumerate(tokens) if token.is_stop]
    start = max((index + 1 for index in stops if index < verb), default=0)
    end = min((index for index in stops if index > verb), default=len(tokens))
    clause = range(start, end)
    passive = [index for index in clause if tokens[index].word in _PASSIVE]
    by = next((index for index in clause if tokens[index].word in words.agent and _names(tokens, index)), None)
    if entry.prepositions:
        behind = [at for at in clause if tokens[at].word in entry.prepositions and (at > verb or not entry.is_noun)]
        marker = next((at for at in behind if not (passive and at == by)), None)
        second = None if marker is None else _first(tokens, marker + 1, end, words)
        agents = [at for at in clause if tokens[at].word in words.agent and at != marker and _names(tokens, at)]
        if agents and (passive or entry.is_noun):
            first = _first(tokens, agents[0] + 1, end, words)
        else:
            first = _subject(tokens, start, verb, end, words)
    elif passive or (by is not None and verb + 1 == end):
        first = None if by is None else _first(tokens, by + 1, verb if by < verb else end, words)
        second = _patient(tokens, start, verb, by, words)
    else:
        first, second = _active(tokens, start, verb, end, words)
    if first is None or second is None:
        return None
    found = Relation(entry.sense, first, second, tokens[verb].start)
    return found.inverted if entry.is_reversed else found


def _active(
    tokens: Sequence[Token], start: int, verb: int, end: int, words: GrammarWords
) -> tuple[Phrase | None, Phrase | None]:
    """Return subject and object of an active clause."""
    perfect = next((index for index in range(start, end) if tokens[index].word in _PERFECT), None)
    finite = perfect if perfect is not None and perfect < verb else verb
    last = verb if finite < verb else end
    opening = tokens[start].word
    is_last = finite == verb and not _phrases(tokens, verb + 1, end, words)
    if is_last or (perfect is not None and perfect > verb):
        inner = _phrases(tokens, start + 1, verb, words)
        if opening in words.relatives and start > 1:
            named = _ending_at(tokens, start - 1, words)
            other = inner[0] if inner else None
            return (other, named) if opening in _OBJECT else (named, other)
        pairs = inner if opening in words.conjunctions else _phrases(tokens, start, verb, words)
        return (pairs[0], pairs[1]) if len(pairs) > 1 else (None, None)
    front = _front(tokens, start, finite, words)
    behind = _phrases(tokens, finite + 1, last, words)
    if front is None:
        return (behind[0], behind[1]) if len(behind) > 1 else (None, None)
    if not behind:
        return None, None
    return (behind[0], front) if opening in _OBJECT else (front, behind[0])


def _subject(tokens: Sequence[Token], start: int, verb: int, end: int, words: GrammarWords) -> Phrase | None:
    finite = next((at for at in range(start, end) if tokens[at].word in words.copulas), verb)
    finite = min(finite, verb)
    front = _front(tokens, start, finite, words)
    return front if front is not None else _first(tokens, finite + 1, end, words)


def _patient(tokens: Sequence[Token], start: int, verb: int, by: int | None, words: GrammarWords) -> Phrase | None:
    """Return the subject of a passive clause; of a relative clause or participle what it is about."""
    if by is None:
        return None
    aux = next((index for index in range(start, verb) if tokens[index].word in _PASSIVE), None)
    opens = tokens[start].word in words.relatives and (aux is None or aux > verb)
    if start > 1 and (aux is None) and (opens or start <= by):
        return _ending_at(tokens, start - 1, words)
    finite = aux if aux is not None else by
    front = None if by < finite else _front(tokens, start, finite, words)
    if front is not None:
        return front
    lower = finite + 1 if aux is not None else start
    return _first(tokens, lower, by if by > lower else verb, words)


def _front(tokens: Sequence[Token], start: int, finite: int, words: GrammarWords) -> Phrase | None:
    """Return the phrase before the finite verb, where the one thing that stands there is no aside of when and where."""
    position = start
    while position < finite and tokens[position].word in words.conjunctions:
        position += 1
    if position == finite or tokens[position].word in words.prepositions:
        return None
    if tokens[position].word in words.pronouns and position + 1 == finite and position == 0:
        return Phrase(tokens[position].start, tokens[position].end, frozenset())
    if finite > 1 and start == finite and tokens[start - 1].is_stop:
        return None
    found = _phrases(tokens, position, finite, words)
    return found[0] if found else None


def _first(tokens: Sequence[Token], start: int, end: int, words: GrammarWords) -> Phrase | None:
    found = _phrases(tokens, start, end, words)
    return found[0] if found else None


def _phrases(tokens: Sequence[Token], start: int, end: int, words: GrammarWords) -> list[Phrase]:
    """Return the noun phrases of a stretch, each from a determiner on; what a preposition leads in is left out."""
    found: list[Phrase | None] = []
    current: list[Token] = []
    aside = False
    for index in range(start, end):
        token = tokens[index]
        leads = token.word in words.prepositions
        begins = token.word in words.determiners and (
            index == start or tokens[index - 1].word not in words.prepositions
        )
        is_genitive = token.word in ("der", "des") and bool(current) and not aside and current[-1].is_capital
        parts = token.is_stop or token.word in words.copulas or token.word in words.conjunctions
        if parts or leads or (begins and not is_genitive):
            found.append(None if aside else phrase(current))
            current, aside = [], leads
        elif token.word not in words.skipped and not (index + 1 == end and not token.is_capital and found):
            current.append(token)
    found.append(None if aside else phrase(current))
    return [one for one in found if one is not None]


def _ending_at(tokens: Sequence[Token], comma: int, words: GrammarWords) -> Phrase | None:
    """Return the phrase that a comma ends."""
    first = comma - 1
    while first >= 0 and not tokens[first].is_stop and tokens[first].word not in words.copulas:
        first -= 1
    found = _phrases(tokens, first + 1, comma, words)
    return found[-1] if found else None


def _names(tokens: Sequence[Token], marker: int) -> bool:
    """Whether someone stands behind a preposition, and no figure («von 36 Millionen»)."""
    following = tokens[marker + 1 : marker + 4]
    return bool(following) and not following[0].is_figure and any(token.stems for token in following)
