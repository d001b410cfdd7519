"""What follows a verdict: an answer passes, is annotated, generated anew or withheld. No framework is needed for it."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Final, Literal, get_args

from ragcortex.checks import check_known, check_parts, check_position, check_text, nearest_hint
from ragcortex.errors import InputError
from ragcortex.report import VERDICTS, Report

Action = Literal["pass", "annotate", "retry", "block"]
FinalAction = Literal["pass", "annotate", "block"]
ACTIONS: Final[tuple[str, ...]] = get_args(Action)
FINAL_ACTIONS: Final[tuple[str, ...]] = get_args(FinalAction)
BLOCKED_TEXT: Final = "This answer was withheld because its sources do not support it."


@dataclass(frozen=True, slots=True)
class GuardPolicy:
    """Which action follows each verdict.

    `pass` shows the answer as it is; `annotate` marks what is unsupported in it; `retry` has it generated anew, with a
    hint, and judges the new one; `block` shows `blocked_text` instead.

    Attributes:
        grounded, review, hallucinated, no_claim, not_verifiable: the action for each verdict. An answer that states
            nothing (`no_claim`: "I do not know", say) passes by default.
        max_retries: how often one answer is generated anew, at most.
        after_retries: what is done with the best answer when no more are generated, or where nothing can generate one.
        blocked_text: what stands in for an answer that is withheld.
        marks: what stands before and behind an unsupported passage in an annotated answer.

    Raises:
        InputError: a field is not what it should be; the message names it.
    """

    grounded: Action = "pass"
    review: Action = "annotate"
    hallucinated: Action = "retry"
    no_claim: Action = "pass"
    not_verifiable: Action = "annotate"
    max_retries: int = 1
    after_retries: FinalAction = "block"
    blocked_text: str = BLOCKED_TEXT
    marks: tuple[str, str] = ("⟦", "⟧")

    def __post_init__(self) -> None:
        for verdict in VERDICTS:
            check_known(verdict, getattr(self, verdict), ACTIONS)
        check_position("max_retries", self.max_retries)
        check_known("after_retries", self.after_retries, FINAL_ACTIONS)
        check_text("blocked_text", self.blocked_text)
        if not isinstance(self.marks, tuple) or len(self.marks) != 2:
            raise InputError("marks", f"must be two texts, before and behind a passage, got {self.marks!r}")
        for index, mark in enumerate(self.marks):
            check_text(f"marks[{index}]", mark)

    @classmethod
    def observe(cls) -> "GuardPolicy":
        """Return the policy that judges every answer and lets every answer pass."""
        return cls(review="pass", hallucinated="pass", not_verifiable="pass")

    @classmethod
    def strict(cls) -> "GuardPolicy":
        """Return the policy that shows only what is grounded or states nothing; the rest is retried once, then held."""
        return cls(review="retry", not_verifiable="block")

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> "GuardPolicy":
        """Return the policy of its JSON form, as `to_dict` writes it; what is left out has its default.

        Raises:
            InputError: a name is unknown, or a value is not what it should be.
        """
        names = [one.name for one in fields(cls)]
        for name in values:
            if name not in names:
                raise InputError("policy", f"has no field {name!r}; {nearest_hint(str(name), names)}")
        marks = values.get("marks")
        return cls(**{**values, "marks": tuple(marks)} if isinstance(marks, list) else dict(values))

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {one.name: getattr(self, one.name) for one in fields(self)} | {"marks": list(self.marks)}

    def action_for(self, report: Report) -> Action:
        """Return the action that follows a report's verdict."""
        action: Action = getattr(self, report.verdict)
        return action

    @property
    def changes_answers(self) -> bool:
        """Whether any verdict leads to something else than `pass`."""
        return any(getattr(self, verdict) != "pass" for verdict in VERDICTS)


@dataclass(frozen=True, slots=True)
class Retry:
    """An answer is wanted anew.

    Attributes:
        hint: what to tell the generator: the unsupported passages, and what the references say instead.
        report: on the answer that was not good enough.
        number: which retry this is, from 1.
    """

    hint: str
    report: Report
    number: int


@dataclass(frozen=True, slots=True)
class GuardedAnswer:
    """What became of an answer.

    Attributes:
        answer: the text that may be shown.
        action: what was done: `pass`, `annotate` or `block`.
        report: on the answer that `answer` was made of, as it was generated (`report.answer`).
        attempts: the reports on all answers that were generated, in order; `report` is one of them, number `chosen`.
    """

    answer: str
    action: FinalAction
    report: Report
    attempts: tuple[Report, ...]

    def __post_init__(self) -> None:
        check_text("answer", self.answer)
        check_known("action", self.action, FINAL_ACTIONS)
        check_parts("attempts", self.attempts, Report)
        if not any(report is self.report for report in self.attempts):
            raise InputError("report", "must be one of the attempts")

    @property
    def chosen(self) -> int:
        """Which of the attempts `answer` was made of, from 0."""
        return next(number for number, report in enumerate(self.attempts) if report is self.report)

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return {
            "answer": self.answer,
            "action": self.action,
            "report": self.report.to_dict(),
            "attempts": [report.to_dict() for report in self.attempts],
        }
