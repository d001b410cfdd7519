"""Who and whom around a verb where the subject stands before it and the object behind (English, Romance languages)."""

from collections.abc import Iterator, Sequence
from typing import Final

from ragcortex.geometry.facts.relation_grammar_words import COMPARATIVES, GrammarWords
from ragcortex.geometry.facts.relation_parts import Entry, Phrase, Relation, Token, phrase

# As many words may stand between a verb and the «by» of its passive.
_PASSIVE_WITHIN: Final = 12
_COMMA: Final = ","


def related(
    tokens: Sequence[Token], verb: int, entry: Entry, words: GrammarWords, opener: Phrase | None
) -> Relation | None:
    """Return the relation that a verb of the table makes, None where either participant cannot be told.

    Args:
        tokens: the words of the sentence.
        verb: the place of the verb among them.
        entry: what the table says of it.
        words: the function words of the language.
        opener: the subject of the sentence, which a second verb goes on about («… and bought …»).
    """
    behind = verb + 1
    if entry.particle:
        if behind == len(tokens) or tokens[behind].word != entry.particle:
            return None
        behind += 1
    by = _agent_marker(tokens, behind, words, object_behind=entry.prepositions)
    if entry.prepositions:
        marker = _marker(tokens, behind, entry.prepositions)
        if marker is None:
            return None
        second = phrase_after(tokens, marker + 1, words)
        if by is None:
            first = phrase_before(tokens, verb, words, opener, is_noun=True)
        else:
            first = phrase_after(tokens, by + 1, words)
    elif by is not None:
        first, second = phrase_after(tokens, by + 1, words), phrase_before(tokens, verb, words, opener, passive=True)
    else:
        first, second = phrase_before(tokens, verb, words, opener), phrase_after(tokens, behind, words)
        if second is None and first is not None:
            second = _before_relative(tokens, first, words)
    if first is None or second is None:
        return None
    found = Relation(entry.sense, first, second, tokens[verb].start)
    return found.inverted if entry.is_reversed else found


def phrase_before(
    tokens: Sequence[Token],
    verb: int,
    words: GrammarWords,
    opener: Phrase | None,
    *,
    passive: bool = False,
    is_noun: bool = False,
) -> Phrase | None:
    """Return the subject: the phrase before a verb, its auxiliaries and adverbs, past what is set off by commas.

    An article right before it makes the verb a noun, whose subject stands before the article («was the teacher of»).
    """
    last = verb - 1
    skipped = words.skipped | words.determiners if is_noun else words.skipped
    while last >= 0 and (tokens[last].word in skipped or tokens[last].is_figure or tokens[last].is_adverb):
        last -= 1
    if last < 0 or (tokens[last].word in words.determiners and not tokens[last].stems):
        return None
    if tokens[last].word == _COMMA:
        commas = [index for index in range(last) if tokens[index].word == _COMMA]
        reduced = passive and last == verb - 1
        if not reduced and not commas:
            return None
        last = last - 1 if reduced else commas[-1] - 1
    elif tokens[last].word in words.relatives:
        while last >= 0 and (tokens[last].word in words.relatives | words.prepositions | {_COMMA}):
            last -= 1
    elif tokens[last].word in words.conjunctions:
        return opener
    elif tokens[last].word in words.pronouns:
        opens = all(token.is_figure or token.word in words.prepositions for token in tokens[:last])
        return Phrase(tokens[last].start, tokens[last].end, frozenset()) if opens else None
    elif tokens[last].word in words.prepositions or tokens[last].word in words.within:
        return None
    first = last
    while first >= 0 and not tokens[first].is_stop and tokens[first].word not in words.bounds:
        first -= 1
    return phrase(tokens[first + 1 : last + 1])


def _before_relative(tokens: Sequence[Token], subject: Phrase, words: GrammarWords) -> Phrase | None:
    """Return what a relative clause with a subject of its own is about («Brightwell, which Corran bought»)."""
    last = next(index for index, token in enumerate(tokens) if token.start >= subject.start) - 1
    while last >= 0 and tokens[last].word in words.determiners - words.relatives:
        last -= 1
    if last < 0 or tokens[last].word not in words.relatives:
        return None
    return phrase_before(tokens, last + 1, words, None)


def phrase_after(tokens: Sequence[Token], start: int, words: GrammarWords) -> Phrase | None:
    """Return the object: the phrase from a place on, up to a preposition or stop, with an apposition behind it."""
    position, end = start, len(tokens)
    while position < end and (
        tokens[position].word in words.leading
        or tokens[position].is_adverb
        or tokens[position].is_figure
        or (tokens[position].word in words.prepositions and position + 1 < end and tokens[position + 1].is_figure)
    ):
        position += 1
    first, last = position, position
    while position < end:
        token = tokens[position]
        ends = token.word in words.prepositions or token.word in words.bounds or token.word in words.agent
        if ends and token.word not in words.within:
            break
        if token.is_stop:
            if token.word != _COMMA or not _sets_apart(tokens, position, first, words):
                break
        elif token.stems:
            last = position + 1
        position += 1
    return phrase(tokens[first:last])


def _sets_apart(tokens: Sequence[Token], comma: int, first: int, words: GrammarWords) -> bool:
    """Whether an apposition follows a comma: not a preposition, conjunction or relative clause."""
    if comma + 1 >= len(tokens) or comma == first or any(token.word == _COMMA for token in tokens[first:comma]):
        return False
    following = tokens[comma + 1]
    return not following.is_stop and following.word not in words.bounds | words.prepositions and not following.is_figure


def _agent_marker(
    tokens: Sequence[Token], start: int, words: GrammarWords, *, object_behind: frozenset[str]
) -> int | None:
    """Return the place of the «by» of a passive: no object stands between it and the verb, only where and when."""
    in_aside = False
    for index in range(start, min(len(tokens) - 1, start + _PASSIVE_WITHIN)):
        token = tokens[index]
        if token.is_stop or token.word in words.relatives or token.word in words.conjunctions:
            return None
        if token.word in words.agent and not tokens[index + 1].is_figure:
            return index
        in_aside = in_aside or token.word in words.prepositions or token.word in object_behind
        if token.stems and not in_aside and not token.is_adverb:
            return None
    return None


def _marker(tokens: Sequence[Token], start: int, prepositions: frozenset[str]) -> int | None:
    for index in range(start, len(tokens) - 1):
        if tokens[index].word in prepositions:
            return index
        if tokens[index].is_stop:
            return None
    return None


def compared(tokens: Sequence[Token], words: GrammarWords) -> Iterator[Relation]:
    """Yield the comparisons of a sentence: «A is larger than B», «A has fewer rooms than B»."""
    for index in range(1, len(tokens) - 1):
        if tokens[index].word not in words.than or tokens[index + 1].is_figure:
            continue
        at, sense = _compared_by(tokens, index, words)
        if not sense or any(token.word in words.negations for token in tokens[max(0, at - 3) : at]):
            continue
        first, second = _compared_first(tokens, at, words), phrase_after(tokens, index + 1, words)
        if first is not None and second is not None:
            found = Relation(sense, first, second, tokens[at].start, compares=True)
            yield found.inverted if tokens[at].word in words.less else found


def _compared_by(tokens: Sequence[Token], than: int, words: GrammarWords) -> tuple[int, str]:
    """Return where the comparing word stands and what it compares by; nothing where there is none."""
    marks = [at for at in range(max(0, than - 4), than) if tokens[at].word in words.more | words.less]
    if marks:
        return marks[-1], " ".join(stem for token in tokens[marks[-1] + 1 : than] for stem in token.stems)
    at = than - 2 if tokens[than - 1].word in words.within and than > 1 else than - 1
    word = tokens[at]
    by_ending = words.compares_by_ending and word.word.endswith("er")
    if word.stems and (word.word in COMPARATIVES or (by_ending and (not word.is_capital or "als" not in words.than))):
        return at, word.stems[-1]
    return at, ""


def _compared_first(tokens: Sequence[Token], at: int, words: GrammarWords) -> Phrase | None:
    """Return what is compared: the phrase before the copula, else that before the last content word, the verb."""
    verb: int | None = None
    for index in range(at - 1, -1, -1):
        if tokens[index].is_stop:
            return None
        if tokens[index].word in words.copulas:
            return phrase_before(tokens, index, words, None)
        if tokens[index].stems and verb is None:
            verb = index
    return None if verb is None else phrase_before(tokens, verb, words, None)
