"""Geometry first, sampling second: further answers are drawn only where the references leave the verdict open."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

from ragcortex.checks import check_known, check_parts, check_position, check_score, check_text
from ragcortex.errors import InputError, ModelError, RagcortexError
from ragcortex.geometry.consistency_parts import LIMITATION, Consistency
from ragcortex.geometry.consistency_silence import states_nothing
from ragcortex.report_parts import Note

ScreeningVerdict = Literal["grounded", "review", "hallucinated", "no_claim"]
Check = Literal["geometry", "sampling", "none"]
OnFailure = Literal["review", "raise"]
Sampler = Callable[[], Iterable[str]]
Judge = Callable[[Sequence[str]], Consistency]

_VERDICTS: Final[tuple[str, ...]] = get_args(ScreeningVerdict)
_CHECKS: Final[tuple[str, ...]] = get_args(Check)
_ON_FAILURE: Final[tuple[str, ...]] = get_args(OnFailure)


@dataclass(frozen=True, slots=True)
class ScreeningDecision:
    """What became of an answer, and why.

    Attributes:
        verdict: grounded, review or hallucinated; no_claim where the answer states nothing.
        decided_by: the check that gave the verdict; «none» where neither could.
        geometry_score: the score of the check against references; None where there were none.
        sampling_score: the score of the comparison with sampled answers; None where none was made.
        n_samples: how many answers were drawn; 0 where geometry decided.
        reasons: why, as stable codes with a sentence each; at least one.
        consistency: the comparison, the answer in doubt being the first of its answers; None where none was made.
    """

    verdict: ScreeningVerdict
    decided_by: Check
    geometry_score: float | None
    sampling_score: float | None
    n_samples: int
    reasons: tuple[Note, ...]
    consistency: Consistency | None = None

    def __post_init__(self) -> None:
        check_known("verdict", self.verdict, _VERDICTS)
        check_known("decided_by", self.decided_by, _CHECKS)
        check_score("geometry_score", self.geometry_score, optional=True)
        check_score("sampling_score", self.sampling_score, optional=True)
        check_position("n_samples", self.n_samples)
        check_parts("reasons", self.reasons, Note)
        if not self.reasons:
            raise InputError("reasons", "must hold at least one reason")
        for check, score in (("geometry", self.geometry_score), ("sampling", self.sampling_score)):
            if self.decided_by == check and score is None:
                raise InputError(f"{check}_score", f"must be given where {check} decided")
        if self.decided_by == "geometry" and self.n_samples:
            raise InputError("n_samples", f"must be 0 where geometry decided, got {self.n_samples}")

    def to_dict(self) -> dict[str, Any]:
        """Return the decision as JSON values."""
        return {
            "verdict": self.verdict,
            "decided_by": self.decided_by,
            "geometry_score": self.geometry_score,
            "sampling_score": self.sampling_score,
            "n_samples": self.n_samples,
            "reasons": [{"code": reason.code, "text": reason.text} for reason in self.reasons],
            "consistency": None if self.consistency is None else self.consistency.to_dict(),
        }


@dataclass(frozen=True, slots=True)
class ScreeningPolicy:
    """When the references decide, when further answers are sampled, and what follows from them.

    Attributes:
        grounded_below: below this geometry score an answer is grounded.
        hallucinated_from: from this geometry score on it is hallucinated; between the two it is open.
        agreeing_below: below this sampling score the answer agrees with its samples.
        scattered_from: from this sampling score on it counts as hallucinated; between the two it goes to review.
        agreeing_without_references: the verdict on an answer that agrees with its samples where there are no
            references. `review` by default, since a stable falsehood agrees too; `grounded` accepts that risk.
        on_failure: `review` sends the answer to a person if sampling or comparing fails and says why; `raise` raises.
    """

    grounded_below: float
    hallucinated_from: float
    agreeing_below: float = 0.35
    scattered_from: float = 0.7
    agreeing_without_references: Literal["grounded", "review"] = "review"
    on_failure: OnFailure = "review"

    def __post_init__(self) -> None:
        for low, high in (("grounded_below", "hallucinated_from"), ("agreeing_below", "scattered_from")):
            check_score(low, getattr(self, low))
            check_score(high, getattr(self, high))
            if getattr(self, low) > getattr(self, high):
                raise InputError(low, f"must be at most {high} ({getattr(self, high)}), got {getattr(self, low)}")
        check_known("agreeing_without_references", self.agreeing_without_references, ("grounded", "review"))
        check_known("on_failure", self.on_failure, _ON_FAILURE)

    def decide(
        self,
        answer: str,
        geometry_score: float | None,
        sample: Sampler | None,
        judge: Judge,
        *,
        claims_nothing: Callable[[str], bool] = states_nothing,
    ) -> ScreeningDecision:
        """Return the verdict on an answer.

        Args:
            answer: the answer in doubt.
            geometry_score: its score against the references, in [0, 1]; None if there are none.
            sample: draws further answers to the same question; called once, and only where geometry leaves the
                verdict open. None if no further answers can be had.
            judge: compares the answer and its samples: `functools.partial(consistency, embedder=embedder)`.
            claims_nothing: whether an answer is blank, a refusal, a greeting or the like.

        Raises:
            InputError: the answer is no text, or the score is not in [0, 1].
            ModelError: sampling failed and `on_failure` is `raise`; errors of this package are raised as they are.
        """
        check_text("answer", answer)
        check_score("geometry_score", geometry_score, optional=True)
        if claims_nothing(answer):
            reason = Note("no_claim", "The answer states nothing, so there is nothing to check.")
            return ScreeningDecision("no_claim", "none", geometry_score, None, 0, (reason,))
        if geometry_score is not None and (decision := self._by_geometry(geometry_score)) is not None:
            return decision
        opening = self._opening(geometry_score)
        if sample is None:
            reason = Note("no_sampler", "No further answers could be drawn; a person has to look.")
            return ScreeningDecision("review", "none", geometry_score, None, 0, (opening, reason))
        return self._by_sampling(answer, geometry_score, sample, judge, opening)

    def _by_geometry(self, score: float) -> ScreeningDecision | None:
        """Return the verdict where the references decide."""
        if score < self.grounded_below:
            reason = Note("geometry_grounded", f"Geometry score {score:.3f} is below {self.grounded_below:g}.")
            return ScreeningDecision("grounded", "geometry", score, None, 0, (reason,))
        if score >= self.hallucinated_from:
            reason = Note("geometry_hallucinated", f"Geometry score {score:.3f} reaches {self.hallucinated_from:g}.")
            return ScreeningDecision("hallucinated", "geometry", score, None, 0, (reason,))
        return None

    def _opening(self, score: float | None) -> Note:
        """Return why geometry did not decide."""
        if score is None:
            return Note("no_references", "There are no references: only sampled answers can tell. " + LIMITATION)
        return Note(
            "geometry_undecided",
            f"Geometry score {score:.3f} lies between {self.grounded_below:g} and {self.hallucinated_from:g}.",
        )

    def _by_sampling(
        self, answer: str, geometry_score: float | None, sample: Sampler, judge: Judge, opening: Note
    ) -> ScreeningDecision:
        n_samples = 0
        try:
            samples = _drawn(sample)
            n_samples = len(samples)
            result = judge((answer, *samples))
        except Exception as error:  # the sampler is the caller's: whatever it raises must not pass unseen
            if self.on_failure == "raise":
                if isinstance(error, RagcortexError):
                    raise
                raise ModelError(f"sampling further answers failed: {type(error).__name__}: {error}") from error
            text = f"Sampling or comparing failed, a person has to look: {type(error).__name__}: {error}"
            reasons = (opening, Note("sampling_failed", text))
            return ScreeningDecision("review", "none", geometry_score, None, n_samples, reasons)
        score = None if result.score is None else max(result.score, 1.0 - result.agreement[0])
        if score is None:
            reason = Note("samples_claim_nothing", "No answer claims anything that could be compared.")
            return ScreeningDecision("review", "none", geometry_score, None, n_samples, (opening, reason), result)
        verdict, reason = self._of_samples(score, n_samples, with_references=geometry_score is not None)
        extra = tuple(note for note in result.notes if note.code in ("few_answers", "identical_answers"))
        return ScreeningDecision(
            verdict, "sampling", geometry_score, score, n_samples, (opening, reason, *extra), result
        )

    def _of_samples(self, score: float, n_samples: int, *, with_references: bool) -> tuple[ScreeningVerdict, Note]:
        """Return the verdict of the sampled answers: the scatter of all, or the answer's own disagreement if larger."""
        figure = f"sampling score {score:.3f} over {n_samples} further answer{'' if n_samples == 1 else 's'}"
        if score >= self.scattered_from:
            text = f"The answer does not stand: {figure} reaches {self.scattered_from:g}."
            return "hallucinated", Note("samples_disagree", text)
        if score >= self.agreeing_below:
            text = (
                f"The samples leave it open: {figure} lies between {self.agreeing_below:g} and {self.scattered_from:g}."
            )
            return "review", Note("samples_undecided", text)
        verdict: ScreeningVerdict = "grounded" if with_references else self.agreeing_without_references
        return verdict, Note("samples_agree", f"The samples agree: {figure} is below {self.agreeing_below:g}.")


def _drawn(sample: Sampler) -> tuple[str, ...]:
    """Return the sampled answers, refusing what is none."""
    drawn = sample()
    if isinstance(drawn, str):
        raise InputError("sample", "must give several texts, got one string; put it in a list")
    samples = tuple(drawn)
    if not samples:
        raise InputError("sample", "must give at least one further answer, got none")
    for index, text in enumerate(samples):
        check_text(f"sample[{index}]", text)
    return samples
