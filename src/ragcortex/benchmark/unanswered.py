"""Questions that a model gave no usable answer to: an error that counts them, or the half that was asked for."""

from typing import Final, Literal

from ragcortex.benchmark.keyed_rows import KeyedRows
from ragcortex.benchmark.yes_no import Judgement
from ragcortex.errors import ReadingError

Unparsable = Literal["error", "half"]
UNPARSABLE: Final = ("error", "half")


class Unanswered:
    """Counts them.

    Args:
        method: its name, for messages.
        rows: where they can be looked at.
        policy: `error` refuses the scores once everything has been asked; `half` scores 0.5, as SelfCheckGPT does.
    """

    def __init__(self, method: str, rows: KeyedRows, policy: Unparsable) -> None:
        self._method, self._rows, self._policy = method, rows, policy
        self._first = ""
        self.n_asked = self.n_unanswered = 0

    def score(self, judgement: Judgement) -> float:
        """Return a judgement's score; 0.5 and a count where it has none."""
        self.n_asked += 1
        if judgement.score is not None:
            return judgement.score
        self._first = self._first or judgement.said
        self.n_unanswered += 1
        return 0.5

    def settle(self) -> None:
        """Refuse what cannot be scored, unless half was asked for.

        Raises:
            ReadingError: there was no usable answer to at least one question.
        """
        if self.n_unanswered and self._policy == "error":
            raise ReadingError(
                f"{self._method}: {self.n_unanswered:,} of {self.n_asked:,} questions got no usable Yes or No, the "
                f"first {self._first[:120]!r}; all are kept in {str(self._rows.path)!r}. Run again to ask only these "
                "again, or set the option unparsable to 'half' to score them 0.5"
            )
