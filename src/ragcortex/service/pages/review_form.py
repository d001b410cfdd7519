"""What a reviewer's form says: the stretches of the answer, the decision and the comment."""

import json
import re
from dataclasses import dataclass
from typing import Final

from starlette.datastructures import FormData

from ragcortex.errors import InputError
from ragcortex.service.checks import new_id
from ragcortex.service.pages.access import field
from ragcortex.service.pages.queue_view import spans_of
from ragcortex.service.reviews import NewReview

DECISIONS: Final = ("accept", "grounded")
_ID: Final = re.compile(r"[0-9a-f]{32}\Z")
_MOST_SPANS: Final = 1000
_LONGEST_COMMENT: Final = 5000


@dataclass(frozen=True, slots=True)
class ReviewForm:
    """A reviewer's form as it was sent, before its stretches are looked at.

    Attributes:
        id: of the review; made with the form, so that sending it twice keeps it once.
        decision: `accept` keeps the marked stretches, `grounded` none of them.
        marks: the stretches as the page's script sends them, a JSON list of pairs; "" without the script.
        pairs: the stretches as the fields of the form give them.
        comment: what the reviewer adds.
    """

    id: str
    decision: str
    marks: str
    pairs: tuple[tuple[str, str], ...]
    comment: str

    @classmethod
    def of(cls, form: FormData) -> "ReviewForm":
        """Return the form as it was sent.

        Raises:
            InputError: it holds no decision.
        """
        decision, given = field(form, "decision"), field(form, "review")
        if decision not in DECISIONS:
            raise InputError("decision", f"must be one of {', '.join(DECISIONS)}; use the buttons of the page")
        removed = {value for value in form.getlist("remove") if isinstance(value, str)}
        starts, ends = ([str(value) for value in form.getlist(name)] for name in ("start", "end"))
        pairs = [pair for index, pair in enumerate(zip(starts, ends, strict=False)) if str(index) not in removed]
        comment = field(form, "comment", most=_LONGEST_COMMENT)
        return cls(given if _ID.match(given) else new_id(), decision, field(form, "marks"), tuple(pairs), comment)

    def spans(self, length: int) -> tuple[dict[str, int], ...]:
        """Return the stretches of an answer of so many characters.

        Raises:
            InputError: they are malformed, too many, or lie outside the answer.
        """
        pairs = list(self.pairs)
        if self.marks:
            try:
                pairs = [(str(int(start)), str(int(end))) for start, end in json.loads(self.marks)]
            except (ValueError, TypeError, OverflowError, RecursionError) as error:
                raise InputError("marks", "must be a JSON list of pairs of whole numbers") from error
        if len(pairs) > _MOST_SPANS:
            raise InputError("marks", f"must be at most {_MOST_SPANS}, got {len(pairs)}")
        return spans_of(pairs, length)

    def review(self, check_id: str, reviewer: str, length: int) -> NewReview:
        """Return the review: hallucinated where stretches are kept, else grounded.

        Raises:
            InputError: as `spans`.
        """
        spans = self.spans(length) if self.decision == "accept" else ()
        return NewReview(self.id, check_id, reviewer, int(bool(spans)), spans, self.comment or None)
