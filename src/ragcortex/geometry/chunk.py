"""A chunk: one stretch of one reference, small enough to be about one thing."""

from dataclasses import dataclass

from ragcortex.checks import check_position, check_range


@dataclass(frozen=True, slots=True)
class Chunk:
    """Text of one document or reference: `documents[reference].text[start:end] == text`, `0 <= start < end`."""

    reference: int
    start: int
    end: int
    text: str

    def __post_init__(self) -> None:
        check_position("reference", self.reference)
        check_range(self.start, self.end, self.text)
