"""Whether languages are brought together: the figures against plain loops, and each outcome's whole sentence."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from ragcortex.errors import InputError
from ragcortex.geometry.cross_language import (
    MARGIN,
    PairFitness,
    language_pair_fitness,
    languages,
    parallel_sentences,
)
from ragcortex.geometry.embedders.embedder import EmbedderIdentity, Embeddings
from ragcortex.geometry.embedders.load import load_embedder

SENTENCES = parallel_sentences()
PLACE = {text: (code, index) for code, texts in SENTENCES.items() for index, text in enumerate(texts)}
Place = Callable[[str, int], np.ndarray]


class MadeEmbedder:
    """Puts the parallel sentences where a function of language and index says, and counts the texts it is given."""

    def __init__(self, name: str, place: Place) -> None:
        self._place = place
        self.identity = EmbedderIdentity(name, None, f"fingerprint of {name}", len(place("en", 0)), 256)
        self.n_texts = 0

    def embed(self, texts: Sequence[str]) -> Embeddings:
        self.n_texts += len(texts)
        raw = np.stack([self._place(*PLACE[text]) for text in texts]).astype(np.float32)
        norms = np.linalg.norm(raw, axis=1).astype(np.float32)
        return Embeddings(raw / norms[:, None], norms)


def noise(code: str, index: int, size: int = 64) -> np.ndarray:
    return np.random.default_rng([list(SENTENCES).index(code), index]).normal(size=size)


def by_meaning(code: str, index: int) -> np.ndarray:
    """One direction a sentence, whatever its language, and a little of its own."""
    return np.eye(64)[index] * 4 + noise(code, index) * 0.2


def by_language(code: str, index: int) -> np.ndarray:
    """One direction a language, whatever it says."""
    return np.eye(64)[list(SENTENCES).index(code)] * 4 + noise(code, index) * 0.2


def all_alike(code: str, index: int) -> np.ndarray:
    """One direction for everything."""
    return np.ones(64) + noise(code, index) * 0.1


def test_figures_are_those_of_a_plain_loop() -> None:
    embedder = MadeEmbedder("loop", by_meaning)
    own, other, nearest = [], [], []
    cosines = {}
    for i in range(24):
        for j in range(24):
            first, second = by_meaning("de", i), by_meaning("ja", j)
            cosines[i, j] = float(first @ second / np.linalg.norm(first) / np.linalg.norm(second))
            (own if i == j else other).append(cosines[i, j])
    for i in range(24):
        nearest.append(all(cosines[i, i] > cosines[i, j] for j in range(24) if j != i))
        nearest.append(all(cosines[i, i] > cosines[j, i] for j in range(24) if j != i))
    fitness = language_pair_fitness(embedder, "de", "ja")
    assert fitness.n_pairs == 24
    assert fitness.mean == pytest.approx(np.mean(own), abs=1e-6)
    assert fitness.mean_unrelated == pytest.approx(np.mean(other), abs=1e-6)
    assert fitness.minimum == pytest.approx(min(own), abs=1e-6)
    assert fitness.share_above == pytest.approx(np.mean([cosine >= 0.75 for cosine in own]))
    assert fitness.share_nearest == pytest.approx(np.mean(nearest))
    assert fitness.covered


def test_covered() -> None:
    fitness = language_pair_fitness(MadeEmbedder("good", by_meaning), "de", "en")
    assert fitness.sentence == (
        "German and English: covered; 24 parallel sentences have a mean cosine of 0.86 with the embedder 'good', "
        "different sentences -0.01."
    )


def test_languages_apart_are_refused() -> None:
    fitness = language_pair_fitness(MadeEmbedder("monolingual", by_language), "en", "ja")
    assert not fitness.covered
    assert fitness.share_above == 0
    assert fitness.sentence == (
        "English and Japanese: not covered; 24 parallel sentences have a mean cosine of 0.03 with the embedder "
        "'monolingual', different sentences 0.02, and the mean must be at least 0.75; use a multilingual embedder"
    )


def test_a_model_that_calls_everything_alike_is_refused() -> None:
    fitness = language_pair_fitness(MadeEmbedder("narrow", all_alike), "fr", "zh")
    assert fitness.mean is not None
    assert fitness.mean > 0.95
    assert fitness.share_above == 1
    assert not fitness.covered
    assert fitness.sentence == (
        "French and Chinese: not covered; 24 parallel sentences have a mean cosine of 0.99 with the embedder 'narrow', "
        "different sentences 0.99, and the difference must be at least 0.05, it is 0.00; use a multilingual embedder"
    )


@pytest.mark.parametrize(("step", "covered"), [(0.001, True), (-0.001, False)])
def test_the_limit_is_on_the_mean(step: float, covered: bool) -> None:
    cosine = 0.75 + step
    turned = np.sqrt(1 - cosine**2)

    def placed(code: str, index: int) -> np.ndarray:
        own = np.eye(64)[index]
        return own if code == "en" else cosine * own + turned * np.eye(64)[index + 30]

    fitness = language_pair_fitness(MadeEmbedder(f"limit {step}", placed), "en", "it")
    assert fitness.mean == pytest.approx(cosine, abs=1e-6)
    assert fitness.covered is covered
    # A mean that rounds to the limit is shown with the digits that tell it from the limit.
    assert ("0.749 " in fitness.sentence) is not covered


@pytest.mark.parametrize(("step", "covered"), [(0.001, True), (-0.001, False)])
def test_the_margin_is_on_the_difference(step: float, covered: bool) -> None:
    shared = np.sqrt(1 - MARGIN - step)

    def placed(code: str, index: int) -> np.ndarray:
        return shared * np.eye(64)[63] + np.sqrt(1 - shared**2) * np.eye(64)[index]

    assert language_pair_fitness(MadeEmbedder(f"margin {step}", placed), "en", "pt").covered is covered


@pytest.mark.parametrize(("n_swapped", "share", "covered"), [(2, "92%", True), (4, "83%", False)])
def test_translations_must_be_the_nearest_one_by_one(n_swapped: int, share: str, covered: bool) -> None:
    def placed(code: str, index: int) -> np.ndarray:
        # In one language some sentences of a close pair have their places exchanged.
        own = index if code == "en" or index >= n_swapped else index ^ 1
        close = np.eye(64)[40 + index // 2] * 3
        return close + np.eye(64)[own]

    fitness = language_pair_fitness(MadeEmbedder(f"swapped {n_swapped}", placed), "en", "es")
    assert fitness.covered is covered
    assert f"{fitness.share_nearest:.0%}" == share
    if not covered:
        assert fitness.sentence == (
            "English and Spanish: not covered; 24 parallel sentences have a mean cosine of 0.98 with the embedder "
            "'swapped 4', different sentences 0.04, and 90% of the translations must be the nearest sentence, 83% are; "
            "use a multilingual embedder"
        )


@pytest.mark.weights
def test_the_embedded_model_knows_english_only() -> None:
    embedder = load_embedder("embedded")
    for code in languages()[1:]:
        fitness = language_pair_fitness(embedder, "en", code)
        assert not fitness.covered
        assert fitness.mean is not None
        # It knows some words that languages share, so translations are a little nearer than other sentences.
        assert 0.05 < fitness.mean < 0.4
    assert "with the embedder 'embedded'" in fitness.sentence


@pytest.mark.parametrize("code", [*languages(), "ko", "EN"])
def test_one_language_needs_no_trial(code: str) -> None:
    embedder = MadeEmbedder("unused", by_language)
    fitness = language_pair_fitness(embedder, code, code)
    assert fitness.covered
    assert embedder.n_texts == 0
    assert fitness.n_pairs == 0
    assert (
        fitness.mean
        is fitness.mean_unrelated
        is fitness.minimum
        is fitness.share_above
        is fitness.share_nearest
        is None
    )


def test_one_language_says_so() -> None:
    fitness = language_pair_fitness(MadeEmbedder("unused", by_language), "pt-BR", "pt_PT")
    assert fitness.sentence == "Both texts are in Portuguese: no languages to bridge."


@pytest.mark.parametrize(
    ("first", "second", "missing"), [("en", "ko", "ko"), ("ar", "de", "ar"), ("ar", "ko", "ar and ko")]
)
def test_a_language_without_sentences_is_not_covered(first: str, second: str, missing: str) -> None:
    embedder = MadeEmbedder("unused", by_meaning)
    fitness = language_pair_fitness(embedder, first, second)
    names = {"en": "English", "de": "German"}
    assert not fitness.covered
    assert embedder.n_texts == 0
    assert fitness.sentence == (
        f"{names.get(first, first)} and {names.get(second, second)}: not covered, because there are no parallel "
        f"sentences in {missing} to try the embedder on (there are for en, de, fr, es, it, pt, zh, ja); translate the "
        "answer into the language of its references"
    )


def test_each_language_is_embedded_once() -> None:
    embedder = MadeEmbedder("counted", by_meaning)
    for pair in (("en", "de"), ("de", "en"), ("en-GB", "DE"), ("en", "fr"), ("fr", "de")):
        language_pair_fitness(embedder, *pair)
    assert embedder.n_texts == 3 * 24


@given(st.sampled_from(languages()), st.sampled_from(languages()))
def test_order_makes_no_difference_to_the_figures(first: str, second: str) -> None:
    embedder = MadeEmbedder("swapped", by_meaning)
    one, other = language_pair_fitness(embedder, first, second), language_pair_fitness(embedder, second, first)
    assert (one.first, one.second) == (other.second, other.first) == (first, second)
    for name in ("mean", "mean_unrelated", "minimum", "share_above", "share_nearest", "covered", "n_pairs"):
        assert getattr(one, name) == getattr(other, name)


@pytest.mark.parametrize(("value", "message"), [("", "must not be blank"), (None, "must be a string, got NoneType")])
def test_what_is_no_language(value: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        language_pair_fitness(MadeEmbedder("unused", by_meaning), "en", value)
    assert str(caught.value) == f"second: {message}"


def test_figures_without_pairs_are_refused() -> None:
    with pytest.raises(InputError) as caught:
        PairFitness("en", "de", 0, 0.9, None, None, None, None, True, "covered")
    assert str(caught.value) == "mean: must be given exactly where pairs were compared, got n_pairs=0"


def test_the_sentences_are_complete_and_in_their_language() -> None:
    assert tuple(SENTENCES) == languages() == ("en", "de", "fr", "es", "it", "pt", "zh", "ja")
    for code, texts in SENTENCES.items():
        assert len(texts) == len(set(texts)) == 24
        for text in texts:
            assert text == text.strip()
            assert text[-1] in ".。"
            assert (regex.search(r"\p{Han}", text) is not None) == (code in ("zh", "ja"))
            assert (regex.search(r"[\p{Hiragana}\p{Katakana}]", text) is not None) == (code == "ja")
    assert len(PLACE) == 8 * 24
