"""Fine-tuning a reader as a token classifier.

Source: LettuceDetect (Kovács & Recski, arXiv 2502.17125, and its released training script): a token classifier over
context, question and answer, trained with cross-entropy on the answer's tokens only (the others are masked), a token
being hallucinated if it overlaps a marked span; AdamW, learning rate 1e-5, weight decay 0.01, four answers a step, six
epochs, no class weights, the epoch of the best F1 on development data; hallucinated above ½.

Ours differs: the reader is causal, so a token is judged without what follows it (theirs is an encoder that reads both
ways); answers of one source share a step and their prefix; the rate rises and falls linearly and gradients are clipped;
the head starts at the training tokens' base rate and has a rate of its own, since hundreds of answers, not fifteen
thousand, have to move it; the epoch is chosen by average precision; long references are read in windows, not truncated.
"""

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from ragcortex.align import token_labels
from ragcortex.errors import TrainingError
from ragcortex.example import Example
from ragcortex.readers.adapter import trained
from ragcortex.readers.prefix_groups import PrefixGroup, prefix_groups
from ragcortex.readers.reader import Reader
from ragcortex.readers.token_classifier import TokenClassifier
from ragcortex.readers.tuning_options import TuningOptions
from ragcortex.score_arrays import Labels

Report = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Epoch:
    """What one pass over the training answers gave.

    Attributes:
        number: from 1.
        loss: mean weighted cross-entropy (nats) over its training tokens, each before the step it was part of.
        validation_ap: average precision over the tokens of the validation answers; None without validation.
    """

    number: int
    loss: float
    validation_ap: float | None


@dataclass(frozen=True, slots=True)
class Tuned:
    """A trained token classifier and how it came about.

    Attributes:
        classifier: with the weights of the chosen epoch.
        epochs: those that were run.
        chosen: the number of the epoch kept: the best on validation answers, the last where there are none.
    """

    classifier: TokenClassifier
    epochs: tuple[Epoch, ...]
    chosen: int

    @property
    def validation_ap(self) -> float | None:
        """The validation average precision of the chosen epoch."""
        return self.epochs[self.chosen - 1].validation_ap


def tune(
    reader: Reader,
    training: Sequence[Example],
    options: TuningOptions,
    *,
    validation: Sequence[Example] = (),
    report: Report = lambda _: None,
) -> Tuned:
    """Return a token classifier trained on answers whose spans are known; the reader itself is not changed.

    The same answers, options and number of threads give the same weights.

    Args:
        reader: whose weights are tuned.
        training: at least one token of each class.
        options: how.
        validation: answers to choose the epoch on. Without a token of each class there is no average precision: the
            last epoch is kept.
        report: called with a line of progress now and then.

    Raises:
        TrainingError: an answer's spans are not known, the training tokens are all of one class, or the loss is no
            longer finite.
        InputError, ModelError: as `TokenClassifier.untrained`.
    """
    devices = [reader.device] if reader.device.startswith("cuda") else []
    with torch.random.fork_rng(devices=devices):
        torch.manual_seed(options.seed)
        classifier = TokenClassifier.untrained(reader, options.form)
        return _Tuning(classifier, training, validation, options, report).run()


def weighted_loss(
    classifier: TokenClassifier, group: PrefixGroup, labels: Sequence[Labels], positive_weight: float
) -> tuple[torch.Tensor, float]:
    """Return the sum of the weighted cross-entropy (nats) over the tokens a group decides, and of the weights.

    No token of a prefix has a label, and none of a piece's context.

    Args:
        classifier: what says so.
        group: the answers to be read together.
        labels: of every answer that the group's owners count.
        positive_weight: what a hallucinated token counts; a grounded one counts 1.
    """
    logits = torch.cat(classifier.logits(group))
    values = np.concatenate([labels[part.owner][part.keep : part.stop] for part in group.parts])
    targets = torch.from_numpy(values).to(logits.device, torch.float32)
    weights = torch.where(targets == 1, positive_weight, 1.0)
    loss = torch.nn.functional.binary_cross_entropy_with_logits(logits, targets, weights, reduction="sum")
    return loss, float(weights.sum())


def labels_of(reader: Reader, examples: Sequence[Example]) -> list[Labels]:
    """Return the label of each token of each answer, int8 (T,).

    Raises:
        TrainingError: the spans of one are not known.
    """
    labels = []
    for example in examples:
        if example.known_spans is None:
            raise TrainingError(f"example {example.id!r} has no known spans, so its tokens have no labels")
        labels.append(token_labels(reader.tokenize(example.answer), example.known_spans))
    return labels


class _Tuning:
    """One training run."""

    def __init__(
        self,
        classifier: TokenClassifier,
        training: Sequence[Example],
        validation: Sequence[Example],
        options: TuningOptions,
        report: Report,
    ) -> None:
        reader = classifier.reader
        self.classifier, self.options, self.report = classifier, options, report
        self.labels = labels_of(reader, training)
        odds = _odds(self.labels)
        self.positive_weight = 1 / odds if options.positive_weight is None else options.positive_weight
        torch.nn.init.constant_(classifier.head.bias, math.log(self.positive_weight * odds))
        self.groups = prefix_groups(reader, training, options.form.max_tokens)
        self.validation, self.validation_labels = list(validation), labels_of(reader, validation)
        rng = np.random.default_rng(options.seed)
        self.steps = [list(self._steps(rng.permutation(len(self.groups)).tolist())) for _ in range(options.n_epochs)]
        self.own, head = list(trained(classifier.stack).values()), list(classifier.head.parameters())
        self.optimizer = torch.optim.AdamW(
            [
                {"params": self.own, "lr": options.learning_rate, "highest": options.learning_rate},
                {"params": head, "lr": options.head_learning_rate, "highest": options.head_learning_rate},
            ],
            weight_decay=options.weight_decay,
            fused=classifier.reader.device.split(":")[0] in ("cpu", "cuda"),
        )
        self.weights = [*self.own, *head]

    def run(self) -> Tuned:
        epochs: list[Epoch] = []
        best: list[torch.Tensor] = []
        chosen = 0
        for number in range(1, self.options.n_epochs + 1):
            epochs.append(Epoch(number, self._epoch(number), self._validation_ap()))
            self.report(_in_words(epochs[-1], self.options.n_epochs))
            if chosen == 0 or not _worse(epochs[-1], epochs[chosen - 1]):
                chosen = number
                best = [] if number == self.options.n_epochs else [weight.detach().clone() for weight in self.weights]
            if epochs[-1].validation_ap is not None and number - chosen >= self.options.patience:
                break
        if chosen != len(epochs):
            with torch.no_grad():
                for weight, value in zip(self.weights, best, strict=True):
                    weight.copy_(value)
        self.classifier.stack.eval()
        return Tuned(self.classifier, tuple(epochs), chosen)

    def _steps(self, order: Sequence[int]) -> Iterator[list[PrefixGroup]]:
        step: list[PrefixGroup] = []
        for index in order:
            step.append(self.groups[index])
            if sum(len(group.parts) for group in step) >= self.options.batch_answers:
                yield step
                step = []
        if step:
            yield step

    def _epoch(self, number: int) -> float:
        done, total = sum(map(len, self.steps[: number - 1])), sum(map(len, self.steps))
        steps = self.steps[number - 1]
        lines = {round(len(steps) * share) for share in (0.25, 0.5, 0.75)}
        loss = weight = 0.0
        started = time.monotonic()
        self.classifier.stack.train()
        for index, step in enumerate(steps, start=1):
            factor = _rate_factor(done + index, total, self.options.warmup)
            for parameters in self.optimizer.param_groups:
                parameters["lr"] = parameters["highest"] * factor
            step_loss, step_weight = self._step(step)
            loss, weight = loss + step_loss, weight + step_weight
            if index in lines:
                spent = time.monotonic() - started
                self.report(
                    f"epoch {number} of {self.options.n_epochs}: step {index} of {len(steps)}, "
                    f"loss {loss / weight:.4f}, {spent:.0f} s"
                )
        return loss / weight

    def _step(self, step: Sequence[PrefixGroup]) -> tuple[float, float]:
        """Take one step of the optimizer on some groups; return their summed loss and weights."""
        n_weights = sum(
            float(np.where(self.labels[part.owner][part.keep : part.stop] == 1, self.positive_weight, 1.0).sum())
            for group in step
            for part in group.parts
        )
        total = 0.0
        for group in self.classifier.divided(step):
            loss, _ = weighted_loss(self.classifier, group, self.labels, self.positive_weight)
            (loss / n_weights).backward()  # type: ignore[no-untyped-call]
            total += float(loss.detach())
        norm = torch.nn.utils.clip_grad_norm_(self.weights, self.options.max_gradient_norm)
        if not math.isfinite(total) or not bool(torch.isfinite(norm)):
            raise TrainingError("the loss or its gradient is no longer finite; use a lower learning rate, or float32")
        self.optimizer.step()
        self.optimizer.zero_grad()
        return total, n_weights

    def _validation_ap(self) -> float | None:
        from sklearn.metrics import average_precision_score

        labels = np.concatenate([*self.validation_labels, np.zeros(0, np.int8)])
        if labels.all() or not labels.any():
            return None
        scores = np.concatenate(self.classifier.scores(self.validation))
        return float(average_precision_score(labels, scores))


def _odds(labels: Sequence[Labels]) -> float:
    """Return how many hallucinated tokens there are for each grounded one."""
    n_positive = sum(int(row.sum()) for row in labels)
    n_negative = sum(len(row) for row in labels) - n_positive
    if not n_positive or not n_negative:
        raise TrainingError(
            f"training a token classifier needs hallucinated and grounded tokens, got {n_positive} and {n_negative}"
        )
    return n_positive / n_negative


def _rate_factor(step: int, n_steps: int, warmup: float) -> float:
    """Return the share of the highest rate in step 1..n_steps: up over the warm-up, then down to zero after the last.

    >>> [_rate_factor(step, 5, 0.4) for step in range(1, 6)]
    [0.5, 1.0, 0.75, 0.5, 0.25]
    """
    rising = math.ceil(warmup * n_steps)
    if step <= rising:
        return step / rising
    return (n_steps - step + 1) / (n_steps - rising + (rising > 0))


def _worse(epoch: Epoch, best: Epoch) -> bool:
    return (
        epoch.validation_ap is not None and best.validation_ap is not None and epoch.validation_ap <= best.validation_ap
    )


def _in_words(epoch: Epoch, n_epochs: int) -> str:
    validated = "" if epoch.validation_ap is None else f", validation token AP {epoch.validation_ap:.4f}"
    return f"epoch {epoch.number} of {n_epochs} done: loss {epoch.loss:.4f}{validated}"
