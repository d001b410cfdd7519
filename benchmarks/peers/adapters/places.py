"""Where a peer's pieces of text lie in the answer, where it returns text without offsets. Standard library only."""

import itertools
import re
import unicodedata


def consecutive(answer, pieces):
    """Return the `(start, end)` of each piece, found one after the other in the answer.

    Peers return their sentences with whitespace collapsed, and some in Unicode's NFKC form: characters are compared
    after NFKC, whitespace is passed over, and the offsets are those of the answer as given.

    Raises:
        LookupError: a piece is not there, which would put it and all that follow in the wrong place.
    """
    letters, places = _letters(answer)
    found, reached = [], 0
    for piece in pieces:
        wanted = _letters(piece)[0]
        at = letters.find(wanted, reached) if wanted else -1
        if at < 0:
            raise LookupError(
                f"the peer's sentence {piece!r} is not in the answer after character {_place(places, reached)}"
            )
        reached = at + len(wanted)
        found.append((places[at][0], places[reached - 1][1]))
    return found


def occurrences(answer, piece):
    """Return the `(start, end)` of each place where the piece stands, not inside a longer word or number."""
    before = r"(?<![\w])" if re.match(r"\w", piece) else ""
    after = r"(?![\w])" if re.search(r"\w$", piece) else ""
    return [match.span() for match in re.finditer(before + re.escape(piece) + after, answer)]


def flat(spans):
    """Return the stretches that `(start, end, score)` spans cut the answer into, in order, each with its highest score.

    The result does not overlap, so that tokens sharing a character, or a figure inside a quotation, count once.
    """
    cuts = sorted({cut for start, end, _ in spans if start < end for cut in (start, end)})
    pieces = []
    for start, end in itertools.pairwise(cuts):
        scores = [score for first, last, score in spans if first <= start and end <= last]
        if scores:
            pieces.append((start, end, max(scores)))
    return pieces


def _letters(text):
    """Return the text in NFKC without whitespace, and for each character the range in the text it came from."""
    letters, places = [], []
    start = 0
    while start < len(text):
        end = start + 1
        # Marks, and jamo that compose with what stands before them, are normalised together with it.
        while end < len(text) and _joins(text[start:end], text[end]):
            end += 1
        for letter in unicodedata.normalize("NFKC", text[start:end]):
            if not letter.isspace():
                letters.append(letter)
                places.append((start, end))
        start = end
    return "".join(letters), places


def _joins(before, after):
    following = unicodedata.normalize("NFKC", after)
    apart = unicodedata.normalize("NFKC", before) + following
    # Halfwidth sound marks only become marks; a later mark passes over them to the letter before.
    return bool(unicodedata.combining(following[0])) or unicodedata.normalize("NFKC", before + after) != apart


def _place(places, index):
    return places[index][0] if index < len(places) else (places[-1][1] if places else 0)
