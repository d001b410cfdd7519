"""What a reader of a table must know about a method."""

from dataclasses import dataclass
from typing import Final, Literal

from ragcortex.errors import InputError
from ragcortex.smoothing import Method as SmoothingMethod

Training = Literal["none", "unlabelled", "labels", "other data", "test labels"]
Scale = Literal["probability", "any"]
ScoredLevel = Literal["token", "sentence", "answer"]

CLEAREST_ANSWER: Final = "the highest smoothed token score"


@dataclass(frozen=True, slots=True)
class MethodCard:
    """What a reader of a table must know about a method.

    Attributes:
        name: as a configuration names it.
        title: as a table prints it.
        summary: one line for people.
        source: where it is defined (paper and equation, or released code), and in what we differ.
        training: `none`, `unlabelled` (fitted on answers without their labels), `labels`, `other data` (fitted on
            labelled answers of other data sets) or `test labels` (an oracle, which only a control may be).
        scale: `probability` if its token scores are probabilities in [0, 1], else `any`: then the protocol makes them
            emissions for label persistence by standardising them on a fold's validation answers, without labels.
        level: the finest level it scores itself; a sentence's score is given to its tokens, an answer's to none.
        smoothing: how the protocol smooths its token scores.
        answer_score: where its answer score comes from, in words.
    """

    name: str
    title: str
    summary: str
    source: str
    training: Training
    scale: Scale
    level: ScoredLevel = "token"
    smoothing: SmoothingMethod = "persistence"
    answer_score: str = CLEAREST_ANSWER

    def __post_init__(self) -> None:
        for name in ("name", "title", "summary", "source"):
            if not getattr(self, name).strip():
                raise InputError(name, "must not be blank")
