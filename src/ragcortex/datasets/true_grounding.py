"""TRUE: eleven data sets on factual consistency, as tables of one form.

The official format (repository google-research/true, script src/download_datasets.py, which fetches the eleven sets
and writes them): files `<set>_download.csv` with the columns `grounding`, `generated_text` and `label` (1 =
consistent), an index column without a name, and further ones such as `model`. There are no official splits: sources
are divided at random, 80 / 10 / 10.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from ragcortex.datasets.collector import BLANK_REFERENCES, Collector, source_group
from ragcortex.datasets.loaded import LoadedDataset
from ragcortex.datasets.official_files import found_files, missing
from ragcortex.datasets.official_rows import OfficialRow, csv_rows
from ragcortex.errors import InputError

ENDING: Final = "_download.csv"
# The label is 1 for consistent there, 0 here; pandas writes a column with gaps as 1.0.
_LABELS: Final[Mapping[str, int]] = {"1": 0, "1.0": 0, "0": 1, "0.0": 1}


def load(path: Path, *, seed: int = 0) -> LoadedDataset:
    """Return the generated texts with labels of whole texts; 1 = hallucinated, the opposite of the official label.

    Rows without grounding or text are dropped and counted. Texts about the same grounding are one group, also across
    the sets, so the split of a set depends on which others are loaded; the task of a text is the name of its set.

    Args:
        path: the folder with the tables, or one of them.
        seed: decides which sources go to which split.

    Raises:
        InputError: a file is missing or damaged, or nothing is left.
    """
    files = (path,) if path.is_file() else found_files(path, f"*{ENDING}")
    if not files:
        raise missing(path, (f"frank_valid{ENDING}", f"paws{ENDING}", f"another …{ENDING}"))
    collector = Collector("true")
    for file in files:
        task = file.name.removesuffix(ENDING).removesuffix(".csv")
        for number, row in enumerate(csv_rows(file), start=1):
            _add(row, task, f"{task}-{number}", collector)
    collector.split_at_random(seed, by_task=False)
    return collector.build()


def _add(row: OfficialRow, task: str, identifier: str, collector: Collector) -> None:
    grounding, answer = row.text("grounding"), row.text("generated_text")
    label = _LABELS.get(row.text("label").strip())
    if label is None:
        raise InputError("label", f"must be 0 or 1, got {row.text('label')!r} ({row.place})")
    if not grounding.strip():
        collector.drop(BLANK_REFERENCES, identifier)
        return
    generator = row.fields.get("model")
    collector.add(
        identifier,
        answer=answer,
        references=[grounding],
        label=label,
        group=source_group("true", grounding),
        generator=generator if isinstance(generator, str) and generator.strip() else None,
        task=task,
    )
