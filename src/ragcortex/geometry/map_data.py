"""What a map shows: reference chunks, and answers with their verdicts, each a point on the plane."""

from collections import Counter
from dataclasses import dataclass
from typing import Final, Literal, get_args

from ragcortex.checks import check_known, check_parts, check_text
from ragcortex.errors import InputError
from ragcortex.geometry.projection import Projection

Kind = Literal["reference", "grounded", "review", "hallucinated", "no_claim", "not_verifiable"]
KINDS: Final[tuple[str, ...]] = get_args(Kind)
KIND_NAMES: Final = {
    "reference": "reference chunk",
    "grounded": "grounded answer",
    "review": "answer to review",
    "hallucinated": "hallucinated answer",
    "no_claim": "answer without a claim",
    "not_verifiable": "answer not verifiable",
}
DECIDES_NOTHING: Final = "This map decides nothing: verdicts are reached in the full space, never on this plane."


@dataclass(frozen=True, slots=True)
class Look:
    """How a kind is drawn. The colours (Okabe and Ito) are told apart by colour-blind eyes, the shapes in print.

    Attributes:
        colour: of its face; None for a hollow symbol.
        corners: outline on a square from -1 to 1, y down; empty for a circle.
        size: half the symbol's width in pixels.
    """

    colour: str | None
    corners: tuple[tuple[float, float], ...]
    size: float


_CROSS: Final = tuple(
    (x / 10, y / 10)
    for x, y in (
        (-10, -6), (-6, -10), (0, -4), (6, -10), (10, -6), (4, 0),
        (10, 6), (6, 10), (0, 4), (-6, 10), (-10, 6), (-4, 0),
    )
)  # fmt: skip
LOOKS: Final[dict[str, Look]] = {
    "reference": Look("#999999", (), 3.0),
    "grounded": Look("#0072B2", ((0.0, -1.0), (1.0, 0.85), (-1.0, 0.85)), 6.0),
    "review": Look("#E69F00", ((-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)), 5.5),
    "hallucinated": Look("#D55E00", _CROSS, 6.5),
    "no_claim": Look(None, (), 5.0),
    "not_verifiable": Look(None, ((0.0, -1.0), (1.0, 0.0), (0.0, 1.0), (-1.0, 0.0)), 6.5),
}


@dataclass(frozen=True, slots=True)
class MapPoint:
    """One point: what it is, its text, and where that comes from (a document, an answer's id) if that is known."""

    kind: Kind
    text: str
    source: str | None = None

    def __post_init__(self) -> None:
        check_known("kind", self.kind, KINDS)
        check_text("text", self.text)
        check_text("source", self.source, optional=True)


@dataclass(frozen=True, slots=True, eq=False)
class CorpusMap:
    """The points of a map, in the order of the projection's rows.

    Attributes:
        points: what each point is.
        projection: where it lies.
        n_chunks: how many reference chunks there are in all; more than are shown where the map shows a sample.

    Raises:
        InputError: there are no points, points and projection have different lengths, or n_chunks is below what is
            shown.
    """

    points: tuple[MapPoint, ...]
    projection: Projection
    n_chunks: int

    def __post_init__(self) -> None:
        check_parts("points", self.points, MapPoint)
        if not self.points:
            raise InputError("points", "must not be empty; a map needs at least one reference chunk or answer")
        if len(self.points) != len(self.projection.points):
            raise InputError(
                "points", f"must be one a row of the projection, {len(self.projection.points)}, got {len(self.points)}"
            )
        shown = self.counts.get("reference", 0)
        if self.n_chunks < shown:
            raise InputError("n_chunks", f"must be at least the {shown} chunks that are shown, got {self.n_chunks}")

    @property
    def counts(self) -> dict[str, int]:
        """How many points of each kind there are, in the order of KINDS; kinds without points are left out."""
        counted = Counter(point.kind for point in self.points)
        return {kind: counted[kind] for kind in KINDS if counted[kind]}  # type: ignore[index]

    @property
    def legend(self) -> dict[str, str]:
        """The name and count of each kind on the map."""
        return {kind: f"{KIND_NAMES[kind]} ({count:,})" for kind, count in self.counts.items()}

    @property
    def axes(self) -> tuple[str, str]:
        """What to write at the horizontal and the vertical axis."""
        explained = self.projection.explained
        if explained is None:
            return "UMAP 1 (no unit)", "UMAP 2 (no unit)"
        return (
            f"first principal component ({explained[0]:.1%} of the variance)",
            f"second principal component ({explained[1]:.1%} of the variance)",
        )

    @property
    def caption(self) -> tuple[str, ...]:
        """The sentences under every map: that it decides nothing, how much it shows, and what is left out."""
        sentences = [DECIDES_NOTHING]
        explained = self.projection.explained
        if explained is None:
            sentences.append("UMAP keeps neighbours together; distances, gaps and sizes of groups mean little.")
        else:
            sentences.append(
                f"Both axes together show {sum(explained):.0%} of the variance; "
                "points close to each other here may be far apart."
            )
        shown = self.counts.get("reference", 0)
        if shown < self.n_chunks:
            answers = ", and all answers" if len(self.points) > shown else ""
            sentences.append(f"Shown are {shown:,} of {self.n_chunks:,} reference chunks, evenly taken{answers}.")
        return tuple(sentences)
