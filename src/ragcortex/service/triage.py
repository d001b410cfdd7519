"""What is done about a verdict: let it pass, show it to a person, or hold it back; and who is seen first."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from ragcortex.checks import check_known, check_score, check_text
from ragcortex.errors import InputError
from ragcortex.report import VERDICTS, Report

Action = Literal["pass", "review", "block"]
ACTIONS: Final = ("pass", "review", "block")
FEEDBACK_PRIORITY: Final = 3.0
"""What is added to the priority of an answer that its user calls wrongly judged: it comes before all others."""
_BASE: Final = {"block": 2.0, "review": 1.0, "pass": 0.0}
_UNJUDGED_PRIORITY: Final = 0.5
_BELOW_ONE: Final = 0.99
_LONGEST_NAME: Final = 200


@dataclass(frozen=True, slots=True)
class Policy:
    """Which action follows each verdict.

    Attributes:
        name: what requests call it.
        actions: one action for each verdict.
        sample: the share of passing answers that a person sees all the same, in [0, 1]: only so is it known what
            passes wrongly.

    Raises:
        InputError: a verdict has no action, or one that is not known; a share is out of range, or the name too long.
    """

    name: str
    actions: Mapping[str, Action]
    sample: float = 0.0

    def __post_init__(self) -> None:
        check_text("name", self.name, filled=True)
        if len(self.name) > _LONGEST_NAME or not self.name.isprintable():
            raise InputError("name", f"must be one line of at most {_LONGEST_NAME} characters, got {self.name[:40]!r}")
        check_score("sample", self.sample)
        for verdict in VERDICTS:
            if verdict not in self.actions:
                raise InputError(f"actions.{verdict}", f"is missing; give one of {', '.join(ACTIONS)}")
        for verdict, action in self.actions.items():
            check_known("actions", verdict, VERDICTS)
            check_known(f"actions.{verdict}", action, ACTIONS)

    @classmethod
    def of(cls, values: object, place: str = "policy") -> "Policy":
        """Return the policy of its JSON form: `name`, `actions` and perhaps `sample`."""
        if not isinstance(values, Mapping) or not set(values) <= {"name", "actions", "sample"}:
            raise InputError(place, "must be an object of name, actions and perhaps sample")
        if not isinstance(values.get("actions"), Mapping):
            raise InputError(f"{place}.actions", "must be an object with an action for each verdict")
        try:
            return cls(values.get("name"), dict(values["actions"]), values.get("sample", 0.0))  # type: ignore[arg-type]
        except InputError as error:
            raise InputError(f"{place}.{error.field}", error.message) from None

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {"name": self.name, "actions": dict(self.actions), "sample": self.sample}


@dataclass(frozen=True, slots=True)
class Triage:
    """What becomes of one answer: the action, whether it is queued, as a sample or not, and how early it is seen."""

    action: Action
    queued: bool
    sampled: bool
    priority: float


def _actions(grounded: Action, review: Action, hallucinated: Action, not_verifiable: Action) -> dict[str, Action]:
    return {
        "grounded": grounded,
        "review": review,
        "hallucinated": hallucinated,
        "no_claim": "pass",
        "not_verifiable": not_verifiable,
    }


BUILT_IN: Final[dict[str, Policy]] = {
    policy.name: policy
    for policy in (
        Policy("triage", _actions("pass", "review", "block", "review"), sample=0.02),
        Policy("strict", _actions("pass", "block", "block", "block"), sample=0.02),
        Policy("review-only", _actions("pass", "review", "review", "review"), sample=0.02),
        Policy("observe", _actions("pass", "pass", "pass", "pass"), sample=0.05),
    )
}


def load_policies(file: Path | None) -> dict[str, Policy]:
    """Return the policies by name: the built-in ones, and those of a JSON file (a list), which may replace them.

    Raises:
        InputError: the file cannot be read, or a policy in it is malformed; the message names the place.
    """
    if file is None:
        return dict(BUILT_IN)
    try:
        values = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise InputError("policies", f"{str(file)!r} cannot be read as JSON: {error}") from error
    if not isinstance(values, list):
        raise InputError("policies", f"{str(file)!r} must hold a list of policies, got {type(values).__name__}")
    own = [Policy.of(value, f"policies[{index}]") for index, value in enumerate(values)]
    if len({policy.name for policy in own}) < len(own):
        raise InputError("policies", f"{str(file)!r} names a policy twice")
    return BUILT_IN | {policy.name: policy for policy in own}


def triage(policy: Policy, report: Report, check_id: str, *, storing_text: bool = True) -> Triage:
    """Return what becomes of a judged answer.

    Blocked answers come before those to review, since somebody waits for them; within a kind, those whose score lies
    nearest to the threshold come first, since there a person adds most. Which passing answers are sampled depends on
    the check's id alone. Where no text is kept nothing can be queued.
    """
    action = policy.actions[report.verdict]
    sampled = storing_text and action == "pass" and _share(check_id) < policy.sample
    queued = storing_text and (action != "pass" or sampled)
    return Triage(action, queued, sampled, _BASE[action] + _uncertainty(report) if queued else 0.0)


def _uncertainty(report: Report) -> float:
    """Return how near the score lies to the threshold: 0 as far away as can be, and 0.99 at it.

    It stays below 1, so that nothing comes as early as what waits for a stronger reason.
    """
    if report.score is None or report.thresholds is None:
        return _UNJUDGED_PRIORITY
    limit = report.thresholds.hallucinated
    return _BELOW_ONE * (1.0 - abs(report.score - limit) / max(limit, 1.0 - limit))


def _share(check_id: str) -> float:
    """Return a number in [0, 1) that depends on the id alone and is evenly spread."""
    return int.from_bytes(hashlib.sha256(check_id.encode()).digest()[:6]) / 2**48
