import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcortex.align import paragraphs, sentences, snap_to_graphemes
from ragcortex.errors import InputError
from ragcortex.geometry.chunk_cuts import Width
from ragcortex.geometry.chunking import Chunking, _paragraphs, chunk_text

AWKWARD = "aB1 .,\n\r\u0301世。、\u200d👨\t:\u2029🇩-한हि"
TEXTS = st.one_of(st.text(), st.text(alphabet=st.sampled_from(AWKWARD), max_size=150))
CHUNKINGS = st.builds(
    lambda widest, least, overlap, weight: Chunking(widest, min(least, widest), overlap, weight),
    st.integers(1, 40), st.integers(0, 40), st.integers(0, 3), st.integers(1, 3),
)  # fmt: skip


def texts(text: str, chunking: Chunking | None = None) -> list[str]:
    return [chunk.text for chunk in chunk_text(text, 0, chunking or Chunking())]


@given(TEXTS, CHUNKINGS)
def test_every_character_lies_in_a_chunk_and_chunks_are_what_they_promise(text: str, chunking: Chunking) -> None:
    chunks = chunk_text(text, 5, chunking)
    assert chunks == chunk_text(text, 5, chunking)
    covered = {position for chunk in chunks for position in range(chunk.start, chunk.end)}
    assert not [position for position, mark in enumerate(text) if not mark.isspace() and position not in covered]
    for chunk in chunks:
        assert chunk.reference == 5
        assert text[chunk.start : chunk.end] == chunk.text
        assert chunk.text.strip()
        assert snap_to_graphemes(text, chunk.start, chunk.end) == (chunk.start, chunk.end)
        single = snap_to_graphemes(text, chunk.start, chunk.start + 1) == (chunk.start, chunk.end)
        assert single or Width(chunk.text, chunking.cjk_weight)(0, len(chunk.text)) <= chunking.max_chars
    for before, after in pairwise(chunks):
        assert before.start < after.start
        assert before.end < after.end


@given(TEXTS, st.integers(1, 3))
def test_widths(text: str, weight: int) -> None:
    def plainly(part: str) -> int:
        return sum(weight if mark in "世한" else 1 for mark in part)

    known = "".join(mark for mark in text if mark in AWKWARD)
    width = Width(known, weight)
    for start in range(len(known) + 1):
        assert width(start, len(known)) == plainly(known[start:])


def test_blank_texts_have_no_chunks() -> None:
    assert [chunk_text(text, 0, Chunking()) for text in ("", " \n\t\n ", "\u2029\u3000")] == [(), (), ()]


def test_short_paragraphs_are_chunks_and_headings_stay_with_theirs() -> None:
    text = "Opening hours\n\nIn winter\n\nThe tower is open.\n\nIt closes at five. Ask.\n\nPrices:\n\nfive euros."
    assert texts(text) == [
        "Opening hours\n\nIn winter\n\nThe tower is open.",
        "It closes at five. Ask.",
        "Prices:\n\nfive euros.",
    ]
    assert texts("First.\n\nThe end") == ["First.", "The end"]


def test_a_heading_is_never_alone_before_a_long_sentence() -> None:
    sentence = "The tower, which Mary Holt has built, " * 7 + "is open."
    chunks = texts(f"Opening hours of the tower\n\n{sentence}")
    assert len(sentence) < 300
    assert chunks[0].startswith("Opening hours of the tower\n\nThe tower, which")
    assert chunks[-1].endswith("is open.")


def test_windows_are_whole_sentences_and_overlap_by_one() -> None:
    # Six sentences of 99 characters: three and their two spaces are 299 wide.
    parts = [f"{number} " + "x" * 96 + "." for number in "abcdef"]
    assert texts(" ".join(parts)) == [" ".join(parts[start : start + 3]) for start in (0, 2, 4)]
    assert texts(" ".join(parts), Chunking(overlap=0)) == [" ".join(parts[:3]), " ".join(parts[3:])]


def test_a_short_last_window_takes_in_more_before_it() -> None:
    parts = ["Aaaa " + "x" * 70 + "." for _ in range(4)] + ["Short."]
    # 4 * 76 + 3 > 300: three sentences, then the overlap, the fourth, the last; 160 wide.
    assert texts(" ".join(parts)) == [" ".join(parts[:3]), " ".join(parts[2:])]
    assert texts(" ".join(parts), Chunking(min_chars=200)) == [" ".join(parts[:3]), " ".join(parts[1:])]


def test_chinese_is_half_as_long() -> None:
    sentence = "灯塔建于很久以前的一个冬天并且高四十一米。"
    chunks = texts(sentence * 20)
    assert all(len(chunk) <= 150 for chunk in chunks)
    assert all(chunk.endswith("。") and len(chunk) == 7 * 21 for chunk in chunks[:-1])


def test_lines_of_lists_are_packed_and_wrapped_prose_is_not_divided_at_lines() -> None:
    items = [f"- item number {number} of the list" for number in range(30)]
    chunks = texts("\n".join(items))
    assert all(line in items for chunk in chunks for line in chunk.split("\n"))
    assert all(250 < len(chunk) <= 300 for chunk in chunks[:-1])
    assert 150 <= len(chunks[-1]) <= 300
    prose = (
        "The lighthouse at Cape Arden was built in 1874 by the engineer Mary\n"
        "Holt, whose other works include the bridge over the river Arden and\n"
        "the harbour wall. It stands on a cliff, 41 metres above the sea, and\n"
        "can be seen from far away. The keeper lives in a small white house\n"
        "next to it. Visitors are welcome from May to September, every day\n"
        "except on Mondays, when the lamp is cleaned."
    )
    chunks = texts(prose)
    assert len(chunks) > 1
    assert all(chunk.endswith(".") and not chunk[0].islower() for chunk in chunks)


def test_long_sentences_are_cut_at_clauses_then_words_and_numbers_stay_whole() -> None:
    clauses = "the first clause of them all has some words, " * 10
    chunks = texts(clauses + "and ends.")
    assert all(chunk.endswith(("words,", "ends.")) for chunk in chunks)
    words = "count $ 5.9 million or 1 200 000 of lighthouses " * 20
    for chunk in texts(words):
        assert not chunk.startswith(("5", "9", "million", "200", "000"))
        assert not chunk.endswith(("$", "5.9", "1", "1 200"))
    unbroken = texts("灯塔高41米" * 100)
    assert len(unbroken) > 1
    assert all(not chunk.endswith("4") and not chunk.startswith("1") for chunk in unbroken)


def test_a_single_grapheme_may_be_wider_than_the_limit() -> None:
    family = "👨‍👩‍👧‍👦"
    assert texts(family * 2, Chunking(max_chars=3, min_chars=0)) == [family, family]


def test_paragraphs_found_stretch_by_stretch_are_those_of_the_whole_text() -> None:
    text = "".join(f"Paragraph {number}. It is one.\r\n \r\n" for number in range(6000))
    assert tuple(_paragraphs(text)) == paragraphs(text)


def test_long_texts_take_time_in_proportion() -> None:
    part = "The lighthouse was built in 1874, and it stands 41 metres above the sea. Mary Holt designed it.\n\n"
    for text in (
        part * 2000,
        part.replace("\n", " ") * 2000,
        "word " * 40_000,
        "x" * 200_000,
        "a" + " " * 200_000 + "b",
    ):
        start = time.perf_counter()
        chunks = chunk_text(text, 0, Chunking())
        assert time.perf_counter() - start < 5  # about 0.2 s; a quadratic step would take minutes
        assert chunks[-1].end == len(text.rstrip())


def test_sentences_of_short_paragraphs_are_kept_whole() -> None:
    text = "It was built in 1889. It is not allowed to climb it. Why? Nobody knows."
    assert len(sentences(text)) == 4
    assert texts(text) == [text]


def test_round_trip() -> None:
    chunking = Chunking(400, 100, 2, 3)
    assert chunking.to_dict() == {
        "rules": "paragraphs-sentences-1", "max_chars": 400, "min_chars": 100, "overlap": 2, "cjk_weight": 3,
    }  # fmt: skip
    assert Chunking.from_dict(chunking.to_dict()) == chunking


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"max_char": 5}, "chunking.max_char: is unknown; did you mean max_chars?"),
        (
            {"zzz": 5},
            "chunking.zzz: is unknown; known are rules, max_chars, min_chars, overlap, cjk_weight",
        ),
        ({"overlap": None}, "chunking.overlap: must be a whole number from 0 on, got None"),
        ({"min_chars": 500}, "chunking.min_chars: must be at most max_chars=300, got 500"),
        ({"max_chars": 0}, "chunking.max_chars: must be a whole number from 1 on, got 0"),
        ({"cjk_weight": True}, "chunking.cjk_weight: must be a whole number from 1 on, got True"),
        (
            {"rules": "x"},
            "chunking.rules: must be 'paragraphs-sentences-1', got 'x': chunked by another version; build it anew",
        ),
    ],
)
def test_what_was_saved_is_read_strictly(change: dict[str, object], message: str) -> None:
    with pytest.raises(InputError) as caught:
        Chunking.from_dict({**Chunking().to_dict(), **change})
    assert str(caught.value) == message


def test_missing_fields_and_other_types_are_refused() -> None:
    values = Chunking().to_dict()
    del values["overlap"]
    with pytest.raises(InputError, match=r"^chunking.overlap: is missing$"):
        Chunking.from_dict(values)
    with pytest.raises(InputError, match=r"^chunking: must be an object, got list$"):
        Chunking.from_dict([])  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"^text: has a lone surrogate at character 1, which is not text$"):
        chunk_text("a\ud800", 0, Chunking())
