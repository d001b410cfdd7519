"""From a detector that reads to a folder that holds it and its fusion with the geometric witness."""

import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import numpy as np

from ragcortex.card import card
from ragcortex.detectors.fused import internal_digest
from ragcortex.detectors.geometric import GeometricDetector
from ragcortex.detectors.internal import InternalDetector
from ragcortex.detectors.recipes import Recipe
from ragcortex.detectors.standings import unfit_statements
from ragcortex.errors import StoreError, TrainingError
from ragcortex.example import Example
from ragcortex.fusion.model import FILE_NAME, FusionModel
from ragcortex.fusion_card import fusion_card
from ragcortex.readers.store import ReadingStore
from ragcortex.splits import group_indices
from ragcortex.training.fit import Progress, TrainingOptions
from ragcortex.training.fusion import FLAGGED, N_FOLDS, FusionIdentity, FusionRow, fit_fusion
from ragcortex.training.fusion_rows import fusion_row, held_out_raws
from ragcortex.training.geometry import witnessed
from ragcortex.training.tables import stored_readings
from ragcortex.training.train import layer_candidates
from ragcortex.whole_files import take_place

INTERNAL: Final = "internal"
"""The folder of the detector that reads, beside the fusion's file."""
_CARD: Final = "README.md"


def check_fusible(examples: Sequence[Example]) -> None:
    """Refuse labelled answers that no fusion can be fitted on, before a detector is fitted on them for hours.

    Raises:
        TrainingError: a class is missing, no hallucinated span is known, or there are fewer than five sources.
    """
    wrong = [example for example in examples if example.answer_label == 1]
    if not 0 < len(wrong) < len(examples):
        raise TrainingError(
            f"a fusion needs grounded and hallucinated answers, got {len(wrong)} hallucinated of {len(examples)}; "
            "label more answers"
        )
    if all(example.known_spans is None for example in wrong):
        raise TrainingError(
            "a fusion needs answers whose hallucinated spans are marked, and no span is; give `spans` with the rows"
        )
    n_sources = len(np.unique(group_indices([example.group for example in examples])))
    if n_sources < N_FOLDS:
        raise TrainingError(
            f"a fusion is fitted on {N_FOLDS} folds of sources, and there are {n_sources}; label answers to more"
        )


def train_fusion(
    examples: Sequence[Example],
    internal: InternalDetector,
    geometric: GeometricDetector,
    recipe: Recipe,
    store: ReadingStore,
    *,
    out: Path,
    name: str,
    data: str,
    options: TrainingOptions | None = None,
    facts: Mapping[str, Any] | None = None,
    flagged: float = FLAGGED,
    report: Progress = lambda _: None,
) -> FusionModel:
    """Fit the fusion of a detector with the geometric witness, write both as one folder, and return the fusion.

    The fusion is fitted on scores of heads that saw no answer to the same source, so the recipe is fitted five times
    more. The folder holds `fusion.json`, its card, and the detector in `internal`; `Detector.load` takes it anywhere.

    Args:
        examples: those that the detector was fitted on.
        internal: the detector that reads.
        geometric: the geometric witness.
        recipe, store: as `train` was given them.
        out: the folder to write, whole or not at all; one that is there is replaced.
        name: of the fusion.
        data: what the examples are, in words.
        options: as `train` was given them; the layers are those of the bundle.
        facts: more for the card, such as licences.
        flagged: at most this share of the grounded statements is flagged.
        report: called with a line of progress now and then.

    Raises:
        TrainingError: as `check_fusible`, or too few answers claim something.
        ReadingError, StoreError: a reading failed, or something cannot be written.
    """
    check_fusible(examples)
    options = options or TrainingOptions()
    rows = _rows(examples, internal, geometric, recipe, store, options=options, report=report)
    with _replacing(out) as folder:
        internal.bundle.save(folder / INTERNAL, card=card(internal.bundle))
        digest = internal_digest(folder / INTERNAL)
        model = fit_fusion(
            rows,
            FusionIdentity(name, "1", INTERNAL, digest, geometric.model.fingerprint),
            calibrate_on=lambda _: True,
            data=f"five-fold scores of {data}",
            training={"data": data, "n_answers": len(rows), "seed": options.seed, **(facts or {})},
            flagged=flagged,
            seed=options.seed,
        )
        model.save(folder / FILE_NAME)
        (folder / _CARD).write_text(fusion_card(model), encoding="utf-8")
    return model


def _rows(
    examples: Sequence[Example],
    internal: InternalDetector,
    geometric: GeometricDetector,
    recipe: Recipe,
    store: ReadingStore,
    *,
    options: TrainingOptions,
    report: Progress,
) -> list[FusionRow]:
    """Return what both witnesses say of the examples that claim something."""
    reader, model = internal.reader, geometric.model
    layers = internal.bundle.layers or layer_candidates(recipe, reader, options)
    source = stored_readings(examples, reader, internal.bundle.spec(), store)
    raws = held_out_raws(examples, source, recipe, layers, options=options, reader=reader, report=report)
    report(f"comparing {len(examples):,} answers with their references")
    seen = {
        id(one.example): one
        for one in witnessed(examples, geometric.embedder, chunking=model.chunking, options=model.options)
    }
    if len(seen) < len(examples):
        report(f"left out of the fusion: {len(examples) - len(seen):,} answers that claim nothing")
    rows = []
    used = [index for index, example in enumerate(examples) if id(example) in seen]
    for index, reading in zip(used, source(used), strict=True):
        one = seen[id(examples[index])]
        unfit = unfit_statements(one.evidence, geometric.embedder)
        rows.append(fusion_row(one, reading, raws[index], geometric.scores(one.evidence), unfit=unfit))
    return rows


@contextmanager
def _replacing(out: Path) -> Iterator[Path]:
    """Give a new folder beside `out` that takes its place when the block has ended well."""
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(dir=out.parent, prefix=f".{out.name}-"))
    except OSError as error:
        raise StoreError(f"the folder {str(out)!r} cannot be written: {error.strerror or error}") from error
    try:
        yield temporary
        temporary.chmod(0o755)
        take_place(temporary, out)
    except OSError as error:
        raise StoreError(f"the folder {str(out)!r} cannot be written: {error.strerror or error}") from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
