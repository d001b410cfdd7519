"""The sparse autoencoder: plain formulas, better reconstruction, unit directions, dead latents, round trip."""

from typing import Any

import numpy as np
import pytest
import torch
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from ragcortex.errors import BundleError, InputError, TrainingError
from ragcortex.scorers.sparse_autoencoder import SparseAutoencoder

torch.set_num_threads(1)

SMALL: dict[str, Any] = {"n_latents": 48, "n_active": 4, "batch_rows": 128, "learning_rate": 5e-3, "n_epochs": 6}


def sparse_rows(seed: int = 0, n: int = 2000, d: int = 12) -> Any:
    """Return rows made of three of twenty directions each, of different scales and offsets a column."""
    random = np.random.default_rng(seed)
    directions = np.random.default_rng(99).normal(size=(20, d))
    weights = np.zeros((n, 20))
    for row in weights:
        row[random.choice(20, 3, replace=False)] = random.uniform(1, 3, 3)
    return ((weights @ directions) * np.linspace(0.1, 40, d) + np.arange(d)).astype(np.float32)


def test_formulas_row_by_row() -> None:
    X = sparse_rows()
    coder = SparseAutoencoder(**SMALL).fit(X)
    arrays = {name: array.astype(np.float64) for name, array in coder.arrays().items()}
    pre_activations, rebuilt = coder.transform(X[:10]), coder.reconstruct(X[:10])
    for index, row in enumerate(X[:10].astype(np.float64)):
        standardised = (row - arrays["mean"]) / arrays["scale"]
        latents = np.zeros(48)
        for latent in range(48):
            value = arrays["encoder"][latent] @ (standardised - arrays["decoder_bias"]) + arrays["encoder_bias"][latent]
            latents[latent] = max(0.0, value)
        np.testing.assert_allclose(pre_activations[index], latents, atol=1e-4)
        for latent in np.argsort(latents)[:-4]:
            latents[latent] = 0
        expected = arrays["decoder_bias"] + sum(latents[k] * arrays["decoder"][k] for k in range(48))
        np.testing.assert_allclose(rebuilt[index], expected * arrays["scale"] + arrays["mean"], atol=1e-2)
    assert (pre_activations.dtype, pre_activations.min()) == (np.float32, 0)


def test_unexplained_variance_by_hand() -> None:
    X = sparse_rows(n=300)
    coder = SparseAutoencoder(**SMALL).fit(X)
    scaled, rebuilt = ((part - coder.mean_) / coder.scale_ for part in (X, coder.reconstruct(X)))
    expected = ((scaled - rebuilt) ** 2).sum() / ((scaled - scaled.mean(axis=0)) ** 2).sum()
    assert coder.unexplained_variance(X) == pytest.approx(expected, rel=1e-4)


def test_reconstruction_improves_with_training_on_new_rows_too() -> None:
    X, new = sparse_rows(), sparse_rows(1, 500)
    missing = [SparseAutoencoder(**{**SMALL, "n_epochs": n}).fit(X).unexplained_variance(new) for n in (1, 6, 30)]
    assert missing[0] > missing[1] > missing[2]
    assert missing[2] < 0.2


def test_directions_have_norm_one() -> None:
    coder = SparseAutoencoder(**SMALL).fit(sparse_rows())
    np.testing.assert_allclose(np.linalg.norm(coder.decoder_, axis=1), 1, atol=1e-5)


def test_dead_latents_are_revived() -> None:
    """Latents pushed out of use by their bias come back by the auxiliary loss, and not without it."""
    X = torch.from_numpy(sparse_rows(n=256))
    rows = (X - X.mean(dim=0)) / X.std(dim=0)
    coder = SparseAutoencoder(**SMALL)
    generator = torch.Generator().manual_seed(0)
    decoder = torch.nn.functional.normalize(torch.randn(48, 12, generator=generator), dim=1).requires_grad_()
    encoder = decoder.detach().clone().requires_grad_()
    encoder_bias, decoder_bias = torch.zeros(48), torch.zeros(12, requires_grad=True)
    encoder_bias[:8] = -1.0
    encoder_bias.requires_grad_()
    weights = encoder, encoder_bias, decoder, decoder_bias
    dead = torch.arange(48) < 8
    with_dead, _ = coder._loss(rows, weights, dead)
    without, active = coder._loss(rows, weights, torch.zeros(48, dtype=torch.bool))
    assert active.tolist() == sorted(active.tolist())
    assert with_dead > without
    # The auxiliary loss alone reaches the dead: ‖r − r̂‖² / ‖r‖² / 32 with r̂ of the six most active of the eight.
    (gradient,) = torch.autograd.grad(with_dead - without, encoder)
    assert gradient[:8].abs().sum() > 0
    assert gradient[8:].abs().sum() < 1e-6
    with torch.no_grad():
        pre = torch.relu(rows @ encoder.T + encoder_bias)
        kept = pre.topk(4, dim=1)
        missing = rows - torch.zeros_like(pre).scatter(1, kept.indices, kept.values) @ decoder
        of_dead = pre[:, :8].topk(6, dim=1)
        revived = torch.zeros(256, 8).scatter(1, of_dead.indices, of_dead.values) @ decoder[:8]
        expected = ((missing - revived) ** 2).sum() / (missing**2).sum() / 32
    assert (with_dead - without).item() == pytest.approx(expected.item(), rel=1e-3)


def test_few_latents_stay_unused() -> None:
    coder = SparseAutoencoder(**{**SMALL, "n_epochs": 10}).fit(sparse_rows())
    assert coder.n_dead_ <= 4


def test_the_same_seed_gives_the_same_dictionary() -> None:
    X = sparse_rows(n=400)
    before = X.copy()
    coder = SparseAutoencoder(**SMALL).fit(X)
    torch.manual_seed(9)
    again = clone(coder).fit(X)
    for name, array in coder.arrays().items():
        np.testing.assert_array_equal(array, again.arrays()[name])
    assert not np.array_equal(SparseAutoencoder(**SMALL, seed=1).fit(X).decoder_, coder.decoder_)
    np.testing.assert_array_equal(X, before)


def test_round_trip() -> None:
    X = sparse_rows(n=400)
    coder = SparseAutoencoder(**SMALL)
    with pytest.raises(NotFittedError):
        coder.transform(X)
    coder.fit(X)
    arrays = {name: array.copy() for name, array in coder.arrays().items()}
    assert all(array.dtype == np.float32 for array in arrays.values())
    again = SparseAutoencoder.from_arrays(coder.get_params(), arrays)
    np.testing.assert_array_equal(again.transform(X), coder.transform(X))
    np.testing.assert_array_equal(again.reconstruct(X), coder.reconstruct(X))
    with pytest.raises(BundleError) as damaged:
        SparseAutoencoder.from_arrays(coder.get_params(), {**arrays, "encoder": arrays["encoder"][1:]})
    assert str(damaged.value) == "the scorer's array encoder must have shape (48, 12), got (47, 12)"
    with pytest.raises(InputError) as columns:
        coder.transform(X[:, 1:])
    assert str(columns.value) == "features: must be (n, 12) as the scorer was fitted, got (400, 11)"


@pytest.mark.parametrize(
    ("X", "options", "message"),
    [
        (np.ones((0, 3)), {}, "the sparse autoencoder needs finite rows (n, columns), got shape (0, 3)"),
        (np.full((4, 3), np.nan), {}, "the sparse autoencoder needs finite rows (n, columns), got shape (4, 3)"),
        (
            np.ones((4, 3)),
            {"n_active": 99},
            "the sparse autoencoder needs 1 <= n_active <= n_latents, batch_rows >= 1 and n_epochs >= 1, got "
            "n_active=99, n_latents=48, batch_rows=128, n_epochs=6",
        ),
        (sparse_rows(n=300), {"learning_rate": 1e30},
         "the loss of the sparse autoencoder is not finite; lower its learning rate"),
    ],
)  # fmt: skip
def test_what_cannot_be_fitted(X: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(TrainingError) as caught:
        SparseAutoencoder(**{**SMALL, **options}).fit(X)
    assert str(caught.value) == message
