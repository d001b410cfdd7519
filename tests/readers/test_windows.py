"""Long references in windows and long answers in pieces: nothing is cut, nothing is too long."""

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_tokenizers import made_tokenizer

from ragcortex.errors import InputError
from ragcortex.readers.prompts import PiecePlan, Prefix, Prompter, PromptTemplate, answer_pieces

CHAT = PromptTemplate("chat")
RAW = PromptTemplate("raw")
LOSSLESS = ("llama 3", "qwen 3", "llama 2")
QUESTION = "Where is it?"
REFERENCES = ("The lighthouse was built in 1874.", "Mary Holt lived in Arden.")


def decoded(kind: str, ids: tuple[int, ...]) -> str:
    return str(made_tokenizer(kind).decode(ids, clean_up_tokenization_spaces=False))


def _numbered(pattern: str, n: int) -> str:
    """Return a text in which every stretch of some length occurs once, so that places can be found again."""
    return "".join(pattern.format(index) for index in range(n))


@pytest.mark.parametrize("kind", LOSSLESS)
@pytest.mark.parametrize(
    "references",
    [
        (_numbered("It was built in {} by Mary Holt. ", 200),),
        (_numbered("x{}x", 700),),
        (_numbered("灯台は{}海の上に立っている。👩‍👩‍👧", 80),),
        tuple(f"Passage {index} says that {index * 37} people came." for index in range(50)),
        ("short", _numbered("It stands {} metres above the sea. ", 60), "Short", " \n leading and trailing \n "),
        (_numbered("no sentence end {} ", 300), "end."),
        (_numbered("{}\n", 500), _numbered("{}\r\n\r\n", 100)),
    ],
    ids=["sentences", "one word", "cjk and emoji", "fifty passages", "mixed", "no sentence end", "lines"],
)
def test_windows_hold_every_character_in_order(kind: str, references: tuple[str, ...]) -> None:
    """L3: ten times the window, a passage longer than it, fifty passages: nothing is cut, no window is too long."""
    prompter, limit = Prompter(made_tokenizer(kind), CHAT), 256
    windows = prompter.windows(QUESTION, references, limit)
    assert len(windows) > 1
    assert max(len(window.ids) for window in windows) <= limit
    _assert_covered(kind, windows, references)


def _assert_covered(kind: str, windows: list[Prefix], references: tuple[str, ...]) -> None:
    """Check that the windows, read one after the other, hold every character of every reference in order."""
    reached = 0
    joined = unicodedata.normalize("NFD", "\n\n".join(references))
    for window in windows:
        text = unicodedata.normalize("NFD", decoded(kind, window.ids[slice(*window.references)]).strip())
        assert joined.count(text) == 1, f"a window's text is not in the references: {text[:60]!r}"
        between = joined[reached : joined.index(text)]
        assert not between.strip(), f"characters lost between windows: {between[:60]!r}"
        reached = max(reached, joined.index(text) + len(text))
    assert not joined[reached:].strip()


@given(
    sizes=st.lists(st.integers(1, 120), min_size=1, max_size=5),
    limit=st.integers(120, 400),
    pattern=st.sampled_from(
        [
            "It was {} built. ",
            "灯台{}。",
            "a{}b",
            "👩‍👧{} ",
            "e\u0301{}",
            "{}\n",
            "{}, ",
            "{}\u00a0",
            "    {}",
            "{}\x00",
        ]
    ),
)
@settings(max_examples=60, deadline=None)
def test_windows_of_any_sizes(sizes: list[int], limit: int, pattern: str) -> None:
    references = tuple(
        f"({index}" + _numbered(pattern.replace("{}", f"{{}}.{index}"), size) + ")" for index, size in enumerate(sizes)
    )
    for kind in ("qwen 3", "llama 2"):
        windows = Prompter(made_tokenizer(kind), RAW).windows(QUESTION, references, limit)
        assert max(len(window.ids) for window in windows) <= limit
        _assert_covered(kind, windows, references)


def test_references_that_fit_are_one_window() -> None:
    prompter = Prompter(made_tokenizer("qwen 3"), RAW)
    whole = prompter.prefix(QUESTION, REFERENCES)
    assert prompter.windows(QUESTION, REFERENCES, len(whole.ids)) == [whole]


def test_passages_that_fit_stay_whole() -> None:
    prompter = Prompter(made_tokenizer("qwen 3"), RAW)
    references = tuple(f"Passage {index} says that {index * 37} people came." for index in range(50))
    windows = prompter.windows(QUESTION, references, 200)
    found = [
        piece for window in windows for piece in decoded("qwen 3", window.ids[slice(*window.references)]).split("\n\n")
    ]
    assert [piece.strip() for piece in found if piece.strip()] == list(references)


def test_a_long_passage_is_cut_at_sentence_ends() -> None:
    prompter = Prompter(made_tokenizer("qwen 3"), RAW)
    windows = prompter.windows(QUESTION, ("It was built in 1874. " * 100,), 160)
    for window in windows[:-1]:
        assert decoded("qwen 3", window.ids[slice(*window.references)]).strip().endswith("1874.")


def test_a_question_that_leaves_no_room_is_refused() -> None:
    prompter = Prompter(made_tokenizer("qwen 3"), RAW)
    n_tokens = len(prompter.prefix("word " * 200, ["."]).ids)
    with pytest.raises(InputError) as caught:
        prompter.windows("word " * 200, REFERENCES, 256)
    assert str(caught.value) == (
        f"question: takes {n_tokens} tokens, which leaves no room for references in the reader's 256"
    )


@pytest.mark.parametrize(("n_tokens", "limit"), [(10, 6), (6, 6), (1, 128), (129, 128), (1000, 128), (5000, 1024)])
def test_answer_pieces_cover_each_token_once(n_tokens: int, limit: int) -> None:
    pieces = answer_pieces(n_tokens, limit)
    decided = [token for piece in pieces for token in range(piece.keep, piece.stop)]
    assert decided == list(range(n_tokens))


@given(n_tokens=st.integers(1, 5000), limit=st.integers(1, 1500))
def test_answer_pieces_for_any_sizes(n_tokens: int, limit: int) -> None:
    """Each token is decided once, by a piece within the limit, with context before it wherever there is any."""
    pieces = answer_pieces(n_tokens, limit)
    assert [token for piece in pieces for token in range(piece.keep, piece.stop)] == list(range(n_tokens))
    assert all(0 <= piece.start <= piece.keep < piece.stop <= n_tokens for piece in pieces)
    assert max(piece.stop - piece.start for piece in pieces) <= limit
    assert all(piece.keep - piece.start == min(128, limit // 4) for piece in pieces[1:])
    assert pieces[0] == PiecePlan(0, min(n_tokens, limit), 0)
