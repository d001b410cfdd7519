"""What the service answers, as typed objects that do not change."""

import datetime
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from ragcortex.example import Reference, Span
from ragcortex.report_document import Report

Action = Literal["pass", "review", "block"]
Queue = Literal["none", "open", "disputed", "decided"]


@dataclass(frozen=True, slots=True)
class Checked:
    """The judgement of one answer: the report, what the policy makes of it, and whether it waits for a person."""

    id: str
    created_at: datetime.datetime
    action: Action
    policy: str
    queue: Queue
    report: Report


@dataclass(frozen=True, slots=True)
class Problem:
    """What went wrong with one answer of a batch; see `ClientError`."""

    title: str
    status: int
    detail: str
    field: str | None = None
    request_id: str | None = None


@dataclass(frozen=True, slots=True)
class BatchItem:
    """What became of one answer of a batch: exactly one of `check` and `problem` is there."""

    index: int
    check: Checked | None = None
    problem: Problem | None = None


@dataclass(frozen=True, slots=True)
class Batch:
    """One item an answer, in order, and how many failed."""

    items: tuple[BatchItem, ...]
    n_failed: int


@dataclass(frozen=True, slots=True)
class CheckSummary:
    """A check in a list; `label` is what reviewers decided, 1 = hallucinated. Texts that were deleted are None."""

    id: str
    created_at: datetime.datetime
    external_id: str | None
    verdict: str
    score: float | None
    action: Action
    queue: Queue
    priority: float
    witness: str
    detector: str
    generator: str | None
    group: str | None
    n_spans: int
    label: int | None
    question: str | None
    answer: str | None
    text_deleted: bool


@dataclass(frozen=True, slots=True)
class CheckPage:
    """Checks, the newest first, and the cursor of those that follow, None at the end."""

    checks: tuple[CheckSummary, ...]
    next: str | None


@dataclass(frozen=True, slots=True)
class Review:
    """What one reviewer says of an answer; `replaced` if the same reviewer has said something else since."""

    id: str
    check_id: str
    reviewer: str
    created_at: datetime.datetime
    label: int
    spans: tuple[Span, ...]
    comment: str | None
    replaced: bool


@dataclass(frozen=True, slots=True)
class CheckDetail:
    """Everything that is kept of one check; its references and its report are None where texts were deleted."""

    summary: CheckSummary
    references: tuple[Reference, ...] | None
    report: Report | None
    reviews: tuple[Review, ...]
    n_feedback_right: int
    n_feedback_wrong: int


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far two reviewers agree: on how many answers, on labels (share, Cohen's kappa), and on spans (mean F1)."""

    n: int
    same: float | None
    kappa: float | None
    span_f1: float | None
    n_spans: int


@dataclass(frozen=True, slots=True)
class Policy:
    """Which action follows each verdict, and the share of passing answers that a person sees all the same."""

    name: str
    actions: Mapping[str, Any]
    sample: float


@dataclass(frozen=True, slots=True)
class Calibration:
    """Thresholds, what they do on the answers they were chosen on, and whether they are in force."""

    id: str
    name: str
    created_at: datetime.datetime
    created_by: str
    detector: str
    detector_fingerprint: str
    method: str
    review_threshold: float
    hallucinated_threshold: float
    n_answers: int
    n_hallucinated: int
    figures: Mapping[str, Any]
    active: bool
    stale: bool


@dataclass(frozen=True, slots=True)
class Key:
    """A key, without its secret."""

    id: str
    name: str
    scopes: tuple[str, ...]
    rate_per_minute: int | None
    created_at: datetime.datetime
    expires_at: datetime.datetime | None
    revoked_at: datetime.datetime | None
    replaced_by: str | None


@dataclass(frozen=True, slots=True)
class NewKey(Key):
    """A key with its secret, which is shown this once and is no part of its `repr`."""

    secret: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Health:
    """A process that is alive."""

    status: str
    version: str


@dataclass(frozen=True, slots=True)
class Readiness:
    """Whether requests are served, and why not."""

    status: str
    problems: tuple[str, ...]

    @property
    def ready(self) -> bool:
        """Whether requests are served."""
        return self.status == "ready"
