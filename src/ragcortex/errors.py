"""Everything that can go wrong, in one tree, with its exit code and HTTP status.

::

    RagcortexError
    ├── InputError            a value given by the caller is missing, malformed or out of range (names the field)
    ├── ModelError            a reader cannot be found, loaded or trusted
    │   └── ModelMissingError     it is not on this machine; the message says how to get it
    ├── BundleError           a detector bundle is damaged, incomplete or of another reader
    ├── ReadingError          a reader produced something unusable (non-finite states, tokens that differ)
    │   └── OutOfMemoryError      the memory does not suffice for one answer, read alone
    ├── StoreError            a cache or output file cannot be read or written
    └── TrainingError         the training data cannot yield a detector
"""

from typing import Final


class RagcortexError(Exception):
    """Base of every error this package raises on purpose; its text is one sentence for a person.

    Halves of characters, which a message may repeat from what was read, are spelled out: it can be written anywhere.
    """

    def __init__(self, *arguments: object) -> None:
        super().__init__(*(_encodable(one) if isinstance(one, str) else one for one in arguments))


class InputError(RagcortexError):
    """A value given by the caller cannot be used; `field` names it as in the input row or the option."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(f"{field}: {message}")
        self.field = _encodable(field)
        self.message = _encodable(message)


class ModelError(RagcortexError):
    """A reader cannot be loaded or trusted."""


class ModelMissingError(ModelError):
    """A reader is not on this machine; nothing was downloaded."""


class BundleError(RagcortexError):
    """A detector bundle is damaged, incomplete, of an unknown version, or was fitted on another reader."""


class ReadingError(RagcortexError):
    """A reading is unusable: non-finite states or answer tokens that differ between the two passes."""


class OutOfMemoryError(ReadingError):
    """The memory does not suffice for a single answer or text; several are read in smaller batches before that."""


class StoreError(RagcortexError):
    """A file of the cache or an output file cannot be read or written."""


class TrainingError(RagcortexError):
    """The training data cannot yield a detector."""


EXIT_OK: Final = 0
EXIT_FAILED_ON: Final = 1
EXIT_INPUT: Final = 2
EXIT_MODEL: Final = 3
EXIT_NOTHING_TO_CHECK: Final = 4
EXIT_SOME_ROWS_FAILED: Final = 5
EXIT_INTERNAL: Final = 70
EXIT_INTERRUPTED: Final = 130

_CODES: Final[dict[type[RagcortexError], tuple[int, int]]] = {
    InputError: (EXIT_INPUT, 422),
    ModelError: (EXIT_MODEL, 503),
    ModelMissingError: (EXIT_MODEL, 503),
    BundleError: (EXIT_MODEL, 503),
    ReadingError: (EXIT_INTERNAL, 500),
    OutOfMemoryError: (EXIT_INTERNAL, 500),
    StoreError: (EXIT_INTERNAL, 500),
    TrainingError: (EXIT_INPUT, 422),
    RagcortexError: (EXIT_INTERNAL, 500),
}


def exit_code(error: RagcortexError) -> int:
    """Return the process exit code for an error, that of its nearest listed ancestor.

    >>> exit_code(InputError("answer", "is missing"))
    2
    """
    return _code(error)[0]


def http_status(error: RagcortexError) -> int:
    """Return the HTTP status for an error, that of its nearest listed ancestor.

    >>> http_status(ModelMissingError("no reader"))
    503
    """
    return _code(error)[1]


def _encodable(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()


def _code(error: RagcortexError) -> tuple[int, int]:
    return next(_CODES[kind] for kind in type(error).__mro__ if kind in _CODES)
