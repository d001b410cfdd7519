"""Rewards for tuning a generator: how well its answers are supported by their references, as a whole or token by token.

    trainer = GRPOTrainer(model, reward_funcs=[GroundednessReward(), right_answer_reward], train_dataset=dataset, …)

where the dataset has the columns `prompt`, `references` and perhaps `question`. `GroundednessReward` has the signature
that TRL's trainers ask of a reward function; TRL is not needed here.

What these rewards are not:

* They say whether references support an answer, not whether it is right, useful, complete or well put. Tuned on them
  alone a generator learns to say little, or to copy its references word for word: both are grounded. Always mix them
  with a reward for what an answer is for (a gold answer, a preference model), and watch the length of the answers and
  the share of them that are copied.
* They are a detector's opinion. What it overlooks (small changes of meaning, strong paraphrase) goes unpunished, and
  tuning finds it: check samples by hand or with another detector than the one that rewards, and stop when they part.
* An answer that claims nothing gets `no_claim`, between the two ends: were it more, to be silent would be best; were it
  nothing, inventing would be better than saying that the references do not have the answer.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

from ragcortex.check import named_detector
from ragcortex.checks import check_score, check_text
from ragcortex.detectors.detector import Detector, Outcome
from ragcortex.detectors.registry import DEFAULT_DETECTOR
from ragcortex.errors import InputError
from ragcortex.example import Example
from ragcortex.foreign import last_message, references_of, text_of
from ragcortex.report import FlaggedSpan, Report, TokenScore

Range = tuple[int, int]
_NO_CLAIM: Final = 0.5


class GroundednessReward:
    """A reward function for TRL: 1 for an answer that is supported, 0 for one that is not, by the answer's score.

    Attributes:
        detector: who judges; a name is loaded with the first answers, so that a reward can be sent to other processes.
    """

    __name__ = "groundedness_reward"  # what TRL calls it in its logs

    def __init__(
        self,
        detector: Detector | str = DEFAULT_DETECTOR,
        *,
        no_claim: float = _NO_CLAIM,
        references_column: str = "references",
        question_column: str = "question",
    ) -> None:
        """Describe the reward; nothing is loaded yet.

        Args:
            detector: who judges, or the name or folder of a detector.
            no_claim: the reward of an answer that claims nothing, in [0, 1].
            references_column: the column of the data set that has each prompt's passages: texts or documents.
            question_column: the column that has the question; if the data set has none, answers are judged without.

        Raises:
            InputError: an argument is out of range.
        """
        check_score("no_claim", no_claim)
        check_text("references_column", references_column, filled=True)
        check_text("question_column", question_column, filled=True)
        self.detector = detector
        self.no_claim = no_claim
        self.references_column = references_column
        self.question_column = question_column
        self._loaded = None if isinstance(detector, str) else detector

    def __call__(
        self,
        prompts: Sequence[Any],
        completions: Sequence[Any],
        *,
        log_metric: Callable[[str, float], None] | None = None,
        **columns: Any,
    ) -> list[float | None]:
        """Return one reward a completion, in [0, 1]; None where it cannot be judged, which TRL leaves out.

        Args:
            prompts: not read; as TRL gives them.
            completions: texts, or lists of messages, of which the last one of the assistant is judged.
            log_metric: TRL's; is told the share of completions that could not be judged.
            columns: the columns of the data set, and what else a trainer gives.

        Raises:
            InputError: the column of references is missing, or a value is not of its kind; the message names it.
        """
        if len(prompts) != len(completions):
            raise InputError("prompts", f"must be one a completion, {len(completions)}, got {len(prompts)}")
        if self._loaded is None:
            assert isinstance(self.detector, str)
            self._loaded = named_detector(self.detector)
        examples = list(self._examples(completions, columns))
        rewards = [self._reward(outcome) for outcome in self._loaded.check_many(examples)]
        if log_metric is not None and rewards:
            log_metric("groundedness/unjudged", rewards.count(None) / len(rewards))
        return rewards

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the detector that was loaded by its name: the other process loads its own."""
        return self.__dict__ | ({"_loaded": None} if isinstance(self.detector, str) else {})

    def _examples(self, completions: Sequence[Any], columns: Mapping[str, Any]) -> Iterator[Example]:
        references = _column(self.references_column, columns, len(completions))
        if references is None:
            there = ", ".join(columns) or "(none)"
            raise InputError(self.references_column, f"is missing; give each prompt's passages in one of {there}")
        questions = _column(self.question_column, columns, len(completions)) or [None] * len(completions)
        for index, (completion, passages, question) in enumerate(zip(completions, references, questions, strict=True)):
            yield Example(
                None if question is None else text_of(f"{self.question_column}[{index}]", question),
                references_of(f"{self.references_column}[{index}]", passages),
                _answer(f"completions[{index}]", completion),
            )

    def _reward(self, outcome: Outcome) -> float | None:
        if outcome.report is None or outcome.report.verdict == "not_verifiable":
            return None
        return self.no_claim if outcome.report.score is None else 1.0 - outcome.report.score


def token_rewards(
    detector: Detector, examples: Sequence[Example], token_ranges: Sequence[Sequence[Range]]
) -> list[list[float] | None]:
    """Return the rewards of each answer's tokens, None for an answer that cannot be judged; judged together.

    TRL's reward functions give one number a completion. These are for a training loop of one's own, on top of a reward
    for the whole answer: they say where it goes wrong, which a single number spreads over all of its tokens.

    Args:
        detector: who judges.
        examples: with the completions as answers.
        token_ranges: of each completion, the characters of each of its tokens; see `rewards_of_tokens`.

    Raises:
        InputError: there is not one list of ranges an example, or a range does not lie within its answer.
    """
    if len(token_ranges) != len(examples):
        raise InputError("token_ranges", f"must be one list an example, {len(examples)}, got {len(token_ranges)}")
    outcomes = zip(detector.check_many(examples), token_ranges, strict=True)
    return [None if one.report is None else _rewards_of(one.report, ranges) for one, ranges in outcomes]


def _rewards_of(report: Report, token_ranges: Sequence[Range]) -> list[float] | None:
    return None if report.verdict == "not_verifiable" else rewards_of_tokens(report, token_ranges)


def rewards_of_tokens(report: Report, token_ranges: Sequence[Range]) -> list[float]:
    """Return minus the highest score that a report gives to a character of each token: from 0, supported, down to −1.

    A character has the score of the word it belongs to, or of the marked passage, if that is higher. Where the report
    scores no character of a token (white space, special tokens, an answer without a claim) it is 0.

    Args:
        report: on the answer.
        token_ranges: half-open ranges of the answer's characters, which a generator's tokenizer gives as
            `offset_mapping` of the completion; they may be empty.

    Raises:
        InputError: a range does not lie within the answer.
    """
    scores = np.zeros(len(report.answer))
    parts: list[TokenScore | FlaggedSpan] = [*report.tokens, *report.spans]
    for part in parts:
        scores[part.start : part.end] = np.maximum(scores[part.start : part.end], part.score)
    rewards = []
    for index, (start, end) in enumerate(token_ranges):
        if not 0 <= start <= end <= len(scores):
            raise InputError(
                f"token_ranges[{index}]", f"must lie within the answer's {len(scores)} characters, got {start}..{end}"
            )
        rewards.append(0.0 - float(scores[start:end].max(initial=0.0)))
    return rewards


def _column(name: str, columns: Mapping[str, Any], n_rows: int) -> Sequence[Any] | None:
    values = columns.get(name)
    if values is None:
        return None
    if isinstance(values, str) or not isinstance(values, Sequence) or len(values) != n_rows:
        given = len(values) if isinstance(values, Sequence) else type(values).__name__
        raise InputError(name, f"must be a list of one a completion, {n_rows}, got {given}")
    return values


def _answer(field: str, completion: object) -> str:
    """Return the text of a completion: it is one, or a list of messages."""
    if isinstance(completion, list):
        return last_message(field, completion, "assistant")
    return text_of(field, completion)
