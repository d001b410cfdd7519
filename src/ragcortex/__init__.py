"""Marks, token by token, what a RAG answer says that its references do not support.

>>> from ragcortex import Detector
>>> detector = Detector.load()  # doctest: +SKIP
>>> detector.check("Where is it?", ["It is in Paris."], "It is in Lyon.").verdict  # doctest: +SKIP
'hallucinated'
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ragcortex.check import check
    from ragcortex.detectors.detector import Detector
    from ragcortex.detectors.geometric import GeometricDetector
    from ragcortex.example import Example
    from ragcortex.geometry.corpus import Corpus
    from ragcortex.report import Report

__version__ = "0.1.0"

_PUBLIC = {
    "Corpus": "ragcortex.geometry.corpus",
    "Detector": "ragcortex.detectors.detector",
    "Example": "ragcortex.example",
    "GeometricDetector": "ragcortex.detectors.geometric",
    "Report": "ragcortex.report",
    "check": "ragcortex.check",
}

__all__ = ["Corpus", "Detector", "Example", "GeometricDetector", "Report", "__version__", "check"]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that importing the package stays cheap."""
    if name not in _PUBLIC:
        raise AttributeError(f"module 'ragcortex' has no attribute {name!r}")
    return getattr(import_module(_PUBLIC[name]), name)


def __dir__() -> list[str]:
    return __all__
