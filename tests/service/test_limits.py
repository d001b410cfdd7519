"""How many requests a key may make in any stretch of time, what it is told to wait, and how much is remembered."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcortex.errors import InputError
from ragcortex.service.limits import RateLimits


def test_a_minute_s_requests_at_once_then_one_at_a_time() -> None:
    limits = RateLimits()
    assert [limits.take("a", 3, 100.0) for _ in range(3)] == [0.0, 0.0, 0.0]
    assert limits.take("a", 3, 100.0) == pytest.approx(20.0)
    assert limits.take("a", 3, 110.0) == pytest.approx(10.0), "being refused costs nothing"
    assert limits.take("a", 3, 120.0) == 0.0
    assert limits.take("a", 3, 120.0) == pytest.approx(20.0)
    assert limits.take("b", 3, 120.0) == 0.0, "another key has a bucket of its own"


def test_a_bucket_never_holds_more_than_a_minute() -> None:
    limits = RateLimits()
    limits.take("a", 2, 0.0)
    assert [limits.take("a", 2, 1e6) == 0 for _ in range(3)] == [True, True, False]


def test_a_lower_limit_counts_at_once() -> None:
    limits = RateLimits()
    limits.take("a", 100, 0.0)
    assert [limits.take("a", 1, 0.0) == 0 for _ in range(2)] == [True, False]


def test_a_clock_that_goes_back_gives_nothing_away() -> None:
    limits = RateLimits()
    assert limits.take("a", 1, 100.0) == 0.0
    assert limits.take("a", 1, 0.0) == pytest.approx(60.0)
    assert limits.take("a", 1, 130.0) == pytest.approx(30.0)


def test_memory_is_bounded_and_the_keys_seen_last_stay() -> None:
    limits = RateLimits(max_keys=2)
    for key in ("a", "b", "a", "c"):
        limits.take(key, 1, 0.0)
    assert len(limits) == 2
    assert limits.take("a", 1, 0.0) > 0, "it was seen later than b"
    assert limits.take("b", 1, 0.0) == 0.0


@pytest.mark.parametrize("per_minute", [0, -1])
def test_a_limit_below_one_is_refused(per_minute: int) -> None:
    with pytest.raises(InputError, match=rf"^per_minute: must be at least 1, got {per_minute}$"):
        RateLimits().take("a", per_minute, 0.0)
    with pytest.raises(InputError, match=r"^max_keys: must be at least 1, got 0$"):
        RateLimits(max_keys=0)


@given(per_minute=st.integers(1, 600), pauses=st.lists(st.floats(0, 90), max_size=80))
def test_in_no_stretch_of_time_more_than_the_bucket_and_what_flows_in(per_minute: int, pauses: list[float]) -> None:
    limits, now, admitted = RateLimits(), 0.0, []
    for pause in pauses:
        now += pause
        if limits.take("a", per_minute, now) == 0:
            admitted.append(now)
    for first, start in enumerate(admitted):
        for last in range(first, len(admitted)):
            stretch = admitted[last] - start
            assert last - first + 1 <= per_minute + stretch * per_minute / 60 + 1e-6


@given(per_minute=st.integers(1, 10_000), pauses=st.lists(st.floats(0, 30), min_size=1, max_size=30))
def test_who_waits_as_told_is_let_in(per_minute: int, pauses: list[float]) -> None:
    limits, now = RateLimits(), 0.0
    for pause in pauses:
        now += pause
        wait = limits.take("a", per_minute, now)
        assert 0 <= wait <= 60 / per_minute
        if wait:
            now += wait
            assert limits.take("a", per_minute, now) == 0
