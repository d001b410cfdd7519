"""From scores to marked stretches: hand-worked examples, a slow reference, and what always holds."""

import numpy as np
import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from ragcortex.align import Range, claim_words, paragraphs, sentences, strip_range
from ragcortex.spans import highest_score, unsupported_ranges, without_spill, word_scores

HIGH, LOW, THRESHOLD = 0.9, 0.1, 0.5


def split(*pieces: str) -> tuple[str, list[Range], np.ndarray]:
    """Return a text, its token ranges and scores, from its tokens; a token that starts with + scores high."""
    text, units, scores = "", [], []
    for piece in pieces:
        bare = piece.removeprefix("+")
        units.append((len(text), len(text) + len(bare)))
        scores.append(HIGH if piece != bare else LOW)
        text += bare
    return text, units, np.array(scores)


def marked(*pieces: str) -> list[str]:
    text, units, scores = split(*pieces)
    return [text[start:end] for start, end in unsupported_ranges(text, units, scores, THRESHOLD)]


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        (("In", " Paris", "."), []),
        (("In", " Paris", "+ [", "+3", "+]", "."), []),
        (("In", " Paris", "+ (", "+Holt", "+,", "+ 2020", "+)", "."), []),
        (("In", "+ Berlin", "+ [", "+3", "+]", "."), ["Berlin [3]"]),
        (("In", "+ Berlin", "."), ["Berlin"]),
        (("In", "+ Ber", "lin", "."), ["Berlin"]),
        (("In", " Ber", "+lin", "."), ["Berlin"]),
        (("+un", "believ", "+able", " tale"), ["unbelievable"]),
        (("Had", "+ 5", ".", "+9", " million"), ["5.9"]),
        (("+Ber", "lin", "+ is", " big"), ["Berlin is"]),
        (("+One", " ", "+two", " three"), ["One two"]),
        (("+One", "+ ", "two"), ["One"]),
        (("One", "+ ", "two"), []),
        (("One", "+,", " two", "+!"), []),
        (("+One", ",", "+ two"), ["One", "two"]),
        (("+One", "+,", "+ two"), ["One, two"]),
        (("A", " good", " one", "+.", "+ Bad", " one", "."), ["Bad"]),
        (("Bad", "+ one", "+.", "+ Bad", " two", "."), ["one. Bad"]),
        (("Bad", "+ one", "+.\n", " Good", "."), ["one."]),
        (("+One", "+.\n\n", "+Two", "."), ["One.", "Two"]),
        (("+One", "+\n\n", "+Two"), ["One", "Two"]),
        (("+One", "\n", "+Two"), ["One\nTwo"]),
        (("高", "+三", "百", "。", "低"), ["三"]),
        (("+高。低", "+い。"), ["高。低い。"]),
        (("a", "+ 👨\u200d👩\u200d👧", " b"), []),
        (("+e\u0301t", "e\u0301"), ["e\u0301te\u0301"]),
        (("+Bad", "+.", "+ !!!", "+ Bad", "."), ["Bad. !!! Bad"]),
    ],
)
def test_examples(pieces: tuple[str, ...], expected: list[str]) -> None:
    assert marked(*pieces) == expected


def test_a_stretch_never_swallows_a_grounded_neighbour() -> None:
    """The last full stop and the space of the sentence before score high; only the wrong sentence is marked."""
    assert marked("All", " true", "+. ", "+All", "+ false", "+. ", "True", " again", ".") == ["All false."]


def test_the_threshold_itself_is_marked() -> None:
    text, units, _ = split("One", " two")
    assert unsupported_ranges(text, units, np.array([0.5, 0.4999]), 0.5) == ((0, 3),)


def test_scores_by_character() -> None:
    text, units, _ = split("Hi", ", ", "you")
    scores = word_scores(text, units, np.array([0.2, 0.9, 0.4]))
    assert scores.tolist() == [0.2, 0.2, -1, -1, 0.4, 0.4, 0.4]
    assert highest_score(scores, 0, 7) == 0.4
    assert highest_score(scores, 2, 4) is None
    assert highest_score(scores, 3, 3) is None


PIECES = st.sampled_from(
    ["a", "the", "Ber", "lin", "5", ".", "9", ",", "! ", ". ", " ", "\n", "\n\n", "。", "高", "é", "e\u0301", "\u0301",
     "👨\u200d👩\u200d👧", "שלום", "-", "'", "(", "\t", "\u2029", "ไทย", "ำ", "\r\n", "Dr. ", "2) "]
)  # fmt: skip
CASES = st.lists(st.tuples(PIECES, st.sampled_from([LOW, LOW, HIGH])), min_size=1, max_size=30)


def case(pieces: list[tuple[str, float]]) -> tuple[str, list[Range], np.ndarray]:
    """Return a case whose tokens are whole graphemes, as `align.token_ranges` makes them."""
    text = "".join(piece for piece, _ in pieces)
    boundaries = {0, *(match.end() for match in regex.finditer(r"\X", text))}
    units, scores, start, end, score = [], [], 0, 0, 0.0
    for piece, own in pieces:
        end, score = end + len(piece), max(score, own)
        if end in boundaries:
            units.append((start, end))
            scores.append(score)
            start, score = end, 0.0
    return text, units, np.array(scores)


def slow(text: str, units: list[Range], scores: np.ndarray, threshold: float) -> list[Range]:
    """Return what `unsupported_ranges` should, from sets of characters, one rule after the other."""
    letters = {index for word in claim_words(text) for index in range(*word)}
    runs: list[list[Range]] = [[]]
    for (start, end), score in zip(units, scores, strict=True):
        if text[start:end].strip():
            runs.append([]) if score < threshold else runs[-1].append((start, end))
    found: list[tuple[int, Range]] = []
    for run in filter(None, runs):
        covered = set(range(run[0][0], run[-1][1]))
        for number, paragraph in enumerate(paragraphs(text)):
            inside = [set(range(*s)) for s in sentences(text) if paragraph[0] <= s[0] < paragraph[1]]
            worded = [sentence for sentence in inside if sentence & covered & letters]
            if not worded:
                continue
            whole = set(range(min(worded[0]), max(worded[-1]) + 1)) & covered
            for sentence in worded:
                for word in claim_words(text):
                    if set(range(*word)) & covered & sentence:
                        whole |= set(range(*word)) & sentence
            stripped = strip_range(text, min(whole), max(whole) + 1)
            assert stripped is not None
            graphemes = [
                m.span() for m in regex.finditer(r"\X", text) if m.start() < stripped[1] > stripped[0] < m.end()
            ]
            found.append((number, (graphemes[0][0], graphemes[-1][1])))
    merged: list[tuple[int, Range]] = []
    for number, (start, end) in found:
        if merged and merged[-1][0] == number and not text[merged[-1][1][1] : start].strip():
            merged[-1] = (number, (merged[-1][1][0], max(end, merged[-1][1][1])))
        else:
            merged.append((number, (start, end)))
    return [place for _, place in merged]


@given(CASES)
def test_equals_the_slow_reference(pieces: list[tuple[str, float]]) -> None:
    text, units, scores = case(pieces)
    assert list(unsupported_ranges(text, units, scores, THRESHOLD)) == slow(text, units, scores, THRESHOLD)


@given(CASES)
def test_invariants(pieces: list[tuple[str, float]]) -> None:
    text, units, scores = case(pieces)
    found = unsupported_ranges(text, units, scores, THRESHOLD)
    boundaries = {0, *(match.end() for match in regex.finditer(r"\X", text))}
    by_character = word_scores(text, units, scores)
    reached = 0
    for start, end in found:
        assert reached <= start < end <= len(text)
        assert {start, end} <= boundaries
        assert claim_words(text[start:end])
        assert highest_score(by_character, start, end) == HIGH
        reached = end
    # Each word that scores high is marked, as far as its token reaches.
    covered = {index for place in found for index in range(*place)}
    assert set(np.flatnonzero(by_character >= THRESHOLD).tolist()) <= covered


def test_a_long_answer_takes_no_time() -> None:
    text, units, scores = split(*["+ Bad", " good", "."] * 20_000)
    found = unsupported_ranges(text, units, scores, THRESHOLD)
    assert len(found) == 20_000
    assert without_spill(text, found) == (found, ())


@pytest.mark.parametrize(
    ("text", "marked_text", "expected"),
    [
        ("Good one here. Bad bad bad bad. If you have it, say so now.", "Bad bad bad bad. If", "Bad bad bad bad."),
        ("So it goes on and on. Bad bad bad.", "on. Bad bad bad.", "Bad bad bad."),
        ("So it goes on and on. Bad bad. If you have it, say so.", "on. Bad bad. If", "Bad bad."),
        # More than a quarter of the neighbour is no spill, nor are words beside a sentence that is itself half right.
        ("Bad bad bad bad. If you say.", "Bad bad bad bad. If you", "Bad bad bad bad. If you"),
        ("Now then all is bad. If you have it, say so now.", "bad. If", "bad. If"),
        ("A very long sentence with many good words at its very end bad.", "bad", "bad"),
    ],
)
def test_the_blur_of_a_wrong_sentence_does_not_mark_its_neighbour(text: str, marked_text: str, expected: str) -> None:
    start = text.index(marked_text)
    (kept,), spilled = without_spill(text, [(start, start + len(marked_text))])
    assert text[slice(*kept)] == expected
    cut = "".join(text[slice(*place)] for place in spilled)
    assert sorted((expected + cut).replace(" ", "")) == sorted(marked_text.replace(" ", ""))


@given(CASES)
def test_cutting_spill_keeps_every_range_and_its_order(pieces: list[tuple[str, float]]) -> None:
    text, units, scores = case(pieces)
    ranges = unsupported_ranges(text, units, scores, THRESHOLD)
    kept, spilled = without_spill(text, ranges)
    assert len(kept) == len(ranges)
    for (low, high), (start, end) in zip(ranges, kept, strict=True):
        assert low <= start < end <= high
        assert claim_words(text[start:end])
    for start, end in spilled:
        assert any(low <= start < end <= high for low, high in ranges)
