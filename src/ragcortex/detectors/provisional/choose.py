"""Which class judges an answer that grows, by the kind of detector."""

from ragcortex.detectors.detector import Detector
from ragcortex.detectors.fused import FusedDetector
from ragcortex.detectors.geometric import GeometricDetector
from ragcortex.detectors.internal import InternalDetector
from ragcortex.detectors.provisional.at_end import AtEnd
from ragcortex.detectors.provisional.fused import FusedSoFar
from ragcortex.detectors.provisional.geometric import GeometricSoFar
from ragcortex.detectors.provisional.internal import InternalSoFar
from ragcortex.detectors.provisional.judge import Provisional
from ragcortex.example import Example


def provisional(
    detector: Detector, base: Example, *, tokens_at_once: int = 64, read_again: bool = False
) -> Provisional:
    """Return what judges an answer to a question and references while it grows.

    Args:
        detector: who judges; of a kind not known here nothing is said before the end.
        base: question and references.
        tokens_at_once: as of `GrowingAnswer`.
        read_again: where the answer cannot be read as it grows, read it anew at each sentence end.

    Raises:
        InputError: `tokens_at_once` is out of range.
    """
    if isinstance(detector, GeometricDetector):
        return GeometricSoFar(detector, base)
    if isinstance(detector, InternalDetector):
        return InternalSoFar(detector, base, tokens_at_once=tokens_at_once, read_again=read_again)
    if isinstance(detector, FusedDetector):
        return FusedSoFar(detector, base, tokens_at_once=tokens_at_once, read_again=read_again)
    return AtEnd(detector, base)
