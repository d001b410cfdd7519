"""From labelled examples to a bundle."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from ragcortex.bundle import Bundle, ReaderPin
from ragcortex.detectors.recipes import Recipe
from ragcortex.errors import InputError
from ragcortex.example import Example
from ragcortex.readers._hf import library_versions
from ragcortex.readers.reader import Reader
from ragcortex.readers.store import ReadingStore
from ragcortex.training.fit import Progress, TrainingOptions, fit
from ragcortex.training.tables import stored_readings


def train(
    examples: Sequence[Example],
    reader: Reader,
    recipe: Recipe,
    store: ReadingStore,
    *,
    name: str,
    data: str,
    version: str = "1",
    options: TrainingOptions | None = None,
    facts: Mapping[str, Any] | None = None,
    report: Progress = lambda _: None,
) -> Bundle:
    """Return a detector fitted on labelled examples; `Bundle.save` writes it.

    Args:
        examples: each with a label or spans; see `fit`.
        reader: reads them; the bundle belongs to it, unless every head works with any reader.
        recipe: what to fit.
        store: where readings are kept, so that an interrupted run goes on where it stopped.
        name, version: of the detector.
        data: what the examples are, in words, for the report and the card.
        options: see `TrainingOptions`.
        facts: more for the card, such as licences and the command.
        report: called with a line of progress now and then.

    Raises:
        InputError: a layer is deeper than the reader.
        TrainingError: see `fit`.
        ReadingError, StoreError: a reading failed or cannot be kept.
    """
    options = options or TrainingOptions()
    layers = layer_candidates(recipe, reader, options)
    source = stored_readings(examples, reader, recipe.spec(layers), store)
    identity = reader.identity
    fitted = fit(
        examples, source, recipe, layers, options,
        data=data, reader_fingerprint=identity.fingerprint, report=report,
    )  # fmt: skip
    any_reader = all(head.scorer_name == "gain" for head in fitted.heads)
    return Bundle(
        name=name,
        version=version,
        recipe=recipe.name,
        heads=fitted.heads,
        reader=None if any_reader else ReaderPin(identity.id, identity.revision, identity.fingerprint, reader.dtype),
        template=reader.template,
        smoothing=fitted.smoothing,
        answer_smoothing=fitted.answer_smoothing,
        calibration=fitted.calibration,
        libraries=library_versions(),
        training={
            "data": data,
            "n_examples": len(examples),
            "n_hallucinated": sum(example.answer_label == 1 for example in examples),
            "n_by_task": dict(sorted(Counter(example.task or "unnamed" for example in examples).items())),
            "seed": options.seed,
            "n_seeds": options.n_seeds,
            **fitted.choices,
            **(facts or {}),
        },
    )


def layer_candidates(recipe: Recipe, reader: Reader, options: TrainingOptions) -> tuple[int, ...]:
    """Return the layers to choose from; raises InputError if one is deeper than the reader."""
    chosen = options.layers or recipe.layer_candidates(reader.identity.n_layers)
    if max(chosen) > reader.identity.n_layers:
        raise InputError("layers", f"the reader has {reader.identity.n_layers} layers, got {max(chosen)}")
    return tuple(sorted(set(chosen)))
