"""How much the service keeps in corpora."""

from collections.abc import Sequence
from dataclasses import dataclass

from ragcortex.errors import InputError
from ragcortex.geometry.corpus_state import SourceText


@dataclass(frozen=True, slots=True)
class CorpusLimits:
    """How much the service keeps.

    Attributes:
        n_corpora: how many corpora.
        n_documents, n_characters: of one corpus.
        n_open: how many are kept open between two requests.
        n_waiting: how many changes may wait for the one that is worked on.
        lock_seconds: how long a change waits for another process's.
    """

    n_corpora: int = 200
    n_documents: int = 100_000
    n_characters: int = 100_000_000
    n_open: int = 8
    n_waiting: int = 8
    lock_seconds: float = 60.0

    def check(self, documents: Sequence[SourceText]) -> None:
        """Refuse documents that are too many or too long for one corpus, with InputError."""
        for what, n, most in (
            ("documents", len(documents), self.n_documents),
            ("characters", sum(len(document.text) for document in documents), self.n_characters),
        ):
            if n > most:
                raise InputError("documents", f"are {n:,} {what} in one corpus; this service takes {most:,} at most")
