"""Vectors remembered by text: embedded once, the ones used last kept, the same from several threads."""

import threading
from collections.abc import Sequence

import numpy as np
import pytest

from ragcortex.errors import InputError, ModelError
from ragcortex.geometry.embedders.cached import RememberingEmbedder
from ragcortex.geometry.embedders.embedder import EmbedderIdentity, Embeddings
from ragcortex.geometry.embedders.pieces import check_texts, normalised


class Counting:
    """Embeds by the characters of a text, and keeps what it was asked."""

    identity = EmbedderIdentity("letters", None, "letters-1", 26, 1000)

    def __init__(self) -> None:
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> Embeddings:
        check_texts(texts)
        self.asked += texts
        if "broken" in texts:
            raise ModelError("broken")
        counts = [[1 + text.count(chr(97 + letter)) for letter in range(26)] for text in texts]
        return normalised(np.array(counts, dtype=np.float32).reshape(len(texts), 26), "letters")


def test_each_text_is_embedded_once_and_order_is_kept() -> None:
    counting, plain = Counting(), Counting()
    remembering = RememberingEmbedder(counting)
    assert remembering.identity is counting.identity
    for texts in (["a", "bb", "a"], ["bb", "ccc", "a"], []):
        made, expected = remembering.embed(texts), plain.embed(texts)
        assert np.array_equal(made.unit, expected.unit)
        assert np.array_equal(made.norms, expected.norms)
    assert counting.asked == ["a", "bb", "ccc"]
    assert len(remembering) == 3


def test_the_texts_not_used_for_longest_are_forgotten() -> None:
    counting = Counting()
    remembering = RememberingEmbedder(counting, max_texts=2)
    for texts in (["a", "b"], ["a"], ["c"], ["a"], ["b"]):
        remembering.embed(texts)
    assert counting.asked == ["a", "b", "c", "b"]
    many = [f"text {letter}" for letter in "abcdefg"]
    assert np.array_equal(remembering.embed(many).unit, Counting().embed(many).unit)
    assert len(remembering) == 2


def test_what_is_given_out_cannot_change_what_is_remembered() -> None:
    remembering = RememberingEmbedder(Counting())
    remembering.embed(["a"]).unit[:] = 0
    remembering.embed(["a", "b"]).unit[:] = 0
    assert np.array_equal(remembering.embed(["a"]).unit, Counting().embed(["a"]).unit)


def test_errors_are_passed_on_and_not_remembered() -> None:
    remembering = RememberingEmbedder(Counting())
    with pytest.raises(ModelError, match="broken"):
        remembering.embed(["a", "broken"])
    assert len(remembering) == 0
    with pytest.raises(InputError) as caught:
        remembering.embed(["a", " "])
    assert str(caught.value) == "texts[1]: must not be blank"
    remembering.embed(["a"])
    for texts, message in (
        (["a", "a", "\n"], "texts[2]: must not be blank"),
        ("a", "texts: must be a list of texts, got str"),
    ):
        with pytest.raises(InputError) as caught:
            remembering.embed(texts)
        assert str(caught.value) == message
    with pytest.raises(InputError) as caught:
        RememberingEmbedder(Counting(), max_texts=0)
    assert str(caught.value) == "max_texts: must be a whole number from 1 on, got 0"


def test_several_threads_get_the_right_vectors() -> None:
    remembering = RememberingEmbedder(Counting(), max_texts=5)
    texts = [letter * 3 for letter in "abcdefghij"]
    expected = Counting().embed(texts).unit
    wrong: list[int] = []

    def work(seed: int) -> None:
        rng = np.random.default_rng(seed)
        for _ in range(50):
            places = rng.integers(0, len(texts), size=4)
            made = remembering.embed([texts[place] for place in places])
            if not np.array_equal(made.unit, expected[places]):
                wrong.append(seed)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert len(remembering) == 5
