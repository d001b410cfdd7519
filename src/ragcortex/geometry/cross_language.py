"""Whether an embedding model puts the same sentence in two languages at the same place, tried on parallel sentences.

An answer is compared across languages only where this holds; elsewhere a low similarity says nothing about the answer.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

import numpy as np
import numpy.typing as npt

from ragcortex.checks import check_text
from ragcortex.errors import InputError
from ragcortex.geometry.embedders.embedder import Embedder, EmbedderIdentity, dtype_of

COVERED_FROM: Final = 0.75
# A model that calls all sentences alike passes the threshold without understanding either language. So translations
# must also be closer than other sentences: by a margin on the mean, and one by one. A multilingual model that places
# everything in a narrow cone (multilingual-e5-small) was seen to keep 0.07 to 0.13 on these sentences, with every
# translation the nearest; models that spread meanings over the sphere keep far more.
MARGIN: Final = 0.05
NEAREST_FROM: Final = 0.9
_FILE: Final = "parallel_sentences.json"
_NAMES: Final = {
    "en": "English", "de": "German", "fr": "French", "es": "Spanish", "it": "Italian", "pt": "Portuguese",
    "zh": "Chinese", "ja": "Japanese",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class PairFitness:
    """How well one embedding model brings two languages together.

    Attributes:
        first, second: the languages as lower-case codes without region («pt» for «pt-BR»).
        n_pairs: how many parallel sentences were compared; 0 where the languages are the same or not in the set.
        mean: mean cosine of each sentence with its translation; None without pairs.
        mean_unrelated: mean cosine of each sentence with the translations of all others; None without pairs.
        minimum: the lowest cosine of a sentence with its translation; None without pairs.
        share_above: share of the pairs whose cosine reaches the threshold, in [0, 1]; None without pairs.
        share_nearest: share of the sentences, tried in both directions, that are nearer to their translation than to
            any other sentence of that language, in [0, 1]; None without pairs.
        threshold: the least mean that counts as covered.
        margin: by how much the mean must exceed `mean_unrelated`.
        nearest_from: the least `share_nearest` that counts as covered.
        covered: whether similarities between the two languages may be used.
        sentence: the outcome with its figures, and what to do about it, for a person.
    """

    first: str
    second: str
    n_pairs: int
    mean: float | None
    mean_unrelated: float | None
    minimum: float | None
    share_above: float | None
    share_nearest: float | None
    covered: bool
    sentence: str
    threshold: float = COVERED_FROM
    margin: float = MARGIN
    nearest_from: float = NEAREST_FROM

    def __post_init__(self) -> None:
        for name in ("first", "second", "sentence"):
            check_text(name, getattr(self, name), filled=True)
        for name in ("mean", "mean_unrelated", "minimum", "share_above", "share_nearest"):
            if (getattr(self, name) is None) != (self.n_pairs == 0):
                raise InputError(name, f"must be given exactly where pairs were compared, got n_pairs={self.n_pairs}")


def languages() -> tuple[str, ...]:
    """Return the codes of the languages the parallel set has."""
    return tuple(_NAMES)


def language_pair_fitness(embedder: Embedder, first: str, second: str) -> PairFitness:
    """Return whether the embedder may compare texts of two languages.

    A pair is covered if parallel sentences have a mean cosine of at least COVERED_FROM, that is at least MARGIN more
    than the mean of sentences that say different things, and if for at least NEAREST_FROM of the sentences nothing is
    nearer than the translation. Texts of one language are covered without a trial, which says nothing about how well
    the model knows that language. The order of the languages makes no difference to the figures. Vectors are kept for
    as long as the process lives, by the embedder's identity and precision.

    Args:
        embedder: the model to try.
        first: a language code such as `de` or `pt-BR`; the region is ignored.
        second: the other one.

    Raises:
        InputError: a language is not a string, or blank.
        ReadingError, ModelError: the embedder fails.
    """
    codes = _code("first", first), _code("second", second)
    if codes[0] == codes[1]:
        return _untried(codes, covered=True, sentence=f"Both texts are in {_name(codes[0])}: no languages to bridge.")
    missing = [code for code in codes if code not in _NAMES]
    if missing:
        return _untried(
            codes,
            covered=False,
            sentence=f"{_pair(codes)}: not covered, because there are no parallel sentences in {' and '.join(missing)} "
            f"to try the embedder on (there are for {', '.join(_NAMES)}); "
            "translate the answer into the language of its references",
        )
    # In one order, so that swapping the languages cannot change the last digit.
    one, other = (_vectors(embedder, code) for code in sorted(codes))
    return _judged(codes, one @ other.T, embedder.identity)


def _judged(codes: tuple[str, str], cosines: npt.NDArray[np.float64], identity: EmbedderIdentity) -> PairFitness:
    n = len(cosines)
    own = np.diagonal(cosines)
    others = np.where(np.eye(n, dtype=bool), -np.inf, cosines)
    mean = float(own.mean())
    unrelated = float((cosines.sum() - own.sum()) / (n * (n - 1)))
    nearest = float(np.mean([own > others.max(axis=0), own > others.max(axis=1)]))
    figures = (
        f"{n} parallel sentences have a mean cosine of {_shown(mean, COVERED_FROM)} with the embedder {identity.id!r}, "
        f"different sentences {round(unrelated, 2) + 0.0:.2f}"  # no -0.00
    )
    fault = _fault(mean, unrelated, nearest)
    if fault is None:
        sentence = f"{_pair(codes)}: covered; {figures}."
    else:
        sentence = f"{_pair(codes)}: not covered; {figures}, and {fault}; use a multilingual embedder"
    return PairFitness(
        first=codes[0],
        second=codes[1],
        n_pairs=n,
        mean=mean,
        mean_unrelated=unrelated,
        minimum=float(own.min()),
        share_above=float((own >= COVERED_FROM).mean()),
        share_nearest=nearest,
        covered=fault is None,
        sentence=sentence,
    )


def _fault(mean: float, unrelated: float, nearest: float) -> str | None:
    if mean < COVERED_FROM:
        return f"the mean must be at least {COVERED_FROM}"
    if mean - unrelated < MARGIN:
        return f"the difference must be at least {MARGIN}, it is {_shown(mean - unrelated, MARGIN)}"
    if nearest < NEAREST_FROM:
        return f"{NEAREST_FROM:.0%} of the translations must be the nearest sentence, {nearest:.0%} are"
    return None


def _untried(codes: tuple[str, str], *, covered: bool, sentence: str) -> PairFitness:
    return PairFitness(*codes, 0, None, None, None, None, None, covered, sentence)


def parallel_sentences() -> dict[str, tuple[str, ...]]:
    """Return the parallel sentences by language; the same index is the same sentence."""
    return dict(_sentences())


@cache
def _sentences() -> Mapping[str, tuple[str, ...]]:
    rows = json.loads((files("ragcortex.geometry") / _FILE).read_text(encoding="utf-8"))["sentences"]
    return {code: tuple(row[code] for row in rows) for code in _NAMES}


_cached_vectors: Final[dict[tuple[EmbedderIdentity, str, str], npt.NDArray[np.float64]]] = {}


def _vectors(embedder: Embedder, code: str) -> npt.NDArray[np.float64]:
    """Return the unit vectors of one language's sentences, shape (n, dimension); computed once for each embedder."""
    key = embedder.identity, dtype_of(embedder), code
    if key not in _cached_vectors:
        _cached_vectors[key] = embedder.embed(_sentences()[code]).unit.astype(np.float64)
    return _cached_vectors[key]


def _code(field: str, language: str) -> str:
    check_text(field, language, filled=True)
    return language.strip().lower().replace("_", "-").split("-")[0]


def _name(code: str) -> str:
    return _NAMES.get(code, code)


def _pair(codes: tuple[str, str]) -> str:
    return f"{_name(codes[0])} and {_name(codes[1])}"


def _shown(value: float, limit: float) -> str:
    """Return the value with two decimals, or as many as it takes to see on which side of the limit it is."""
    for decimals in range(2, 6):
        shown = f"{round(value, decimals) + 0.0:.{decimals}f}"  # no -0.00
        if (value < limit) == (float(shown) < limit):
            return shown
    return f"{value:.6f}"
