"""Made-up labelled answers about lamps in rooms; the hallucinated ones name a colour that no reference has."""

import random

from ragcortex.example import Example, Reference, Span

ROOMS = ("kitchen", "attic", "hall", "cellar", "study", "porch", "library", "garage", "workshop", "pantry")
COLOURS = ("green", "white", "black", "brown")


def labelled_answers(n_groups: int = 10, per_group: int = 4, seed: int = 0) -> list[Example]:
    """Return answers to `n_groups` sources, every second one with the span «purple and gold» that is not supported."""
    rng = random.Random(seed)
    examples = []
    for group in range(n_groups):
        room, colour = ROOMS[group % len(ROOMS)], rng.choice(COLOURS)
        reference = f"The lamp in the {room} is {colour}. It was bought in {1900 + group}."
        for number in range(per_group):
            said = "purple and gold" if number % 2 else colour
            answer = f"The lamp in the {room} is {said}, and it was bought in {1900 + group}."
            start = answer.index(said)
            spans = (Span(start, start + len(said)),) if number % 2 else ()
            examples.append(
                Example(
                    f"Which colour is the lamp in the {room}?",
                    (Reference(reference),),
                    answer,
                    id=f"{group}-{number}",
                    spans=spans,
                    label=int(bool(spans)),
                    group=f"source {group}",
                    generator=("a", "b")[number % 2],
                    task="lamps",
                )
            )
    return examples
