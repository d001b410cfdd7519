"""Ways to damage an input, always the same ones: for tests that need no fuzzer."""

import random
from collections.abc import Iterator

_INSERTED = (
    b"\0", b"\xff\xfe", b"\xed\xa0\x80", b"\xc0\x80", b"\xe2\x80\xa8", b"\r", b"9" * 500, b"1e999", b"-",
    b"\\ud800", b"[" * 3000, b"{\"a\":" * 3000, b"<div>" * 300, b"> " * 300, b"((" * 200,
)  # fmt: skip
_HUGE = (b"\xff" * 8, b"\xff\xff\xff\xff\xff\xff\xff\x7f", b"\0" * 8)


def mutations(seed: bytes, n: int) -> Iterator[bytes]:
    """Yield about n damaged inputs: truncated at even steps, bytes and bits changed, something inserted or overwritten.

    The first byte, which chooses what the others are, stays.
    """
    if len(seed) < 2:
        return
    chance = random.Random(len(seed))
    each = max(1, n // 5)
    for step in range(each):
        yield seed[: 1 + step * (len(seed) - 1) // each]
    for _ in range(each):
        place = chance.randrange(1, len(seed))
        yield seed[:place] + bytes([seed[place] ^ (1 << chance.randrange(8))]) + seed[place + 1 :]
    for index in range(each):
        place = chance.randrange(1, len(seed) + 1)
        yield seed[:place] + _INSERTED[index % len(_INSERTED)] + seed[place:]
    for index in range(each):
        place = chance.randrange(1, len(seed))
        value = _HUGE[index % len(_HUGE)]
        yield seed[:place] + value + seed[place + len(value) :]
    for _ in range(each):
        first, last = sorted(chance.randrange(1, len(seed) + 1) for _ in range(2))
        yield seed[:last] + seed[first:]
