"""On whose answers what ships was fitted: data sets as the catalogue names them, after the cards."""

from typing import Final

# BEGIN is one of the sets of TRUE.
_MIXTURE: Final = ("halueval", "summedits", "true", "wice")
SEEN: Final[dict[str, tuple[str, ...]]] = {
    "reference-gain": (),
    "attention-alignment": _MIXTURE,
    "cortex-clean": _MIXTURE,
    "fusion-clean": _MIXTURE,
    "cortex": (*_MIXTURE, "ragtruth"),
    "fusion": (*_MIXTURE, "ragtruth"),
}
SEEN_BY_GEOMETRY: Final = _MIXTURE
