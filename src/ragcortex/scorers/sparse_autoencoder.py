"""A sparse autoencoder of hidden states: TopK, unit-norm decoder, dead latents revived by an auxiliary loss.

Source: Gao et al. 2024, "Scaling and evaluating sparse autoencoders" (arXiv 2406.04093): x̂ = D topk(relu(E(x − b) + e))
+ b; decoder directions of unit norm, the gradient along them removed; encoder initialised as the decoder's transpose;
auxiliary loss 1/32 · ‖r − r̂‖²/‖r‖², where r = x − x̂ and r̂ is built of the d/2 most active latents among the dead. TopK
needs no sparsity penalty to tune, and is what the released sparse autoencoders that RAGLens uses are. Ours: columns are
standardised; a latent counts as dead after one pass over the training rows without being among the top k, since there
are a hundred thousand of them, not billions; and the learning rate falls linearly to 0.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ragcortex.errors import TrainingError
from ragcortex.readers.reading import Floats
from ragcortex.scorers.base import checked_columns, checked_shapes, standardisation

_AUXILIARY_WEIGHT: Final = 1 / 32
_ROWS_AT_ONCE: Final = 2048


class SparseAutoencoder(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Sparse dictionary of states; `transform` gives every latent's pre-activation.

    Args:
        n_latents: size of the dictionary.
        n_active: latents that rebuild a row (k).
        learning_rate: of Adam, at the start.
        batch_rows: rows a step.
        n_epochs: passes over the rows.
        device: where it is trained and applied, as torch names it.
        seed: of the dictionary and of the order of rows.

    Attributes:
        mean_, scale_: standardisation of the columns, float32 (columns,).
        encoder_: float32 (n_latents, columns); encoder_bias_: float32 (n_latents,).
        decoder_: float32 (n_latents, columns), every row a direction of norm 1; decoder_bias_: float32 (columns,).
        n_dead_: latents that rebuilt no row in the last epoch.
    """

    def __init__(
        self,
        n_latents: int = 4608,
        *,
        n_active: int = 32,
        learning_rate: float = 2e-3,
        batch_rows: int = 512,
        n_epochs: int = 3,
        device: str = "cpu",
        seed: int = 0,
    ) -> None:
        self.n_latents = n_latents
        self.n_active = n_active
        self.learning_rate = learning_rate
        self.batch_rows = batch_rows
        self.n_epochs = n_epochs
        self.device = device
        self.seed = seed

    def fit(self, X: Floats, y: object = None) -> Self:  # noqa: ARG002 - scikit-learn's signature
        """Fit on (n, columns) rows; labels are not used.

        Raises:
            TrainingError: rows are missing or not finite, an option is out of range, or the loss stopped being finite.
        """
        X = np.asarray(X, dtype=np.float32)
        if X.ndim != 2 or not len(X) or not np.isfinite(X).all():
            raise TrainingError(f"the sparse autoencoder needs finite rows (n, columns), got shape {X.shape}")
        if not 1 <= self.n_active <= self.n_latents or min(self.batch_rows, self.n_epochs) < 1:
            raise TrainingError(
                "the sparse autoencoder needs 1 <= n_active <= n_latents, batch_rows >= 1 and n_epochs >= 1, got "
                f"n_active={self.n_active}, n_latents={self.n_latents}, batch_rows={self.batch_rows}, "
                f"n_epochs={self.n_epochs}"
            )
        self.n_features_in_ = X.shape[1]
        self.mean_, self.scale_ = standardisation(X)
        weights = self._trained(X)
        self.encoder_, self.encoder_bias_, self.decoder_, self.decoder_bias_ = (
            tensor.detach().cpu().numpy().copy() for tensor in weights
        )
        return self

    def transform(self, X: Floats) -> Floats:
        """Return relu(E(x − b) + e) of standardised rows, float32 (n, n_latents): every latent, before the top k."""
        check_is_fitted(self, "decoder_")
        X = checked_columns(X, self.n_features_in_)
        result = np.empty((len(X), len(self.encoder_)), dtype=np.float32)
        for start in range(0, len(X), _ROWS_AT_ONCE):
            centred = (X[start : start + _ROWS_AT_ONCE] - self.mean_) / self.scale_ - self.decoder_bias_
            result[start : start + len(centred)] = np.maximum(centred @ self.encoder_.T + self.encoder_bias_, 0)
        return result

    def reconstruct(self, X: Floats) -> Floats:
        """Return the rows as their n_active most active latents rebuild them, float32 (n, columns)."""
        pre_activations = self.transform(X)
        kept = np.argpartition(pre_activations, -self.n_active, axis=1)[:, -self.n_active :]
        active = np.zeros_like(pre_activations)
        np.put_along_axis(active, kept, np.take_along_axis(pre_activations, kept, axis=1), axis=1)
        rebuilt: Floats = (active @ self.decoder_ + self.decoder_bias_) * self.scale_ + self.mean_
        return rebuilt

    def unexplained_variance(self, X: Floats) -> float:
        """Return ‖x − x̂‖² over ‖x − x̄‖², both of standardised columns and summed over rows: 0 rebuilds exactly."""
        X = checked_columns(X, self.n_features_in_)
        standardised = (X - self.mean_) / self.scale_
        missing = (X - self.reconstruct(X)) / self.scale_
        spread = standardised - standardised.mean(axis=0)
        return float(np.square(missing, dtype=np.float64).sum() / np.square(spread, dtype=np.float64).sum())

    def arrays(self) -> dict[str, Floats]:
        """Return the standardisation and the weights, by name."""
        check_is_fitted(self, "decoder_")
        return {
            "mean": self.mean_,
            "scale": self.scale_,
            "encoder": self.encoder_,
            "encoder_bias": self.encoder_bias_,
            "decoder": self.decoder_,
            "decoder_bias": self.decoder_bias_,
        }

    @classmethod
    def from_arrays(cls, params: Mapping[str, Any], arrays: Mapping[str, Floats]) -> Self:
        """Return the fitted autoencoder whose parameters and `arrays()` these are."""
        coder = cls(**params)
        n_columns = arrays["mean"].size
        one_each, dictionary = (n_columns,), (coder.n_latents, n_columns)
        expected = {"mean": one_each, "scale": one_each, "decoder_bias": one_each, "encoder_bias": dictionary[:1]}
        checked_shapes(arrays, {**expected, "encoder": dictionary, "decoder": dictionary})
        coder.n_features_in_ = n_columns
        coder.mean_, coder.scale_ = arrays["mean"], arrays["scale"]
        coder.encoder_, coder.encoder_bias_ = arrays["encoder"], arrays["encoder_bias"]
        coder.decoder_, coder.decoder_bias_ = arrays["decoder"], arrays["decoder_bias"]
        return coder

    def _trained(self, X: Floats) -> tuple[Any, Any, Any, Any]:
        """Return encoder, its bias, decoder and its bias, as tensors."""
        import torch

        generator = torch.Generator().manual_seed(self.seed)
        directions = torch.randn(self.n_latents, X.shape[1], generator=generator)
        decoder = torch.nn.functional.normalize(directions, dim=1).to(self.device).requires_grad_()
        encoder = decoder.detach().clone().requires_grad_()
        encoder_bias = torch.zeros(self.n_latents, device=self.device, requires_grad=True)
        decoder_bias = torch.zeros(X.shape[1], device=self.device, requires_grad=True)
        weights = encoder, encoder_bias, decoder, decoder_bias
        optimiser = torch.optim.Adam(weights, lr=self.learning_rate, fused=True)
        n_steps = self.n_epochs * -(-len(X) // self.batch_rows)
        schedule = torch.optim.lr_scheduler.LinearLR(optimiser, 1.0, 1 / n_steps, total_iters=n_steps)
        rows_since_active = torch.zeros(self.n_latents, dtype=torch.long, device=self.device)
        mean, scale = torch.from_numpy(self.mean_), torch.from_numpy(self.scale_)
        for _ in range(self.n_epochs):
            for numbers in _batches(len(X), self.batch_rows, generator):
                rows = ((torch.from_numpy(X[numbers.numpy()]) - mean) / scale).to(self.device)
                loss, active = self._loss(rows, weights, rows_since_active >= len(X))
                if not torch.isfinite(loss):
                    raise TrainingError("the loss of the sparse autoencoder is not finite; lower its learning rate")
                optimiser.zero_grad()
                loss.backward()
                _step(optimiser, decoder)
                schedule.step()
                rows_since_active += len(rows)
                rows_since_active[active] = 0
        self.n_dead_ = int((rows_since_active >= len(X)).sum())
        return weights

    def _loss(self, rows: Any, weights: tuple[Any, Any, Any, Any], dead: Any) -> tuple[Any, Any]:
        """Return the loss of a batch and the latents that were active in it."""
        import torch

        encoder, encoder_bias, decoder, decoder_bias = weights
        pre_activations = torch.relu(torch.nn.functional.linear(rows - decoder_bias, encoder, encoder_bias))
        values, latents = pre_activations.topk(self.n_active, dim=1)
        bag = torch.nn.functional.embedding_bag(latents, decoder, per_sample_weights=values, mode="sum")
        missing = rows - (bag + decoder_bias)
        loss = missing.square().mean()
        if dead.any():
            candidates = torch.nn.functional.linear(rows - decoder_bias, encoder[dead], encoder_bias[dead])
            values_dead, chosen = candidates.topk(min(max(1, rows.shape[1] // 2), candidates.shape[1]), dim=1)
            revived = torch.zeros_like(candidates).scatter(1, chosen, torch.relu(values_dead)) @ decoder[dead]
            target = missing.detach()
            loss = loss + _AUXILIARY_WEIGHT * (target - revived).square().sum() / target.square().sum().clamp(1e-12)
        return loss, torch.unique(latents[values > 0])


def _step(optimiser: Any, decoder: Any) -> None:
    """Take a step that keeps every direction of the decoder at norm 1."""
    import torch

    with torch.no_grad():
        decoder.grad -= (decoder.grad * decoder).sum(dim=1, keepdim=True) * decoder
        optimiser.step()
        decoder /= decoder.norm(dim=1, keepdim=True)


def _batches(n_rows: int, size: int, generator: Any) -> Iterator[Any]:
    """Yield every row's number once, in a random order, `size` at a time."""
    import torch

    order = torch.randperm(n_rows, generator=generator)
    for start in range(0, n_rows, size):
        yield order[start : start + size]
