"""All self-checks, one after the other; none of them raises, and a model that is missing is one finding."""

import gc
from collections.abc import Callable, Iterator

from ragcortex.cli.finding import Finding
from ragcortex.cli.self_test.measured import not_run
from ragcortex.detectors.registry import DEFAULT_DETECTOR
from ragcortex.errors import RagcortexError


def self_findings(detector: str, reader: str | None, device: str | None, dtype: str | None) -> Iterator[Finding]:
    """Yield the findings of the self-checks.

    Args:
        detector: whose reader is checked.
        reader: the reader, if not the detector's own.
        device, dtype: where and in which precision to read.
    """
    groups: list[tuple[str, Callable[[], Iterator[Finding]]]] = [
        ("label persistence", _smoothing),
        ("reader checks", lambda: _reader(detector, reader, device, dtype)),
        ("encoder checks", lambda: _embedder(device)),
        ("known answers", lambda: _answers(detector, reader, device, dtype)),
    ]
    for name, group in groups:
        try:
            yield from group()
        except RagcortexError as error:
            detail, _, remedy = str(error).partition("; ")
            yield Finding(name, False, f"not finished: {detail}", remedy)
        except Exception as error:  # as the other checks: a broken library raises anything
            detail = f"not finished: {type(error).__name__}: {error}"
            yield Finding(name, False, detail, "install ragcortex anew in a fresh environment")
        gc.collect()  # a group's models go before the next ones come


def _smoothing() -> Iterator[Finding]:
    from ragcortex.cli.self_test.smoothing_check import smoothing_check

    yield smoothing_check()


def _reader(detector: str, reader: str | None, device: str | None, dtype: str | None) -> Iterator[Finding]:
    from ragcortex.bundle import Bundle
    from ragcortex.cli.self_test.reader_checks import ReaderChecks
    from ragcortex.detectors.loading import reading_folder
    from ragcortex.readers.reader import Reader

    bundle = Bundle.load(reading_folder(detector))
    source = reader or (bundle.reader.id if bundle.reader is not None else "embedded")
    yield from ReaderChecks.of(Reader.load(source, device=device, dtype=dtype, template=bundle.template)).findings()


def _embedder(device: str | None) -> Iterator[Finding]:
    from ragcortex.cli.self_test.embedder_checks import embedder_findings
    from ragcortex.geometry.embedders.load import load_embedder
    from ragcortex.settings import settings

    endpoint = (settings().embedder or "").startswith(("http://", "https://"))
    yield from embedder_findings(load_embedder(device=None if endpoint else device))


def _answers(detector: str, reader: str | None, device: str | None, dtype: str | None) -> Iterator[Finding]:
    from ragcortex.cli.self_test.answer_checks import NAMES, answer_findings
    from ragcortex.detectors.detector import Detector

    if detector != DEFAULT_DETECTOR or reader is not None:
        why = f"the verdicts of the detector {DEFAULT_DETECTOR!r} with its own reader are known, no other's"
        yield from (not_run(name, why) for name in NAMES)
        return
    yield from answer_findings(Detector.load(detector, device=device, dtype=dtype, strict=True))
