"""Rewards for tuning a generator: called here as TRL's trainers call a reward function."""

from ragcortex import Detector, Example
from ragcortex.rewards import GroundednessReward, token_rewards

PASSAGES = ["The bridge was opened in 1932 and is 503 metres long."]
COMPLETIONS = ["The bridge is 503 metres long.", "The bridge is 640 metres long.", "I do not know."]

detector = Detector.load(witness="geometry")
reward = GroundednessReward(detector)  # GRPOTrainer(model, reward_funcs=[reward, right_answer_reward], …)
rewards = reward(
    prompts=["How long is the bridge?"] * 3,
    completions=COMPLETIONS,
    references=[PASSAGES] * 3,
    question=["How long is the bridge?"] * 3,
)
for completion, value in zip(COMPLETIONS, rewards, strict=True):
    print(f"{value:.2f}  {completion}")

# Token by token, for a training loop of one's own; a generator's tokenizer gives the ranges as `offset_mapping`.
answer = COMPLETIONS[1]
starts = [0, *(index for index, character in enumerate(answer) if character == " ")]
ranges = list(zip(starts, [*starts[1:], len(answer)], strict=True))
example = Example.of("How long is the bridge?", PASSAGES, answer)
(penalties,) = token_rewards(detector, [example], [ranges])
for (start, end), value in zip(ranges, penalties or (), strict=True):
    print(f"{value:6.2f} {answer[start:end]!r}")
