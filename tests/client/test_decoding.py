"""JSON values as typed objects, and bytes as lines and events."""

import datetime
import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import pytest
from hypothesis import given, strategies

from ragcortex.client.decoding import decoded
from ragcortex.client.events import Events, Lines, StreamOpened, TokensScored
from ragcortex.example import Span


@dataclass(frozen=True)
class Part:
    name: str
    n: int | None = None


@dataclass(frozen=True)
class Whole:
    share: float
    at: datetime.datetime
    kind: Literal["a", "b"]
    parts: tuple[Part, ...]
    more: Mapping[str, Any]
    good: bool
    span: Span | None


VALUES: dict[str, Any] = {
    "share": 1,
    "at": "2026-01-05T09:30:00Z",
    "kind": "a",
    "parts": [{"name": "x", "added later": 1}, {"name": "y", "n": 2}],
    "more": {"any": [1]},
    "good": True,
    "span": {"start": 1, "end": 3},
}


def test_values_become_objects() -> None:
    whole = decoded(Whole, VALUES)
    assert whole == Whole(
        1.0,
        datetime.datetime(2026, 1, 5, 9, 30, tzinfo=datetime.UTC),
        "a",
        (Part("x"), Part("y", 2)),
        {"any": [1]},
        True,
        Span(1, 3),
    )
    assert isinstance(whole.share, float)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"share": "1"}, "answer.share must be a number, got str"),
        ({"share": True}, "answer.share must be a number, got True"),
        ({"share": None}, "answer.share must be a number, got NoneType"),
        ({"at": "yesterday"}, "answer.at must be a moment as ISO 8601 writes it, got 'yesterday'"),
        ({"at": 3}, "answer.at must be a moment, got int"),
        ({"kind": "c"}, "answer.kind must be one of 'a', 'b', got 'c'"),
        ({"parts": {}}, "answer.parts must be a list, got dict"),
        ({"parts": [{}]}, "answer.parts[0].name is missing"),
        ({"parts": [{"name": "x", "n": 1.5}]}, "answer.parts[0].n must be a whole number, got float"),
        ({"more": []}, "answer.more must be an object, got list"),
        ({"good": 1}, "answer.good must be true or false, got int"),
        ({"span": {"start": 3, "end": 1}}, "answer.span.start must satisfy 0 <= start < end, got start=3, end=1"),
    ],
)
def test_values_of_another_form_are_named(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011  # the whole message is compared
        decoded(Whole, VALUES | changed)
    assert str(caught.value) == message


@given(strategies.text(), strategies.lists(strategies.integers(0, 40)))
def test_lines_do_not_depend_on_how_bytes_arrive(text: str, cuts: list[int]) -> None:
    raw = text.encode()
    places = sorted({min(cut, len(raw)) for cut in (0, *cuts, len(raw))})
    lines = Lines()
    found = [line for start, end in itertools.pairwise(places) for line in lines.feed(raw[start:end])]
    *expected, rest = text.split("\n")
    assert found == [line.removesuffix("\r") for line in expected]
    assert lines.rest() == rest


def test_events_end_with_a_blank_line() -> None:
    events = Events()
    lines = ["event: stream", 'data: {"id":', 'data:"s"}', "retry: 3", ""]
    assert [events.feed(line) for line in lines] == [None] * 4 + [StreamOpened("s")]
    assert [events.feed(line) for line in (": a comment", "", "event: tokens", "")] == [None] * 4
    events.feed("event: tokens")
    events.feed('data: {"final": true, "tokens": [], "spans": [], "sentences": [], "notes": []}')
    assert events.feed("") == TokensScored(True, (), ())
