"""What is done about a verdict, who is seen first, which passing answers are sampled, and policies from a file."""

import json
from pathlib import Path
from typing import Any

import pytest
from made_checks import THRESHOLDS, made_report

from ragcortex.errors import InputError
from ragcortex.report import VERDICTS
from ragcortex.service.triage import BUILT_IN, FEEDBACK_PRIORITY, Policy, load_policies, triage

PASSES = dict.fromkeys(VERDICTS, "pass")
TRIAGE = BUILT_IN["triage"]


def policy(**values: Any) -> Policy:
    return Policy(**{"name": "own", "actions": PASSES} | values)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("triage", ("pass", "review", "block", "pass", "review")),
        ("strict", ("pass", "block", "block", "pass", "block")),
        ("review-only", ("pass", "review", "review", "pass", "review")),
        ("observe", ("pass",) * 5),
    ],
)
def test_the_built_in_policies(name: str, expected: tuple[str, ...]) -> None:
    assert tuple(BUILT_IN[name].actions[verdict] for verdict in VERDICTS) == expected


def test_what_waits_for_a_stronger_reason_comes_first_whatever_the_scores() -> None:
    """A blocked answer far from the threshold comes before one for review at it; feedback comes before both."""
    limit = THRESHOLDS.hallucinated
    block_surest = triage(TRIAGE, made_report(score=1.0), "a")
    block_at_threshold = triage(TRIAGE, made_report(score=limit), "a")
    review_at_threshold = triage(TRIAGE, made_report(score=limit, spans=()), "a")
    sample = triage(policy(sample=1.0), made_report(score=limit, spans=()), "a")
    assert [one.action for one in (block_surest, block_at_threshold, review_at_threshold, sample)] == [
        "block", "block", "review", "pass",
    ]  # fmt: skip
    order = [FEEDBACK_PRIORITY, block_at_threshold.priority, block_surest.priority, review_at_threshold.priority]
    order += [sample.priority]
    assert order == sorted(order, reverse=True)
    assert len(set(order)) == len(order)


def test_within_a_kind_the_nearest_to_the_threshold_comes_first() -> None:
    scores = [0.3, 0.35, 0.45, 0.55, 0.59]
    found = [triage(TRIAGE, made_report(score=score), "a").priority for score in scores]
    assert found == sorted(found)
    assert all(1.0 <= one < 2.0 for one in found)
    above = [triage(TRIAGE, made_report(score=score), "a").priority for score in (0.6, 0.7, 0.9, 1.0)]
    assert above == sorted(above, reverse=True)
    assert all(2.0 <= one < FEEDBACK_PRIORITY for one in above)


def test_an_answer_that_was_not_judged_lies_in_the_middle() -> None:
    found = triage(TRIAGE, made_report(score=None, verdict="not_verifiable"), "a")
    assert (found.action, found.queued, found.priority) == ("review", True, 1.5)


def test_samples_depend_on_the_id_alone_and_have_their_share() -> None:
    grounded = made_report(score=0.1)
    ids = [f"{number:032x}" for number in range(4000)]
    for share in (0.02, 0.5):
        own = policy(sample=share)
        sampled = [triage(own, grounded, one).sampled for one in ids]
        assert sampled == [triage(own, made_report(score=0.2), one).sampled for one in ids]
        # Within four standard deviations of a binomial draw.
        assert abs(sum(sampled) - share * len(ids)) < 4 * (share * (1 - share) * len(ids)) ** 0.5
    assert not any(triage(policy(sample=0.0), grounded, one).sampled for one in ids)
    assert all(triage(policy(sample=1), grounded, one).queued for one in ids)


def test_a_larger_share_samples_more_of_the_same() -> None:
    ids = [f"{number:032x}" for number in range(500)]
    few, many = (
        {one for one in ids if triage(policy(sample=share), made_report(score=0.1), one).sampled}
        for share in (0.1, 0.4)
    )
    assert few < many


def test_only_passing_answers_are_samples() -> None:
    found = triage(policy(actions=dict.fromkeys(VERDICTS, "review"), sample=1.0), made_report(score=0.1), "a")
    assert (found.action, found.queued, found.sampled) == ("review", True, False)


def test_nothing_is_queued_where_no_text_is_kept() -> None:
    for score in (0.1, 0.4, 0.9):
        found = triage(policy(sample=1.0), made_report(score=score), "a", storing_text=False)
        assert (found.queued, found.sampled, found.priority) == (False, False, 0.0)
    assert triage(TRIAGE, made_report(score=0.9), "a", storing_text=False).action == "block"


def test_policies_of_a_file_stand_beside_the_built_in_ones_and_replace_them(tmp_path: Path) -> None:
    file = tmp_path / "policies.json"
    own = [
        {"name": "mine", "actions": PASSES | {"hallucinated": "block"}, "sample": 0.25},
        {"name": "strict", "actions": PASSES},
    ]
    file.write_text(json.dumps(own), encoding="utf-8")
    found = load_policies(file)
    assert list(found) == [*BUILT_IN, "mine"]
    assert found["mine"].to_dict() == own[0]
    assert found["strict"].to_dict() == own[1] | {"sample": 0.0}
    assert found["triage"] == TRIAGE
    assert load_policies(None) == BUILT_IN
    assert Policy.of(TRIAGE.to_dict()) == TRIAGE


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "policies: '{file}' cannot be read as JSON: Expecting property name enclosed in double quotes"),
        ('"\udcff"', "policies: '{file}' cannot be read as JSON: 'utf-8' codec can't decode byte 0xff"),
        ("{}", "policies: '{file}' must hold a list of policies, got dict"),
        ("[3]", "policies[0]: must be an object of name, actions and perhaps sample"),
        ([{"name": "a", "actions": PASSES, "why": 1}], "policies[0]: must be an object of name, actions and perhaps"),
        ([{"name": "a"}], "policies[0].actions: must be an object with an action for each verdict"),
        ([{"actions": PASSES}], "policies[0].name: must be a string, got NoneType"),
        ([{"name": " ", "actions": PASSES}], "policies[0].name: must not be blank"),
        ([{"name": "a\nb", "actions": PASSES}], "policies[0].name: must be one line of at most 200 characters, got "),
        ([{"name": "a" * 201, "actions": PASSES}], "policies[0].name: must be one line of at most 200 characters"),
        ([{"name": "a", "actions": {}}], "policies[0].actions.grounded: is missing; give one of pass, review, block"),
        (
            [{"name": "a", "actions": PASSES | {"review": "hold"}}],
            "policies[0].actions.review: must be one of pass, review, block, got 'hold'",
        ),
        (
            [{"name": "a", "actions": PASSES | {"review": ["pass"]}}],
            "policies[0].actions.review: must be one of pass, review, block, got ['pass']",
        ),
        (
            [{"name": "a", "actions": PASSES | {"wrong": "pass"}}],
            "policies[0].actions: must be one of grounded, review, hallucinated, no_claim, not_verifiable, got 'wrong'",
        ),
        ([{"name": "a", "actions": PASSES, "sample": 1.5}], "policies[0].sample: must be a number in [0, 1], got 1.5"),
        ([{"name": "a", "actions": PASSES, "sample": True}], "policies[0].sample: must be a number in [0, 1], got "),
        (
            [{"name": "ok", "actions": PASSES}, {"name": "b", "actions": PASSES, "sample": "x"}],
            "policies[1].sample: must be a number in [0, 1], got 'x'",
        ),
        ([{"name": "a", "actions": PASSES}] * 2, "policies: '{file}' names a policy twice"),
    ],
)
def test_every_fault_of_a_file_of_policies_is_named(tmp_path: Path, content: Any, message: str) -> None:
    file = tmp_path / "policies.json"
    text = content if isinstance(content, str) else json.dumps(content)
    file.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(InputError) as caught:
        load_policies(file)
    assert str(caught.value).startswith(message.replace("{file}", str(file)))


def test_a_file_of_policies_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"^policies: '.*none\.json' cannot be read as JSON: .*No such file"):
        load_policies(tmp_path / "none.json")
