"""Which sentences of a text that is still being written have ended."""

import regex

from ragcortex.align import Range, sentences, words

_LINE_BREAK = regex.compile(r"\s*[\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029]")


def finished_sentences(text: str, since: int = 0, *, ended: bool = False) -> tuple[Range, ...]:
    """Return the sentences after a place that more text will hardly prolong, without white space at their edges.

    A sentence has ended where a line break follows, or another sentence whose first word is there as a whole. Rules of
    sentences look at what is around them (quotes, abbreviations), so that a later look at the whole text may divide it
    otherwise; whoever takes each sentence once goes on from the end of the last one.

    >>> text = "It is old. Is it? It was bu"
    >>> [text[start:end] for start, end in finished_sentences(text)]
    ['It is old.', 'Is it?']

    Args:
        text: what there is.
        since: where to begin to look.
        ended: whether no more text will come, so that all sentences have ended.
    """
    rest = text[since:]
    found = []
    for start, end in sentences(rest):
        if not (ended or _has_ended(rest, end)):
            break
        found.append((since + start, since + end))
    return tuple(found)


def _has_ended(text: str, end: int) -> bool:
    after = text[end:]
    if _LINE_BREAK.match(after):
        return True
    following = words(after)
    return bool(following) and following[0][1] < len(after)
