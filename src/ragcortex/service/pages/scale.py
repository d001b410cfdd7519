"""The scale of an answer's score, from 0 to 1, with the thresholds and the zones between them."""

from dataclasses import dataclass
from typing import Final

from ragcortex.rendering.words import number
from ragcortex.service.pages.wording import Texts

_LABEL_ROOM: Final = 0.09


@dataclass(frozen=True, slots=True)
class Zone:
    """A stretch of the scale, in per cent of its width: `good` is grounded, `warn` review, `bad` hallucinated."""

    tone: str
    left: str
    width: str


@dataclass(frozen=True, slots=True)
class Tick:
    """A label under the scale."""

    left: str
    anchor: str
    label: str


@dataclass(frozen=True, slots=True)
class Scale:
    """Where the zones, the needle and the labels lie, and the same in words."""

    zones: tuple[Zone, ...]
    ticks: tuple[Tick, ...]
    needle: str
    spoken: str


def scale_of(t: Texts, score: float | None, review: float | None, limit: float | None) -> Scale | None:
    """Return the scale of a score between its thresholds; None where the answer was not judged."""
    if score is None or review is None or limit is None:
        return None
    zones = (("good", 0.0, review), ("warn", review, limit), ("bad", limit, 1.0))
    ticks = [(0.0, "start", "0"), (1.0, "end", "1")]
    if _LABEL_ROOM < limit < 1 - _LABEL_ROOM:
        ticks.append((limit, "middle", number(limit)))
    if _LABEL_ROOM < review < min(limit, 1) - _LABEL_ROOM:
        ticks.append((review, "middle", number(review)))
    return Scale(
        zones=tuple(Zone(tone, _percent(start), _percent(end - start)) for tone, start, end in zones if end > start),
        ticks=tuple(Tick(_percent(at), anchor, label) for at, anchor, label in sorted(ticks)),
        needle=_percent(score),
        spoken=t("scale.spoken", score=number(score, review, limit), review=number(review), limit=number(limit)),
    )


def _percent(value: float) -> str:
    return f"{value * 100:.2f}"
