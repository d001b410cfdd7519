"""Options that several commands share, and the internal witness they ask for."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from ragcortex.errors import InputError

if TYPE_CHECKING:
    from ragcortex.detectors.internal import InternalDetector

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

FlaggedOption = Annotated[
    float | None,
    typer.Option(
        "--flagged",
        metavar="SHARE",
        help="The share of grounded statements that may be flagged; sets the threshold. [default: 0.02]",
    ),
]


def check_flagged(flagged: float | None) -> None:
    """Refuse a share that is none, before answers are read."""
    if flagged is not None and not 0 < flagged < 1:
        raise InputError("flagged", f"must be a share between 0 and 1, got {flagged:g}")


def embedder_option(default: str) -> Any:
    """Return the `--embedder` option of a command that takes `default` without it."""
    return typer.Option(
        "--embedder",
        metavar="SOURCE",
        help=f"`embedded`, a hub id, a folder or an endpoint's address. [default: {default}]",
    )


def load_internal(
    source: str, *, reader: str | None, device: str | None, dtype: str | None, window: int | None = None
) -> "InternalDetector":
    """Return the internal witness that the options ask for; see `Detector.load` for the errors."""
    from ragcortex.detectors.internal import InternalDetector
    from ragcortex.readers.reader import ReaderOptions

    options = ReaderOptions(window=window)
    return InternalDetector.load(source, reader=reader, device=device, dtype=dtype, options=options)
