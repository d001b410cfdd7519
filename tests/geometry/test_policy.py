"""Geometry first, sampling second: who decides, how many answers are drawn, and what becomes of failures."""

from collections.abc import Sequence
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st
from letter_embedder import LetterEmbedder

from ragcortex.errors import InputError, ModelError, ReadingError
from ragcortex.geometry.consistency import Consistency, consistency
from ragcortex.geometry.consistency_parts import LIMITATION
from ragcortex.geometry.policy import ScreeningDecision, ScreeningPolicy
from ragcortex.report_parts import Note

TOWER = "The Eiffel Tower is 330 metres tall."
OTHER = "The Eiffel Tower is 324 metres tall."
POLICY = ScreeningPolicy(grounded_below=0.3, hallucinated_from=0.8)
judge = partial(consistency, embedder=LetterEmbedder(), similarity=0.6)


class Sampler:
    """Gives the same answers each time, and counts how often it was asked."""

    def __init__(self, *answers: str) -> None:
        self.answers = answers
        self.n_calls = 0

    def __call__(self) -> Sequence[str]:
        self.n_calls += 1
        return self.answers


@given(st.floats(0, 1))
def test_nothing_is_sampled_where_geometry_decides(score: float) -> None:
    sampler = Sampler(TOWER, TOWER)
    decision = POLICY.decide(TOWER, score, sampler, judge)
    expected = "grounded" if score < 0.3 else "hallucinated" if score >= 0.8 else None

    assert sampler.n_calls == (expected is None)
    assert decision.n_samples == 2 * sampler.n_calls
    assert decision.geometry_score == score
    if expected is not None:
        assert (decision.verdict, decision.decided_by, decision.sampling_score) == (expected, "geometry", None)
        assert decision.consistency is None
    else:
        assert (decision.verdict, decision.decided_by) == ("grounded", "sampling")


@pytest.mark.parametrize(
    ("samples", "verdict", "score"),
    [
        ([TOWER] * 5, "grounded", 0.0),
        # All samples agree with each other and none with the answer: 1 − 0/5, though the entropy of 1 : 5 is low.
        ([OTHER] * 5, "hallucinated", 1.0),
        # 4 of 6 agree with the answer among them: 1 − 3/5 = 0.4; entropy 4 : 2 is 0.636514 / log 6 = 0.355245.
        ([TOWER] * 3 + [OTHER] * 2, "review", 0.4),
        # Every answer says something else: entropy 1.
        ([OTHER, "It is 300 m tall.", "It is 312 m tall."], "hallucinated", 1.0),
    ],
)
def test_sampling_judges_the_answer_itself(samples: list[str], verdict: str, score: float) -> None:
    decision = POLICY.decide(TOWER, 0.5, Sampler(*samples), judge)

    assert (decision.verdict, decision.decided_by, decision.n_samples) == (verdict, "sampling", len(samples))
    assert decision.sampling_score == pytest.approx(score)
    assert decision.consistency is not None
    assert decision.consistency.answers == (TOWER, *samples)
    assert decision.reasons[0] == Note("geometry_undecided", "Geometry score 0.500 lies between 0.3 and 0.8.")


def test_without_references_sampling_decides_alone_and_says_so() -> None:
    agreeing = POLICY.decide(TOWER, None, Sampler(*[TOWER] * 5), judge)
    scattered = POLICY.decide(TOWER, None, Sampler(*[OTHER] * 5), judge)
    accepting = ScreeningPolicy(0.3, 0.8, agreeing_without_references="grounded")

    assert (agreeing.verdict, scattered.verdict) == ("review", "hallucinated")
    assert agreeing.geometry_score is None
    assert agreeing.reasons[0] == Note(
        "no_references", "There are no references: only sampled answers can tell. " + LIMITATION
    )
    assert [reason.code for reason in agreeing.reasons] == ["no_references", "samples_agree", "identical_answers"]
    assert accepting.decide(TOWER, None, Sampler(*[TOWER] * 5), judge).verdict == "grounded"


def test_without_a_sampler_a_person_has_to_look() -> None:
    decision = POLICY.decide(TOWER, 0.5, None, judge)

    assert (decision.verdict, decision.decided_by) == ("review", "none")
    assert [reason.code for reason in decision.reasons] == ["geometry_undecided", "no_sampler"]


def test_an_answer_that_states_nothing_is_not_sampled() -> None:
    sampler = Sampler(TOWER)
    for answer in ("", "I don't know."):
        decision = POLICY.decide(answer, None, sampler, judge)
        assert (decision.verdict, decision.decided_by, decision.n_samples) == ("no_claim", "none", 0)
    assert sampler.n_calls == 0


def test_samples_that_refuse_do_not_confirm() -> None:
    decision = POLICY.decide(TOWER, 0.5, Sampler(*["I don't know."] * 5), judge)

    assert (decision.verdict, decision.sampling_score) == ("hallucinated", 1.0)


def failing() -> Sequence[str]:
    raise TimeoutError("the generator did not answer in 30 s")


@pytest.mark.parametrize(
    ("sampler", "text"),
    [
        (failing, "TimeoutError: the generator did not answer in 30 s"),
        (Sampler(), "InputError: sample: must give at least one further answer, got none"),
        (lambda: "one text", "InputError: sample: must give several texts, got one string; put it in a list"),
        (lambda: [TOWER, None], "InputError: sample[1]: must be a string, got NoneType"),
    ],
)
def test_a_sampler_that_fails_leads_to_a_review_that_says_why(sampler, text: str) -> None:  # type: ignore[no-untyped-def]
    decision = POLICY.decide(TOWER, 0.5, sampler, judge)

    assert (decision.verdict, decision.decided_by, decision.n_samples) == ("review", "none", 0)
    assert decision.reasons[1] == Note("sampling_failed", f"Sampling or comparing failed, a person has to look: {text}")


def test_a_failure_is_raised_where_that_is_configured() -> None:
    policy = ScreeningPolicy(0.3, 0.8, on_failure="raise")
    with pytest.raises(ModelError) as error:
        policy.decide(TOWER, 0.5, failing, judge)
    assert str(error.value) == "sampling further answers failed: TimeoutError: the generator did not answer in 30 s"
    assert isinstance(error.value.__cause__, TimeoutError)

    def broken(answers: Sequence[str]) -> Consistency:
        raise ReadingError("a vector is not finite")

    with pytest.raises(ReadingError, match="a vector is not finite"):
        policy.decide(TOWER, 0.5, Sampler(TOWER), broken)
    decision = POLICY.decide(TOWER, 0.5, Sampler(TOWER), broken)
    assert (decision.verdict, decision.n_samples) == ("review", 1)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"grounded_below": 0.9}, "grounded_below: must be at most hallucinated_from (0.8), got 0.9"),
        ({"scattered_from": 0.1}, "agreeing_below: must be at most scattered_from (0.1), got 0.35"),
        ({"hallucinated_from": 1.5}, "hallucinated_from: must be a number in [0, 1], got 1.5"),
        ({"on_failure": "pass"}, "on_failure: must be one of review, raise, got 'pass'"),
        (
            {"agreeing_without_references": "hallucinated"},
            "agreeing_without_references: must be one of grounded, review, got 'hallucinated'",
        ),
    ],
)
def test_a_policy_checks_itself(fields: dict[str, object], message: str) -> None:
    with pytest.raises(InputError) as error:
        ScreeningPolicy(**({"grounded_below": 0.3, "hallucinated_from": 0.8} | fields))  # type: ignore[arg-type]
    assert str(error.value) == message


def test_a_decision_checks_itself_and_has_a_json_form() -> None:
    decision = POLICY.decide(TOWER, 0.5, Sampler(*[TOWER] * 5), judge)
    values = decision.to_dict()

    assert list(values) == [
        "verdict", "decided_by", "geometry_score", "sampling_score", "n_samples", "reasons", "consistency",
    ]  # fmt: skip
    assert values["consistency"]["n_answers"] == 6
    reason = (Note("a", "b"),)
    for fields, message in (
        (("grounded", "geometry", 0.1, None, 2, reason), "n_samples: must be 0 where geometry decided, got 2"),
        (("grounded", "geometry", None, None, 0, reason), "geometry_score: must be given where geometry decided"),
        (("grounded", "sampling", 0.5, None, 2, reason), "sampling_score: must be given where sampling decided"),
        (("review", "none", 0.5, None, 0, ()), "reasons: must hold at least one reason"),
    ):
        with pytest.raises(InputError) as error:
            ScreeningDecision(*fields)  # type: ignore[arg-type]
        assert str(error.value) == message


@pytest.mark.parametrize("score", [-0.1, 1.1, float("nan"), True])
def test_a_score_out_of_range_is_refused(score: float) -> None:
    with pytest.raises(InputError, match=r"geometry_score: must be a number in \[0, 1\] or null"):
        POLICY.decide(TOWER, score, None, judge)
