"""A fine-tuned token classifier: LettuceDetect's recipe on the benchmark's own reader, the strongest peer.

Training takes long (some 25 processor minutes a fold of 720 answers for two epochs of a reader of 135 million weights),
so what a finished fold says of every answer outside its training set is kept, and an
interrupted run loses at most one fold. The weights are not kept unless asked for; an adapter always is.
"""

import dataclasses
import json
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ragcortex.benchmark.method import BenchmarkMethod, FittedMethod, FoldData, MethodScores, Workbench
from ragcortex.benchmark.method_card import MethodCard
from ragcortex.benchmark.methods.kept import Arrays, kept_arrays, reading_key
from ragcortex.errors import InputError
from ragcortex.example import Example
from ragcortex.readers.adapter import LowRank
from ragcortex.readers.reader import Reader
from ragcortex.readers.reading import ReadingSpec
from ragcortex.readers.token_classifier import ClassifierForm, Precision, Weights
from ragcortex.readers.tuning_options import TuningOptions
from ragcortex.score_arrays import Floats

if TYPE_CHECKING:
    from ragcortex.readers.tuning import Tuned

# Raised whenever the code changes what a fold gives for the same inputs.
_FORMAT: Final = 2
_CHOICES: Final = "choices"
_NO_AP: Final = "nothing: the validation answers lack hallucinated or grounded tokens, so the first candidate is taken"


class FittedTokenClassifier(FittedMethod):
    """What a fold's token classifier says of the answers it was not trained on."""

    def __init__(self, choices: Mapping[str, Any], scores: Mapping[int, Floats]) -> None:
        self.choices = choices
        self._scores = scores

    def score(self, bench: Workbench, indices: Sequence[int]) -> Iterator[MethodScores]:
        """Yield the kept scores.

        Raises:
            InputError: an answer was trained on, or could not be read when the fold was scored.
        """
        for index in indices:
            if index not in self._scores:
                raise InputError(
                    "indices",
                    f"answer {bench.examples[index].id!r} has no kept score: it was trained on in this fold, or its "
                    "text or references are blank",
                )
            yield MethodScores(self._scores[index])


class TokenClassifierMethod(BenchmarkMethod):
    """The reader fine-tuned on the labels of its answers' tokens.

    Args:
        learning_rates: each is tried and the best on validation answers kept (the first where they cannot tell).
        n_epochs: at most; the best on validation answers is kept, and `patience` epochs without a better one end it.
        patience: see `n_epochs`.
        weights: `full` tunes all of the reader, `adapter` a low-rank change (needs peft).
        rank: of the adapter; its alpha is twice the rank.
        depth: the layer whose state is classified, the layers above it left out; None takes the last.
        precision: of the matrix products, `bfloat16` or `float32`.
        positive_weight: what a hallucinated token counts in the loss; None balances the classes.
        batch_answers: a step takes whole sources until it has this many answers.
        pack: read the answers of one source in one sequence.
        keep_weights: keep what training changed beside the scores; None keeps adapters only.

    Raises:
        InputError: there is no learning rate, or an option is out of range.
    """

    card = MethodCard(
        name="token-classifier",
        title="Fine-tuned token classifier",
        summary="the reader itself, tuned to mark the hallucinated tokens of the answer in the pass with references",
        source=(
            "LettuceDetect (arXiv 2502.17125) and its released training; here on the benchmark's causal reader, which "
            "judges a token without what follows it, with warm-up, a falling rate, clipped gradients, and the epoch "
            "chosen by average precision"
        ),
        training="labels",
        scale="probability",
    )

    runs_model = True

    def __init__(
        self,
        *,
        learning_rates: Sequence[float] = (1e-5,),
        n_epochs: int = 6,
        patience: int = 2,
        weights: Weights = "full",
        rank: int = 16,
        depth: int | None = None,
        precision: Precision = "bfloat16",
        positive_weight: float | None = 1.0,
        batch_answers: int = 4,
        pack: bool = True,
        keep_weights: bool | None = None,
    ) -> None:
        if not learning_rates:
            raise InputError("learning_rates", "must hold at least one")
        low_rank = LowRank(rank, 2 * rank)
        form = ClassifierForm(weights=weights, depth=depth, precision=precision, pack=pack, low_rank=low_rank)
        self.candidates = tuple(
            TuningOptions(
                form,
                learning_rate=rate,
                n_epochs=n_epochs,
                patience=patience,
                batch_answers=batch_answers,
                positive_weight=positive_weight,
            )
            for rate in learning_rates
        )
        self.keeps_weights = weights == "adapter" if keep_weights is None else keep_weights

    def spec(self, reader: Reader) -> ReadingSpec:  # noqa: ARG002
        """Return an empty spec: it reads by itself, with weights of its own."""
        return ReadingSpec()

    def fit(self, bench: Workbench, fold: FoldData) -> FittedTokenClassifier:
        """Return the fold's scores: kept ones if nothing they depend on has changed, else those of a new training.

        Answers without known spans are not trained or validated on, but scored. One network is trained whatever the
        workbench asks for: each costs as much as the first.

        Raises:
            TrainingError: the training tokens are all of one class, or the loss is no longer finite.
            StoreError: the scores cannot be written.
        """
        path = bench.folder / self.card.name / f"fold-{fold.number}"
        key = self._key(bench, fold)
        arrays = kept_arrays(path, key, partial(self._made, bench, fold, key), report=bench.report)
        choices = json.loads(arrays.pop(_CHOICES).tobytes().decode())
        return FittedTokenClassifier(choices, {int(name): scores for name, scores in arrays.items()})

    def _made(self, bench: Workbench, fold: FoldData, key: Mapping[str, Any]) -> Arrays:
        """Train, and return the scores of all other answers by position, and what was chosen as JSON in bytes."""
        best, choices = self._trained(bench, fold)
        trained_on = set(fold.training)
        others = [
            index for index, example in enumerate(bench.examples) if index not in trained_on and _is_readable(example)
        ]
        bench.report(f"fold {fold.number}: scoring {len(others)} answers")
        scores = best.classifier.scores([bench.examples[index] for index in others])
        if self.keeps_weights:
            path = bench.folder / self.card.name / f"weights-{fold.number}"
            kept_arrays(path, key, lambda: dict(best.classifier.arrays()), report=bench.report)
        written = np.frombuffer(json.dumps(choices).encode(), dtype=np.uint8)
        return {_CHOICES: written, **{str(index): row for index, row in zip(others, scores, strict=True)}}

    def _trained(self, bench: Workbench, fold: FoldData) -> tuple["Tuned", dict[str, Any]]:
        """Return the candidate that does best on validation answers, and how each did."""
        from ragcortex.readers.tuning import tune

        training = [bench.examples[index] for index in bench.with_known_spans(fold.training)]
        validation = [bench.examples[index] for index in bench.with_known_spans(fold.validation)]
        best: Tuned | None = None
        chosen = 0
        trials: list[dict[str, Any]] = []
        for number, candidate in enumerate(self.candidates):
            place = f"fold {fold.number}, rate {candidate.learning_rate:g}: "
            options = dataclasses.replace(candidate, seed=bench.seed)
            report = partial(_report, bench, place)
            tuned = tune(bench.reader, training, options, validation=validation, report=report)
            trials.append({"options": dataclasses.asdict(options), **_in_brief(tuned)})
            if best is None or (tuned.validation_ap or 0.0) > (best.validation_ap or 0.0):
                best, chosen = tuned, number
        assert best is not None
        chosen_by = _NO_AP if best.validation_ap is None else "validation token AP"
        return best, {"chosen": chosen, "chosen_by": chosen_by, "trials": trials}

    def _key(self, bench: Workbench, fold: FoldData) -> dict[str, Any]:
        """Return everything that decides the scores of a fold."""
        return {
            "format": _FORMAT,
            **reading_key(bench, range(len(bench.examples))),
            "spans": [_spans(example) for example in bench.examples],
            "candidates": [dataclasses.asdict(candidate) for candidate in self.candidates],
            "seed": bench.seed,
            "training": fold.training,
            "validation": fold.validation,
        }


def _spans(example: Example) -> list[tuple[int, int]] | None:
    return None if example.known_spans is None else [(span.start, span.end) for span in example.known_spans]


def _is_readable(example: Example) -> bool:
    return bool(example.answer.strip()) and any(reference.text.strip() for reference in example.references)


def _report(bench: Workbench, place: str, line: str) -> None:
    bench.report(place + line)


def _in_brief(tuned: "Tuned") -> dict[str, Any]:
    return {
        "epochs": [dataclasses.asdict(epoch) for epoch in tuned.epochs],
        "epoch": tuned.chosen,
        "validation_ap": tuned.validation_ap,
    }
