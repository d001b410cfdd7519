"""U1 to U4: every token of every kind of tokenizer has an exact range of whole graphemes, for any Unicode text."""

import numpy as np
import pytest
import regex
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from made_tokenizers import KINDS, made_tokenizer

from ragcortex.align import AnswerTokens
from ragcortex.readers.prompts import Prompter, PromptTemplate

PIECES = (
    "The lighthouse ", " ", "  ", "\n", "\r\n", "\n\n", "\t", "世界", "灯台は。", "👩‍👩‍👧‍👦", "🏳️‍🌈", "🇩🇪🇫🇷", "e\u0301",
    "a\u0323\u0302", "שלום ", "مرحبا\u200f", "\u202eabc\u202c", "\x00", "\x07",
    "\u200b", "\ufeff", "ＡＢＣ１", "ﬁﬂ", "…",
    "½", "ẞ", "İ", "ﷺ", "नमस्ते", "क्‍ष", "น้ำ", "한글", "\u1112\u1161\u11ab",
    "\u0301", "𝒳", "㎏", "Å", "<|im_end|>", "</s>",
    "<0x41>", "▁", "Ġ", "\u00a0", "\u2028", "it isn't 5.9 %", "[UNK]", "\u0344", "\U000e0001", "ΐ", "ǆ",
)  # fmt: skip
TEXTS = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=3)), min_size=1, max_size=8).map("".join)
RAW = PromptTemplate("raw")


def assert_exact(tokens: AnswerTokens, text: str) -> None:
    """Check what every stage after the reader relies on, from the definitions."""
    graphemes = [match.span() for match in regex.finditer(r"\X", text)]
    edges = {0, *(end for _, end in graphemes)}
    assert tokens.text == text
    assert {edge for span in tokens.ranges for edge in span} <= edges
    assert "".join(text[start:end] for start, end in dict.fromkeys(tokens.ranges)) == text
    assert list(tokens.ranges) == sorted(tokens.ranges)
    units, index = tokens.units()
    assert [units[position] for position in index] == list(tokens.ranges)


@pytest.mark.parametrize("kind", sorted(KINDS))
@given(text=TEXTS)
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_ranges_are_exact_for_any_text(kind: str, text: str) -> None:
    prompter = Prompter(made_tokenizer(kind), RAW)
    if not prompter.count(text):
        return
    tokens = prompter.answer(text)
    assert_exact(tokens, text)
    assert len(tokens) == prompter.count(text)


@pytest.mark.parametrize("kind", sorted(KINDS))
@pytest.mark.parametrize("piece", PIECES, ids=ascii)
def test_every_listed_piece_between_words(kind: str, piece: str) -> None:
    text = f"Mary{piece}Holt"
    tokens = Prompter(made_tokenizer(kind), RAW).answer(text)
    assert_exact(tokens, text)


@pytest.mark.parametrize("kind", ["llama 3", "qwen 3", "llama 2", "metaspace"])
def test_pieces_of_one_character_share_its_range(kind: str) -> None:
    """U2: bytes that make one character, and characters that make one grapheme, have one range."""
    text = "a👩‍👧b"
    tokens = Prompter(made_tokenizer(kind), RAW).answer(text)
    of_family = [span for span in tokens.ranges if span == (1, 4)]
    assert len(of_family) >= len("👩‍👧".encode()) - 2
    assert tokens.ranges[-1] == (4, 5)


@pytest.mark.parametrize("kind", ["wordpiece", "nfkc unigram"])
def test_offsets_refer_to_the_text_before_normalisation(kind: str) -> None:
    """U3: what the tokenizer lower-cases, widens or takes apart keeps its place in the text as given."""
    text = "ﬁ ＡＢ… Mary"
    tokens = Prompter(made_tokenizer(kind), RAW).answer(text)
    words = [text[start:end] for start, end in dict.fromkeys(tokens.ranges)]
    assert "".join(words) == text
    assert tokens.ranges[-1][1] == len(text)
    assert any(text[start:end].strip().startswith("M") for start, end in tokens.ranges)


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_the_same_string_twice_has_two_places(kind: str) -> None:
    """U4."""
    text = "in 1874 it was, in 1874."
    tokens = Prompter(made_tokenizer(kind), RAW).answer(text)
    starts = np.array([start for start, _ in tokens.ranges])
    assert ((starts >= 2) & (starts < 7)).any()
    assert ((starts >= 18) & (starts < 23)).any()
