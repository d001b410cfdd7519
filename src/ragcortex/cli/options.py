"""Options that several commands share, and the detector they ask for."""

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from ragcortex.detectors.detector import Detector

DetectorOption = Annotated[
    str,
    typer.Option("--detector", metavar="NAME|DIR", help="A shipped detector, or a folder that `train` wrote."),
]
ReaderOption = Annotated[
    str | None,
    typer.Option(
        "--reader",
        metavar="SOURCE",
        help="The reader: `embedded`, a hub id, a folder or a .gguf file. [default: the detector's own]",
    ),
]
DeviceOption = Annotated[
    str | None,
    typer.Option("--device", metavar="DEVICE", help="cpu, cuda, cuda:N or mps. [default: the best there is]"),
]
DtypeOption = Annotated[
    str | None,
    typer.Option(
        "--dtype", metavar="DTYPE", help="float32, bfloat16 or float16. [default: bfloat16 on CUDA, else float32]"
    ),
]
WindowOption = Annotated[
    int | None,
    typer.Option(
        "--window",
        metavar="N",
        help="The longest input in tokens; longer input is divided. [default: the reader's own]",
    ),
]
StoreOption = Annotated[
    str | None,
    typer.Option("--store", metavar="DIR", help="Where readings are kept. [default: in the cache folder]"),
]
SkipBadRowsOption = Annotated[
    bool, typer.Option("--skip-bad-rows", help="Leave out rows that cannot be used instead of stopping at them.")
]


def load_detector(
    source: str,
    *,
    reader: str | None,
    device: str | None,
    dtype: str | None,
    window: int | None = None,
    group_size: int | None = None,
) -> "Detector":
    """Return the detector that the options ask for; see `Detector.load` for the errors."""
    from ragcortex.detectors.registry import find_bundle
    from ragcortex.readers.reader import ReaderOptions

    # First what is quick to refuse: a name that does not exist must not wait for a model to load.
    find_bundle(source)
    options = ReaderOptions(window=window) if group_size is None else ReaderOptions(window, group_size=group_size)
    from ragcortex.detectors.detector import Detector

    return Detector.load(source, reader=reader, device=device, dtype=dtype, options=options)
