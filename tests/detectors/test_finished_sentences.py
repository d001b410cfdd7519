"""Sentences of a text that is still being written: each is found once, when it has ended, and none is lost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcortex.align import sentences
from ragcortex.detectors.finished_sentences import finished_sentences

PIECES = (
    "It is old. ", "Is it? ", "Dr. Holt came", " at 5.30 p.m. ", "“Yes.” ", "(See [3].) ", "1. ", "- ", "\n", "\r\n",
    "\n\n", "灯台は古い。", "「はい。」", "世界", "שלום עולם. ", "مرحبا؟ ", "यह पुराना है। ", "e\u0301. ", "👩‍👧! ",
    "am 31. März ", "U.S. ", "...", "!", " ", "word ",
)  # fmt: skip
TEXTS = st.lists(st.sampled_from(PIECES), min_size=1, max_size=12).map("".join)


@pytest.mark.parametrize(
    ("text", "ended"),
    [
        ("", []),
        ("   ", []),
        ("It is old", []),
        ("It is old.", []),
        ("It is old. ", []),
        ("It is old. I", []),
        ("It is old. It ", ["It is old."]),
        ("It is old.\n", ["It is old."]),
        ("It is old\n", ["It is old"]),
        ("It is old.\r", ["It is old."]),
        ("It is old. 5.3 metres. It i", ["It is old.", "5.3 metres."]),
        ("Dr. Holt came. She ", ["Dr. Holt came."]),
        ("灯台は古い。", []),
        ("灯台は古い。海", []),
        ("灯台は古い。海の", ["灯台は古い。"]),
        ("灯台は古い。」", []),
        ("A title\n\nIt is old. And", ["A title"]),
    ],
)
def test_a_sentence_has_ended_where_another_begins(text: str, ended: list[str]) -> None:
    assert [text[start:end] for start, end in finished_sentences(text)] == ended


def test_all_sentences_have_ended_when_the_text_has() -> None:
    text = "It is old. Is it"
    assert finished_sentences(text, ended=True) == sentences(text)
    assert finished_sentences(text, 10, ended=True) == ((11, 16),)
    assert finished_sentences(text, 16, ended=True) == ()


@given(text=TEXTS, data=st.data())
def test_each_sentence_comes_once_and_nothing_is_lost(text: str, data: st.DataObject) -> None:
    cuts = data.draw(st.lists(st.integers(0, len(text)), max_size=8).map(sorted))
    reached = 0
    found = []
    for cut in [*cuts, len(text)]:
        new = finished_sentences(text[:cut], reached)
        found += new
        reached = new[-1][1] if new else reached
    found += finished_sentences(text, reached, ended=True)
    before = 0
    for start, end in found:
        assert before <= start < end
        assert not text[before:start].strip(), "only white space lies between two sentences"
        assert text[start:end].strip()
        before = end
    assert not text[before:].strip()
