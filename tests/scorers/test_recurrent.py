"""The recurrent scorer: torch's numbers, neighbours that count, determinism, and state that survives a round trip."""

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics import roc_auc_score

from ragcortex.errors import BundleError, InputError, TrainingError
from ragcortex.readers.reading import Floats
from ragcortex.scorers import LogisticScorer, RecurrentScorer, recurrent
from ragcortex.scorers.base import Labels
from ragcortex.scorers.gated_recurrence import gated_recurrence
from ragcortex.scorers.token_table import TokenTable

torch.set_num_threads(1)

SMALL: dict[str, Any] = {"width": 6, "hidden_size": 5, "n_epochs": 2, "batch_sequences": 4}
LENGTHS = (7, 1, 12, 5, 9, 3, 8, 2, 11)


def _answers(seed: int = 0, lengths: tuple[int, ...] = LENGTHS, columns: int = 3) -> tuple[Floats, Labels]:
    """Return features of different scales, and labels that the first column decides."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(sum(lengths), columns))
    return (X * [50, 1, 0.01][:columns] + [-200, 0, 3][:columns]).astype(np.float32), (X[:, 0] > 0.5).astype(np.int8)


def _fitted(**options: Any) -> tuple[RecurrentScorer, Floats]:
    X, y = _answers()
    return RecurrentScorer(**{**SMALL, **options}).fit(X, y, lengths=LENGTHS), X


def _by_hand(x: Floats, weights: tuple[Floats, ...]) -> Floats:
    """The definition, a number at a time."""
    w_x, w_s, b_x, b_s = weights
    size = w_s.shape[1]
    state = [0.0] * size
    states = []
    for row in x:

        def gate(unit: int, side: tuple[Floats, Floats, Any]) -> float:
            weight, bias, values = side
            return float(sum(weight[unit, k] * values[k] for k in range(len(values))) + bias[unit])

        given_now, past = (w_x, b_x, row), (w_s, b_s, list(state))
        new = []
        for unit in range(size):
            r = 1 / (1 + np.exp(-gate(unit, given_now) - gate(unit, past)))
            z = 1 / (1 + np.exp(-gate(size + unit, given_now) - gate(size + unit, past)))
            made = np.tanh(gate(2 * size + unit, given_now) + r * gate(2 * size + unit, past))
            new.append((1 - z) * made + z * state[unit])
        state = new
        states.append(new)
    return np.array(states, dtype=np.float32).reshape(len(x), size)


@given(st.integers(0, 6), st.integers(1, 4), st.integers(1, 4), st.integers(0, 99))
@settings(max_examples=30, deadline=None)
def test_the_recurrence_is_its_definition_and_torch_s(n: int, width: int, size: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    gru = torch.nn.GRU(width, size, batch_first=True)
    weights = tuple(random.normal(size=tuple(p.shape)).astype(np.float32) for p in gru.parameters())
    x = random.normal(size=(n, width)).astype(np.float32)
    backwards = tuple(-weight for weight in weights)
    both = gated_recurrence(np.stack([x, x[::-1]]), *(np.stack(pair) for pair in zip(weights, backwards, strict=True)))
    assert both.shape == (2, n, size)
    got = both[0]
    np.testing.assert_allclose(got, _by_hand(x, weights), atol=1e-5)
    np.testing.assert_allclose(both[1], _by_hand(x[::-1], backwards), atol=1e-5)
    if n:
        with torch.no_grad():
            for parameter, value in zip(gru.parameters(), weights, strict=True):
                parameter.copy_(torch.from_numpy(value))
            np.testing.assert_allclose(got, gru(torch.from_numpy(x)[None])[0][0].numpy(), atol=1e-5)


def test_parameters_as_scikit_learn_has_them() -> None:
    scorer, _ = _fitted(n_seeds=2)
    params = scorer.get_params()
    copy = clone(scorer)
    assert copy.get_params() == params
    assert not hasattr(copy, "classes_")
    assert RecurrentScorer(**params).get_params() == params


def test_probabilities_are_those_of_the_network_in_torch() -> None:
    scorer, X = _fitted()
    (network,) = scorer.networks_
    project, output = torch.nn.Linear(3, 6), torch.nn.Linear(10, 1)
    gru = torch.nn.GRU(6, 5, batch_first=True, bidirectional=True)
    for name, module in (("project", project), ("recurrent", gru), ("output", output)):
        module.load_state_dict({key: torch.from_numpy(network[f"{name}.{key}"]) for key in module.state_dict()})
    standard = torch.from_numpy(((X[:7] - scorer.mean_) / scorer.scale_).clip(-8, 8))
    with torch.no_grad():
        expected = torch.sigmoid(output(gru(torch.relu(project(standard))[None])[0]))[0, :, 0].numpy()
    got = scorer.predict_proba(X[:7])
    assert (got.dtype, got.shape) == (np.float32, (7, 2))
    np.testing.assert_allclose(got[:, 1], expected, atol=1e-6)
    np.testing.assert_allclose(got.sum(axis=1), 1, atol=1e-6)


def test_in_training_the_padding_of_shorter_answers_says_nothing() -> None:
    torch.manual_seed(0)
    network = recurrent._network(3, 6, 5, dropout=0.0)
    X, y = _answers()
    (batch,) = TokenTable(X, y, LENGTHS).batches(len(LENGTHS), np.random.default_rng(0))
    features, _, known = batch
    lengths = torch.from_numpy(known.sum(axis=1))
    with torch.no_grad():
        together = network(torch.from_numpy(features), lengths).numpy()
        for row, length in enumerate(lengths.tolist()):
            alone = network(torch.from_numpy(features[row : row + 1, :length]), lengths[row : row + 1]).numpy()
            np.testing.assert_allclose(together[row, :length], alone[0], atol=1e-6)


def test_answers_are_scored_each_by_itself() -> None:
    scorer, X = _fitted(n_seeds=2)
    together = scorer.predict_proba(X, LENGTHS)
    alone = [scorer.predict_proba(part) for part in np.split(X, np.cumsum(LENGTHS)[:-1])]
    np.testing.assert_array_equal(together, np.concatenate(alone))
    assert not np.allclose(together, scorer.predict_proba(X), atol=1e-6)
    assert scorer.predict_proba(X[:0]).shape == (0, 2)
    assert scorer.predict_proba(X[:2], (0, 2)).shape == (2, 2)


def test_neighbours_on_both_sides_count() -> None:
    """A token is hallucinated if the one before or the one after it is marked: no token alone can tell."""
    random = np.random.default_rng(0)

    def answers(n: int) -> tuple[Floats, Labels, tuple[int, ...]]:
        lengths = tuple(random.integers(6, 14, n).tolist())
        marks = (random.random(sum(lengths)) < 0.2).astype(np.float32)
        labels = []
        for own in np.split(marks, np.cumsum(lengths)[:-1]):
            around = np.concatenate([[0], own, [0]])
            labels.append((around[:-2] + around[2:] > 0).astype(np.int8))
        return (
            np.stack([marks, random.normal(size=len(marks))], axis=1).astype(np.float32),
            np.concatenate(labels),
            lengths,
        )

    X, y, lengths = answers(300)
    X_new, y_new, lengths_new = answers(80)
    scorer = RecurrentScorer(12, 12, dropout=0.0, learning_rate=2e-2, n_epochs=10).fit(X, y, lengths=lengths)
    assert roc_auc_score(y_new, scorer.predict_proba(X_new, lengths_new)[:, 1]) > 0.95
    assert roc_auc_score(y_new, LogisticScorer().fit(X, y).predict_proba(X_new)[:, 1]) < 0.6


def test_the_same_seed_gives_the_same_scorer() -> None:
    torch.manual_seed(0)
    state = torch.random.get_rng_state()
    first, X = _fitted()
    assert torch.equal(state, torch.random.get_rng_state())
    torch.manual_seed(99)
    np.random.seed(99)
    np.testing.assert_array_equal(first.predict_proba(X), _fitted()[0].predict_proba(X))


def test_another_seed_gives_another_network_and_seeds_are_averaged() -> None:
    (one, X), (other, _), (both, _) = _fitted(seed=0), _fitted(seed=1), _fitted(n_seeds=2)
    assert not np.array_equal(one.predict_proba(X), other.predict_proba(X))
    mean = (one.predict_proba(X)[:, 1] + other.predict_proba(X)[:, 1]) / 2
    np.testing.assert_allclose(both.predict_proba(X)[:, 1], mean, atol=1e-6)


def test_the_epoch_that_validation_prefers_is_kept() -> None:
    X, y = _answers()
    X_val, y_val = _answers(1)
    scorer = RecurrentScorer(**{**SMALL, "n_epochs": 6, "learning_rate": 0.05})
    scorer.fit(X, y, X_val, y_val, lengths=LENGTHS, val_lengths=LENGTHS)
    from sklearn.metrics import average_precision_score

    got = average_precision_score(y_val, scorer.predict_proba(X_val, LENGTHS)[:, 1])
    assert scorer.validation_ap_ == pytest.approx([got])
    last = RecurrentScorer(**{**SMALL, "n_epochs": 6, "learning_rate": 0.05}).fit(X, y, lengths=LENGTHS)
    assert got >= average_precision_score(y_val, last.predict_proba(X_val, LENGTHS)[:, 1])
    assert last.validation_ap_ == []


def test_fitting_changes_no_argument() -> None:
    X, y = _answers()
    before = X.copy(), y.copy()
    RecurrentScorer(**SMALL).fit(X, y, X, y, lengths=LENGTHS, val_lengths=LENGTHS)
    np.testing.assert_array_equal(X, before[0])
    np.testing.assert_array_equal(y, before[1])


def test_round_trip_is_bit_equal() -> None:
    scorer, X = _fitted(n_seeds=2)
    arrays = {key: array.copy() for key, array in scorer.arrays().items()}
    assert all(array.dtype == np.float32 for array in arrays.values())
    again = RecurrentScorer.from_arrays(scorer.get_params(), arrays)
    np.testing.assert_array_equal(again.predict_proba(X), scorer.predict_proba(X))
    assert again.get_params() == scorer.get_params()
    assert again.arrays().keys() == arrays.keys()
    assert all(np.array_equal(again.arrays()[key], array) for key, array in arrays.items())


@pytest.mark.parametrize(
    ("array", "shape", "message"),
    [
        ("0.project.weight", (6, 4), "the scorer's array 0.project.weight must have shape (6, 3), got (6, 4)"),
        (
            "0.recurrent.weight_hh_l0_reverse", (5, 5),
            "the scorer's array 0.recurrent.weight_hh_l0_reverse must have shape (15, 5), got (5, 5)",
        ),
        ("0.output.weight", (10,), "the scorer's array 0.output.weight must have shape (1, 10), got (10,)"),
        ("scale", (4,), "the scorer's array scale must have shape (3,), got (4,)"),
    ],
)  # fmt: skip
def test_state_of_the_wrong_shape_is_refused(array: str, shape: tuple[int, ...], message: str) -> None:
    scorer, _ = _fitted()
    with pytest.raises(BundleError) as caught:
        RecurrentScorer.from_arrays(scorer.get_params(), {**scorer.arrays(), array: np.ones(shape, np.float32)})
    assert str(caught.value) == message


@pytest.mark.parametrize(("name", "value"), [("n_seeds", 0), ("width", 2.5), ("hidden_size", True)])
def test_sizes_that_cannot_be_are_refused(name: str, value: Any) -> None:
    scorer, _ = _fitted()
    with pytest.raises(BundleError) as caught:
        RecurrentScorer.from_arrays({**scorer.get_params(), name: value}, scorer.arrays())
    assert str(caught.value) == f"the recurrent network's {name} must be a whole number from 1 on, got {value!r}"


def test_what_cannot_be_fitted_or_scored() -> None:
    X, y = _answers()
    with pytest.raises(TrainingError, match=r"^the recurrent network needs at least one seed, got n_seeds=0$"):
        RecurrentScorer(n_seeds=0).fit(X, y)
    with pytest.raises(TrainingError, match=r"^the training tokens need both labels 0 and 1, got \[0\]$"):
        RecurrentScorer().fit(X, np.zeros_like(y))
    with pytest.raises(TrainingError, match=r"^the loss of the recurrent network is not finite; lower its learning"):
        RecurrentScorer(**SMALL, learning_rate=1e30).fit(X, y, lengths=LENGTHS)
    with pytest.raises(InputError, match=r"^lengths: must add up to the 58 tokens given, got 57$"):
        RecurrentScorer(**SMALL).fit(X, y, lengths=(57,))
    with pytest.raises(NotFittedError):
        RecurrentScorer().predict_proba(X)
    scorer, _ = _fitted()
    with pytest.raises(InputError, match=r"^features: must be \(n, 3\) as the scorer was fitted, got \(2, 4\)$"):
        scorer.predict_proba(np.ones((2, 4), np.float32))
