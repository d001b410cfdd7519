"""Rewards as TRL's trainers ask for them, and token by token."""

import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import made_detectors as made
from ragcortex.errors import InputError
from ragcortex.example import Example
from ragcortex.rewards import GroundednessReward, rewards_of_tokens, token_rewards

DETECTOR = made.geometric()
QUESTION = "When was the lighthouse at Cape Arden built?"
PASSAGES = ["The lighthouse at Cape Arden was built in 1874.", "It stands 41 metres above the sea."]
GOOD, BAD, NOTHING = PASSAGES[0], "Members receive free coffee in the reading room.", "I do not know."
REWARD = GroundednessReward(DETECTOR)


def given_by_a_trainer(completions, **columns):
    """Return the keyword arguments of a trainer of TRL 1.16 (`GRPOTrainer._calculate_rewards`)."""
    n_rows = len(completions)
    logged = {}
    return {
        "prompts": ["Answer from the sources."] * n_rows,
        "completions": completions,
        "completion_ids": [[1, 2]] * n_rows,
        "references": [PASSAGES] * n_rows,
        "trainer_state": object(),
        "log_extra": print,
        "log_metric": logged.__setitem__,
        **columns,
    }, logged


def test_each_completion_has_one_reward():
    arguments, logged = given_by_a_trainer([GOOD, BAD, NOTHING], question=[QUESTION] * 3)
    rewards = REWARD(**arguments)
    scores = [DETECTOR.check(QUESTION, PASSAGES, answer).score for answer in (GOOD, BAD)]
    assert rewards == [1.0 - scores[0], 1.0 - scores[1], 0.5]
    assert rewards[1] < 0.5 < rewards[0]
    assert logged == {"groundedness/unjudged": 0.0}
    assert REWARD.__name__ == "groundedness_reward"


def test_messages_are_judged_by_their_last_answer():
    chat = [[{"role": "user", "content": "And?"}, {"role": "assistant", "content": answer}] for answer in (GOOD, BAD)]
    arguments, _ = given_by_a_trainer(chat, prompts=[[{"role": "user", "content": QUESTION}]] * 2)
    plain, _ = given_by_a_trainer([GOOD, BAD])
    assert REWARD(**arguments) == REWARD(**plain)


def test_what_cannot_be_judged_has_none():
    arguments, logged = given_by_a_trainer([GOOD, GOOD], references=[[], PASSAGES])
    assert REWARD(**arguments)[0] is None
    assert logged == {"groundedness/unjudged": 0.5}
    assert REWARD(prompts=[], completions=[], references=[]) == []


def test_columns_and_the_reward_of_silence_can_be_chosen():
    reward = GroundednessReward(DETECTOR, no_claim=0.25, references_column="context", question_column="ask")
    documents = [[{"text": text, "source": "capes.md"} for text in PASSAGES]]
    assert reward([None], [NOTHING], context=documents, ask=[QUESTION]) == [0.25]
    assert reward([None], [GOOD], context=documents, ask=[QUESTION])[0] > 0.9
    assert reward([None], [GOOD], context=documents, ask=[None])[0] > 0.9


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"references": None}, "references: is missing; give each prompt's passages in one of completion_ids, "),
        ({"references": [PASSAGES]}, "references: must be a list of one a completion, 2, got 1"),
        ({"references": "text"}, "references: must be a list of one a completion, 2, got 4"),
        ({"references": [PASSAGES, 3]}, "references[1]: must be a list of documents or texts, got int"),
        ({"question": [QUESTION, 3]}, "question[1]: must be text or a message with text, got int"),
        ({"prompts": ["x"]}, "prompts: must be one a completion, 2, got 1"),
        ({"completions": [GOOD, None]}, "completions[1]: must be text or a message with text, got NoneType"),
        ({"completions": [GOOD, [{"role": "user", "content": "x"}]]}, "completions[1]: must hold a message of the"),
    ],
)
def test_what_is_missing_is_named(changes, message):
    arguments = given_by_a_trainer([GOOD, BAD])[0] | changes
    with pytest.raises(InputError) as error:
        REWARD(**arguments)
    assert str(error.value).startswith(message)


def test_wrong_arguments_are_refused():
    with pytest.raises(InputError, match=r"^no_claim: must be a number in \[0, 1\], got 2$"):
        GroundednessReward(DETECTOR, no_claim=2)


def test_a_reward_goes_to_another_process_without_its_detector():
    reward = GroundednessReward("fusion-clean", no_claim=0.3)
    reward._loaded = DETECTOR
    there = pickle.loads(pickle.dumps(reward))
    assert (there.detector, there.no_claim, there._loaded) == ("fusion-clean", 0.3, None)
    assert reward._loaded is DETECTOR


@pytest.mark.weights
def test_a_detector_is_loaded_by_its_name():
    arguments, _ = given_by_a_trainer([GOOD, BAD])
    good, bad = GroundednessReward("reference-gain")(**arguments)
    assert good > bad


def ranges_of(answer):
    """Return words with the space before them, as the tokens of most generators are."""
    starts = [0, *(index for index, character in enumerate(answer) if character == " ")]
    return list(zip(starts, [*starts[1:], len(answer)], strict=True))


def test_tokens_are_punished_where_the_answer_goes_wrong():
    answer = "It stands 52 metres above the sea."
    report = DETECTOR.check(None, PASSAGES, answer)
    ranges = [(0, 0), *ranges_of(answer), (len(answer), len(answer))]
    rewards = rewards_of_tokens(report, ranges)
    words = [answer[start:end] for start, end in ranges]
    assert rewards[0] == rewards[-1] == 0.0
    assert words[rewards.index(min(rewards))] == " 52"
    assert min(rewards) == -report.spans[0].score


def test_several_answers_are_judged_together():
    answers = (GOOD, BAD, NOTHING)
    examples = [Example.of(None, PASSAGES, answer) for answer in answers] + [Example.of(None, [], GOOD)]
    ranges = [ranges_of(one.answer) for one in examples]
    rewards = token_rewards(DETECTOR, examples, ranges)
    assert rewards[:2] == [
        rewards_of_tokens(DETECTOR.check_example(one), ranges_of(one.answer)) for one in examples[:2]
    ]
    assert rewards[2] == [0.0] * 4
    assert rewards[3] is None
    with pytest.raises(InputError, match=r"^token_ranges: must be one list an example, 4, got 3$"):
        token_rewards(DETECTOR, examples, ranges[:3])


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(0, 48), min_size=2, max_size=2).map(sorted))
def test_a_token_has_the_highest_score_of_its_characters(place):
    start, end = place
    report = DETECTOR.check(None, PASSAGES, f"{BAD} Hm."[:48])
    touched = [part.score for part in (*report.tokens, *report.spans) if part.start < end and start < part.end]
    assert rewards_of_tokens(report, [(start, end)]) == [-max(touched, default=0.0) if start < end else 0.0]


@pytest.mark.parametrize("place", [(-1, 2), (3, 2), (0, 100)])
def test_a_range_outside_of_the_answer_is_refused(place):
    with pytest.raises(InputError) as error:
        rewards_of_tokens(DETECTOR.check(None, PASSAGES, GOOD), [(0, 1), place])
    assert str(error.value) == (
        f"token_ranges[1]: must lie within the answer's 47 characters, got {place[0]}..{place[1]}"
    )
