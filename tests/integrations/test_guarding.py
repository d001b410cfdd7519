"""A policy applied to answers: what passes, is annotated, generated anew or withheld, here and asynchronously."""

import asyncio

import pytest
from made_chain import GROUNDED, INVENTED, PASSAGES, QUESTION

import made_detectors as made
from ragcortex.errors import InputError
from ragcortex.example import Example
from ragcortex.integrations.guarding import guard, guard_async
from ragcortex.integrations.policy import BLOCKED_TEXT, GuardedAnswer, GuardPolicy, Retry

DETECTOR = made.geometric()
REFERENCES = [text for text, _ in PASSAGES]
WRONG = f"{GROUNDED} {INVENTED}"
OTHER = "It stands 52 metres above the sea."


def guarded(answer, *answers, references=REFERENCES, **policy):
    """Return what becomes of an answer whose generator gives these other ones, and the hints that it got."""
    left, retries = iter(answers), []

    def regenerate(retry: Retry) -> str:
        retries.append(retry)
        return next(left)

    given = (DETECTOR, QUESTION, references, answer)
    found = guard(*given, policy=GuardPolicy(**policy), regenerate=regenerate if answers else None)
    left, hints = iter(answers), [one.hint for one in retries]

    async def coroutine(retry: Retry) -> str:
        await asyncio.sleep(0)
        return next(left)

    assert (
        asyncio.run(guard_async(*given, policy=GuardPolicy(**policy), regenerate=coroutine if answers else None))
        == found
    )
    left = iter(answers)
    retries.clear()
    asyncio.run(guard_async(*given, policy=GuardPolicy(**policy), regenerate=regenerate if answers else None))
    assert [one.hint for one in retries] == hints
    assert [one.number for one in retries] == list(range(1, len(hints) + 1))
    return found, hints


def test_a_grounded_answer_passes_as_it_is():
    found, hints = guarded(GROUNDED, "never asked for")
    assert (found.answer, found.action, len(found.attempts), hints) == (GROUNDED, "pass", 1, [])
    assert found.report == DETECTOR.check(QUESTION, REFERENCES, GROUNDED)


def test_an_unsupported_answer_is_generated_anew_with_a_hint_that_names_it():
    found, hints = guarded(WRONG, GROUNDED)
    assert (found.answer, found.action) == (GROUNDED, "pass")
    assert [report.answer for report in found.attempts] == [WRONG, GROUNDED]
    assert found.report is found.attempts[1]
    assert hints == [
        f"The sources do not support these passages of your previous answer: «{INVENTED.rstrip('.')}». "
        "Write the answer anew from the sources alone, and leave out what they do not say."
    ]


def test_a_hint_says_what_the_sources_say_instead():
    _, hints = guarded(OTHER, GROUNDED)
    assert "«52» in «It stands 52 metres above the sea.» (they say «41 metres»)." in hints[0]


def test_retries_are_bounded_and_then_the_answer_is_withheld():
    found, hints = guarded(WRONG, OTHER, WRONG, "never asked for", max_retries=2)
    assert (found.answer, found.action, len(found.attempts), len(hints)) == (BLOCKED_TEXT, "block", 3, 2)
    # All three are hallucinated; the report is that of the one with the lowest score.
    assert found.report.score == min(report.score for report in found.attempts)


def test_without_a_generator_nothing_is_retried():
    found, _ = guarded(WRONG, after_retries="annotate")
    assert found.answer == (f"{GROUNDED} ⟦{INVENTED[:-1]}⟧.\n\n⟦ ⟧ marks what the sources do not support.")
    assert (found.action, len(found.attempts)) == ("annotate", 1)
    assert guarded(WRONG, after_retries="annotate", marks=("<<", ">>"))[0].answer.count("<<") == 2


def test_after_retries_may_let_the_best_answer_pass():
    found, _ = guarded(OTHER, WRONG, after_retries="pass")
    best = min(found.attempts, key=lambda report: report.score)
    assert (found.answer, found.action) == (best.answer, "pass")


def test_a_blank_answer_does_not_stand_in_for_another():
    found, hints = guarded(WRONG, "", "  ", max_retries=2, after_retries="annotate")
    assert len(hints) == 2
    assert hints[0] == hints[1]
    assert found.report.answer == WRONG
    assert guarded("", GROUNDED)[0].action == "pass"  # what the generator gave first is its own business


def test_what_cannot_be_checked_says_so():
    found, _ = guarded(GROUNDED, references=[])
    assert found.answer == f"{GROUNDED}\n\nNote: this answer could not be checked against the sources."
    assert found.report.verdict == "not_verifiable"
    found, hints = guarded(GROUNDED, GROUNDED, references=[], not_verifiable="retry")
    assert found.action == "block"
    assert hints == ["Your previous answer could not be checked against the sources. Answer from the sources alone."]


def test_an_answer_without_a_claim_passes_by_default():
    assert guarded("I do not know.")[0].action == "pass"
    found, _ = guarded("I do not know.", no_claim="annotate")
    assert found.answer.endswith("Note: this answer states nothing that sources could support.")
    found, hints = guarded("I do not know.", GROUNDED, no_claim="retry")
    assert found.answer == GROUNDED
    assert hints[0].startswith("Your previous answer stated nothing.")


def test_a_grounded_answer_needs_no_note():
    assert guarded(GROUNDED, grounded="annotate")[0].answer == GROUNDED


def test_observing_and_strict_policies():
    observe, strict = GuardPolicy.observe(), GuardPolicy.strict()
    assert not observe.changes_answers
    assert strict.changes_answers
    assert guard(DETECTOR, QUESTION, REFERENCES, WRONG, policy=observe).answer == WRONG
    assert guard(DETECTOR, QUESTION, REFERENCES, WRONG, policy=strict).answer == BLOCKED_TEXT
    assert guard(DETECTOR, QUESTION, [], GROUNDED, policy=strict).answer == BLOCKED_TEXT


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"review": "warn"}, "review: must be one of pass, annotate, retry, block, got 'warn'"),
        ({"after_retries": "retry"}, "after_retries: must be one of pass, annotate, block, got 'retry'"),
        ({"max_retries": -1}, "max_retries: must be a whole number from 0 on, got -1"),
        ({"blocked_text": None}, "blocked_text: must be a string, got NoneType"),
        ({"marks": "[]"}, "marks: must be two texts, before and behind a passage, got '[]'"),
        ({"marks": ("[", 1)}, "marks[1]: must be a string, got int"),
    ],
)
def test_a_wrong_policy_is_refused(fields, message):
    with pytest.raises(InputError) as error:
        GuardPolicy(**fields)
    assert str(error.value) == message


def test_a_policy_comes_back_from_its_json_form():
    policy = GuardPolicy(review="block", max_retries=3, marks=("<", ">"))
    assert GuardPolicy.of(policy.to_dict()) == policy
    assert GuardPolicy.of({"review": "block"}) == GuardPolicy(review="block")
    with pytest.raises(InputError) as error:
        GuardPolicy.of({"max_retrys": 1})
    assert str(error.value) == "policy: has no field 'max_retrys'; did you mean 'max_retries'?"


def test_what_a_generator_gives_must_be_text():
    with pytest.raises(InputError) as error:
        guard(DETECTOR, QUESTION, REFERENCES, WRONG, regenerate=lambda _: None)
    assert str(error.value) == "regenerate: must return text or an Example, got NoneType"

    async def coroutine(retry):
        return GROUNDED

    with pytest.raises(InputError) as error:
        guard(DETECTOR, QUESTION, REFERENCES, WRONG, regenerate=coroutine)
    assert str(error.value) == "regenerate: must return text here; a coroutine function needs guard_async"


def test_an_answer_made_from_other_references_is_judged_against_them():
    def regenerate(retry):
        return Example.of(QUESTION, [INVENTED], INVENTED)

    found = guard(DETECTOR, QUESTION, REFERENCES, WRONG, regenerate=regenerate)
    assert (found.answer, found.action, found.report.verdict) == (INVENTED, "pass", "grounded")


def test_a_generator_that_fails_is_heard():
    def regenerate(retry):
        raise StopIteration("out of answers")

    with pytest.raises(StopIteration, match="out of answers"):
        guard(DETECTOR, QUESTION, REFERENCES, WRONG, regenerate=regenerate)


def test_a_guarded_answer_checks_itself_and_has_a_json_form():
    found, _ = guarded(WRONG, GROUNDED)
    assert found.to_dict() == {
        "answer": GROUNDED,
        "action": "pass",
        "report": found.report.to_dict(),
        "attempts": [report.to_dict() for report in found.attempts],
    }
    with pytest.raises(InputError) as error:
        GuardedAnswer(GROUNDED, "pass", found.report, found.attempts[:1])
    assert str(error.value) == "report: must be one of the attempts"
