"""How many requests a key may make: a bucket of tokens for each, refilled steadily."""

import threading
from collections import OrderedDict
from typing import Final

from ragcortex.errors import InputError

_MAX_KEYS: Final = 10_000
# A wait that was kept to the end may fall short of a whole token by rounding.
_ROUNDING: Final = 1e-9


class RateLimits:
    """One bucket a key, in bounded memory; safe to use from several threads.

    A bucket holds a minute's requests and is full at first: a key may make them all at once, and on average no more a
    minute. The key not seen for longest is forgotten where there are too many, and is full again when it comes back.
    """

    def __init__(self, *, max_keys: int = _MAX_KEYS) -> None:
        if max_keys < 1:
            raise InputError("max_keys", f"must be at least 1, got {max_keys}")
        self.max_keys = max_keys
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._buckets)

    def take(self, key_id: str, per_minute: int, now: float) -> float:
        """Return 0 where a request may be made, which is then counted, else how many seconds to wait for one.

        Args:
            key_id: whose request it is.
            per_minute: how many the key may make, from 1 on.
            now: seconds of a clock that does not go back, such as `time.monotonic`.

        Raises:
            InputError: the limit is below 1.
        """
        if per_minute < 1:
            raise InputError("per_minute", f"must be at least 1, got {per_minute}")
        with self._lock:
            tokens, since = self._buckets.pop(key_id, (float(per_minute), now))
            now = max(now, since)
            tokens = min(float(per_minute), tokens + (now - since) * per_minute / 60)
            wait = 0.0 if tokens >= 1 - _ROUNDING else (1 - tokens) * 60 / per_minute
            self._buckets[key_id] = (tokens if wait else max(0.0, tokens - 1), now)
            while len(self._buckets) > self.max_keys:
                self._buckets.popitem(last=False)
        return wait
