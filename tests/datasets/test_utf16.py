"""Offsets in UTF-16 units as offsets in characters, against the encoded text itself."""

from hypothesis import given
from hypothesis import strategies as st

from ragcortex.datasets.utf16 import character_range, characters_before


def slow_characters_before(text, n_units):
    """Decode the first units and count: what does not decode lies inside a character."""
    encoded = text.encode("utf-16-le")
    if not 0 <= 2 * n_units <= len(encoded):
        return None
    try:
        return len(encoded[: 2 * n_units].decode("utf-16-le"))
    except UnicodeDecodeError:
        return None


@given(text=st.text(st.sampled_from("ab é世😀👩‍🚀𝒳"), max_size=12), n_units=st.integers(-2, 30))
def test_against_decoding(text, n_units):
    assert characters_before(text, n_units) == slow_characters_before(text, n_units)


def test_ranges():
    text = "😀 in Rome"  # eight characters after one of two units
    assert character_range(text, 2, 4, "characters") == (2, 4)
    assert character_range(text, 3, 5, "utf16") == (2, 4)
    assert character_range(text, 1, 5, "utf16") is None  # begins inside the first character
    for start, end in ((3, 3), (4, 2), (-1, 2), (0, 10)):
        assert character_range(text, start, end, "characters") is None
