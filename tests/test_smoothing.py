"""Smoothing against brute force and against plain loops, and its symmetries."""

import itertools
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragcortex.errors import BundleError, InputError, ReadingError, TrainingError
from ragcortex.label_chain import SCORE_MARGIN
from ragcortex.smoothing import (
    METHODS,
    P_STAY_CANDIDATES,
    WINDOW_CANDIDATES,
    Smoothing,
    answer_score,
    candidates,
    choose_answer_smoothing,
    choose_smoothing,
)

scores_of = st.lists(st.floats(0, 1), min_size=1, max_size=10)
p_stays = st.floats(0.01, 0.999)


def brute_force(scores: list[float], p_stay: float) -> np.ndarray:
    """P(z_i = 1 | scores) by adding up the weight of every labelling."""
    clipped = np.clip(scores, SCORE_MARGIN, 1 - SCORE_MARGIN)
    total, marked = 0.0, np.zeros(len(scores))
    for labelling in itertools.product((0, 1), repeat=len(scores)):
        weight = 0.5
        for score, label in zip(clipped, labelling, strict=True):
            weight *= score if label else 1 - score
        for left, right in itertools.pairwise(labelling):
            weight *= p_stay if left == right else 1 - p_stay
        total += weight
        marked += weight * np.array(labelling)
    return marked / total


@settings(max_examples=60, deadline=None)
@given(scores=scores_of, p_stay=p_stays)
def test_persistence_equals_brute_force(scores, p_stay):
    np.testing.assert_allclose(
        Smoothing.persistence(p_stay).apply(scores), brute_force(scores, p_stay), rtol=0, atol=1e-12
    )


@pytest.mark.parametrize("p_stay", [0.5, 0.93, 0.993, 0.999])
def test_persistence_equals_brute_force_for_twelve_tokens(p_stay):
    scores = np.random.default_rng(12).random(12)
    scores[3], scores[7] = 0.0, 1.0
    np.testing.assert_allclose(
        Smoothing.persistence(p_stay).apply(scores), brute_force(list(scores), p_stay), rtol=0, atol=1e-12
    )


def test_persistence_of_two_tokens_by_hand():
    # p = .9, s = (.8, .5): weight of (1, ·) = .8 (.9 · .5 + .1 · .5) = .4, of (0, ·) = .2 · .5 = .1  ->  .8
    # weight of (·, 1) = .5 (.8 · .9 + .2 · .1) = .37, of (·, 0) = .5 (.8 · .1 + .2 · .9) = .13       ->  .74
    np.testing.assert_allclose(Smoothing.persistence(0.9).apply([0.8, 0.5]), [0.8, 0.74], atol=1e-15)


def test_persistence_is_the_recursion_of_the_method():
    rng = np.random.default_rng(0)
    scores, stay = rng.random(300), 0.993
    leave = 1 - stay
    n = len(scores)
    forward, backward = np.zeros((n, 2)), np.ones((n, 2))
    own = np.stack([1 - scores, scores], axis=1)
    transition = np.array([[stay, leave], [leave, stay]])
    forward[0] = own[0] / own[0].sum()
    for i in range(1, n):
        forward[i] = own[i] * (transition @ forward[i - 1])
        forward[i] /= forward[i].sum()
    for i in range(n - 2, -1, -1):
        backward[i] = transition @ (own[i + 1] * backward[i + 1])
        backward[i] /= backward[i].sum()
    both = forward * backward
    np.testing.assert_allclose(Smoothing.persistence(stay).apply(scores), both[:, 1] / both.sum(axis=1), atol=1e-12)


@settings(deadline=None)
@given(scores=scores_of, p_stay=p_stays)
def test_reversed_scores_give_reversed_results(scores, p_stay):
    smoothing = Smoothing.persistence(p_stay)
    np.testing.assert_array_equal(smoothing.apply(scores[::-1]), smoothing.apply(scores)[::-1])


@settings(deadline=None)
@given(scores=scores_of, p_stay=p_stays)
def test_swapped_labels_give_swapped_results(scores, p_stay):
    smoothing = Smoothing.persistence(p_stay)
    swapped = smoothing.apply([1 - score for score in scores])
    np.testing.assert_allclose(swapped, 1 - smoothing.apply(scores), rtol=0, atol=1e-9)


@settings(deadline=None)
@given(scores=scores_of)
def test_half_gives_the_clipped_scores_back(scores):
    clipped = np.clip(scores, SCORE_MARGIN, 1 - SCORE_MARGIN)
    np.testing.assert_allclose(Smoothing.persistence(0.5).apply(scores), clipped, rtol=0, atol=1e-15)


@pytest.mark.parametrize("p_stay", [1e-12, 0.5, 0.999, 1 - 1e-12])
@pytest.mark.parametrize("kind", ["random", "zeros", "ones", "blocks"])
def test_100_000_tokens_stay_finite_and_quick(p_stay, kind):
    n = 100_000
    scores = {
        "random": np.random.default_rng(1).random(n),
        "zeros": np.zeros(n),
        "ones": np.ones(n),
        "blocks": np.repeat([0.0, 1.0], n // 2),
    }[kind]
    started = time.process_time()
    smoothed = Smoothing.persistence(p_stay).apply(scores)
    assert time.process_time() - started < 0.5
    assert smoothed.shape == (n,)
    assert np.isfinite(smoothed).all()
    assert ((smoothed >= 0) & (smoothed <= 1)).all()


@pytest.mark.parametrize(
    "smoothing",
    [Smoothing.persistence(0.993), Smoothing.persistence(0.2), Smoothing.window_max(3), Smoothing.window_mean(7),
     Smoothing.none()],
)  # fmt: skip
def test_a_batch_equals_one_by_one_exactly(smoothing):
    rng = np.random.default_rng(2)
    lengths = [0, 1, 700, 2, 0, *rng.integers(0, 60, 40), 500, 1]
    batch = [rng.random(length) for length in lengths]
    together = smoothing.apply_many(batch)
    assert [len(scores) for scores in together] == lengths
    for scores, smoothed in zip(batch, together, strict=True):
        np.testing.assert_array_equal(smoothed, smoothing.apply(scores))
        np.testing.assert_array_equal(
            smoothing.apply_many([scores, *batch[:20]])[0], smoothed, err_msg="depends on its neighbours"
        )


@pytest.mark.parametrize("n_tokens", [1, 2, 5, 33])
@pytest.mark.parametrize("window", [0, 1, 2, 3, 7, 8, 40, 10_000])
def test_windows_equal_plain_loops(n_tokens, window):
    scores = np.random.default_rng(n_tokens).random(n_tokens)
    pieces = [scores[max(0, i - window) : i + window + 1] for i in range(n_tokens)]
    np.testing.assert_array_equal(Smoothing.window_max(window).apply(scores), [piece.max() for piece in pieces])
    np.testing.assert_allclose(
        Smoothing.window_mean(window).apply(scores), [piece.mean() for piece in pieces], rtol=0, atol=1e-15
    )


@settings(deadline=None)
@given(score=st.floats(0, 1), n_tokens=st.integers(1, 40), window=st.integers(0, 50))
def test_window_mean_of_equal_scores_stays_in_range(score, n_tokens, window):
    smoothed = Smoothing.window_mean(window).apply([score] * n_tokens)
    np.testing.assert_allclose(smoothed, score, rtol=1e-14)
    assert smoothed.max() <= 1


@pytest.mark.parametrize("method", METHODS)
def test_no_tokens_give_no_scores_and_the_argument_is_left_alone(method):
    smoothing = candidates(method)[-1]
    assert smoothing.apply([]).shape == (0,)
    assert smoothing.apply_many([]) == []
    scores = np.array([0.1, 0.9, 0.3])
    smoothed = smoothing.apply(scores)
    smoothed[:] = 7
    assert scores.tolist() == [0.1, 0.9, 0.3]
    assert smoothing.apply(scores.astype(np.float32)).dtype == np.float64


FAULT = "whatever made these scores is at fault, and nothing was computed from them"


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ([0.1, np.nan], f"scores: expected finite numbers, got nan at position 1; {FAULT}"),
        ([np.inf], f"scores: expected finite numbers, got inf at position 0; {FAULT}"),
        ([0.5, -0.25], f"scores: expected numbers in [0, 1], got -0.25 at position 1; {FAULT}"),
        ([1.5], f"scores: expected numbers in [0, 1], got 1.5 at position 0; {FAULT}"),
        ([[0.5]], "scores: expected one row of numbers, got shape (1, 1) of float64"),
        (["a"], "scores: expected one row of numbers, got shape (1,) of <U1"),
    ],
)
@pytest.mark.parametrize("method", METHODS)
def test_unusable_scores_are_refused(scores, message, method):
    with pytest.raises(ReadingError) as error:
        candidates(method)[-1].apply(scores)
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"method": "persistance", "p_stay": 0.9},
         "method: must be one of persistence, window_max, window_mean, none, got 'persistance'; "
         "did you mean 'persistence'?"),
        ({"method": "persistence"}, "p_stay: must be a number between 0 and 1, both excluded, got None"),
        ({"method": "persistence", "p_stay": 1.0}, "p_stay: must be a number between 0 and 1, both excluded, got 1.0"),
        ({"method": "persistence", "p_stay": float("nan")},
         "p_stay: must be a number between 0 and 1, both excluded, got nan"),
        ({"method": "none", "p_stay": 0.5}, "p_stay: belongs to persistence, not to none; leave it out"),
        ({"method": "window_max"}, "window: must be a whole number of tokens, 0 or more, got None"),
        ({"method": "window_mean", "window": -1}, "window: must be a whole number of tokens, 0 or more, got -1"),
        ({"method": "window_mean", "window": True}, "window: must be a whole number of tokens, 0 or more, got True"),
        ({"method": "persistence", "p_stay": 0.9, "window": 3},
         "window: belongs to window_max and window_mean, not to persistence; leave it out"),
    ],
)  # fmt: skip
def test_a_smoothing_checks_itself(fields, message):
    with pytest.raises(InputError) as error:
        Smoothing(**fields)
    assert str(error.value) == message
    with pytest.raises(BundleError) as error:
        Smoothing.from_dict({"p_stay": None, "window": None, **fields})
    assert str(error.value) == f"smoothing.{message}"


@pytest.mark.parametrize("method", METHODS)
def test_smoothings_survive_the_round_trip(method):
    for smoothing in candidates(method):
        assert Smoothing.from_dict(smoothing.to_dict()) == smoothing


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([], "smoothing: expected an object, got list; the bundle is damaged, fit it again"),
        ({"method": "none", "p_stay": None},
         "smoothing.window: is missing; the bundle is damaged or of another version, fit it again"),
        ({"method": "none", "p_stay": None, "window": None, "windows": 3},
         "smoothing.windows: is not a known field; the nearest known field is 'window'"),
        ({"method": "none", "p_stay": None, "window": None, "x": 3},
         "smoothing.x: is not a known field; known are method, p_stay, window"),
    ],
)  # fmt: skip
def test_loading_is_strict(data, message):
    with pytest.raises(BundleError) as error:
        Smoothing.from_dict(data)
    assert str(error.value) == message


def test_answer_score_is_the_highest_smoothed_score():
    scores = [0.1, 0.9, 0.2]
    assert answer_score(scores, Smoothing.none()) == 0.9
    assert answer_score(scores, Smoothing.window_mean(1)) == pytest.approx(0.55)  # (.9 + .2) / 2
    with pytest.raises(ReadingError) as error:
        answer_score([], Smoothing.none())
    assert str(error.value) == "an answer without tokens has no score; report it as having no claim instead"


def test_reach_orders_from_less_to_more():
    assert Smoothing.none().reach == Smoothing.persistence(0.5).reach == Smoothing.window_max(0).reach == 0
    assert Smoothing.persistence(0.995).reach == pytest.approx(99)  # λ = .99, λ / (1 − λ)
    assert Smoothing.window_mean(4).reach == 4
    for method in METHODS:
        reaches = [smoothing.reach for smoothing in candidates(method)]
        assert reaches == sorted(reaches)
    assert len(candidates("persistence")) == len(P_STAY_CANDIDATES) + 1
    assert len(candidates("window_max")) == len(WINDOW_CANDIDATES)


def noisy_answers(n_answers: int = 40) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Long hallucinated stretches behind noisy scores: more smoothing helps."""
    rng = np.random.default_rng(5)
    labels, scores = [], []
    for _ in range(n_answers):
        own = np.repeat(rng.random(8) < 0.25, 20).astype(np.int8)
        labels.append(own)
        scores.append(1 / (1 + np.exp(-(own - 0.5 + 1.5 * rng.standard_normal(len(own))))))
    return scores, labels


def test_choice_prefers_smoothing_where_it_helps():
    scores, labels = noisy_answers()
    before = [row.copy() for row in scores]
    chosen = choose_smoothing(scores, labels, candidates("persistence"))
    assert chosen.p_stay is not None
    assert chosen.p_stay >= 0.9
    assert choose_smoothing(scores, labels, candidates("window_mean")).window in range(3, 17)
    for own, kept in zip(scores, before, strict=True):
        np.testing.assert_array_equal(own, kept)


def test_choice_among_equals_is_the_least_smoothing():
    scores, labels = [np.array([0.9, 0.9, 0.1, 0.1])], [np.array([1, 1, 0, 0])]
    given = [Smoothing.persistence(0.8), Smoothing.window_mean(1), Smoothing.persistence(0.7), Smoothing.none()]
    assert choose_smoothing(scores, labels, given) == Smoothing.none()
    assert choose_smoothing(scores, labels, given[:3]) == Smoothing.persistence(0.7)
    answers = [np.array([0.9, 0.1]), np.array([0.2, 0.1])]
    assert choose_answer_smoothing(answers, [1, 0], given) == Smoothing.none()


def test_answer_choice_prefers_long_runs_over_lone_peaks():
    calm = np.full(20, 0.1)
    peak, run = calm.copy(), calm.copy()
    peak[10], run[5:15] = 0.9, 0.8
    chosen = choose_answer_smoothing([peak, run, peak, calm], [0, 1, 0, 0], candidates("persistence"))
    assert chosen.method == "persistence"


def test_choices_refuse_what_they_cannot_choose_from():
    scores = [np.array([0.1, 0.2])]
    with pytest.raises(TrainingError) as error:
        choose_smoothing(scores, [np.array([0, 0])], candidates("none"))
    assert str(error.value) == (
        "choosing the smoothing needs grounded and hallucinated tokens, but none of the 2 validation tokens is "
        "hallucinated; give more labelled validation data"
    )
    with pytest.raises(TrainingError) as error:
        choose_answer_smoothing(scores, [1], candidates("none"))
    assert str(error.value) == (
        "choosing the smoothing needs grounded and hallucinated answers, but none of the 1 validation answers is "
        "grounded; give more labelled validation data"
    )
    with pytest.raises(InputError) as error:
        choose_smoothing(scores, [np.array([0, 1])], [])
    assert str(error.value) == "candidates: must hold at least one smoothing to choose from"
    with pytest.raises(InputError) as error:
        choose_smoothing(scores, [], candidates("none"))
    assert str(error.value) == "labels: must be given for 1 answers, got 0"
    with pytest.raises(InputError) as error:
        choose_smoothing(scores, [[0, 2]], candidates("none"))
    assert str(error.value) == "labels: must each be 0 (grounded) or 1 (hallucinated)"
    with pytest.raises(InputError) as error:
        choose_smoothing(scores, [[0]], candidates("none"))
    assert str(error.value) == "labels: must be one label a score, expected shape (2,), got (1,)"
    with pytest.raises(ReadingError) as error:
        choose_answer_smoothing([np.array([])], [1], candidates("none"))
    assert str(error.value) == "an answer without tokens has no score; leave it out of the validation answers"


def test_the_usual_smoothing_is_kept_unless_another_is_clearly_better():
    rng = np.random.default_rng(3)
    runs, labels = [], []
    for _ in range(40):
        label = np.zeros(60, np.int8)
        start = rng.integers(0, 40)
        label[start : start + 20] = rng.random() < 0.5
        runs.append(np.clip(0.5 + 0.15 * (2 * label - 1) + rng.normal(0, 0.25, 60), 0.01, 0.99))
        labels.append(label)
    given = candidates("persistence")
    usual = Smoothing.persistence(0.993)
    assert choose_smoothing(runs, labels, given, usual=usual) == usual
    assert choose_smoothing(runs, labels, given, usual=Smoothing.none()) != Smoothing.none()
    assert choose_smoothing(runs, labels, given, usual=None) == choose_smoothing(runs, labels, given)


def test_a_usual_smoothing_that_is_no_candidate_plays_no_part():
    scores, labels = [np.array([0.9, 0.1])], [np.array([1, 0])]
    assert choose_smoothing(scores, labels, [Smoothing.none()], usual=Smoothing.persistence(0.9)) == Smoothing.none()
