"""What came of the requests of a soak test: every attempt, every accepted check, and what the database has of them."""

import sqlite3
import time
from collections import Counter, deque
from collections.abc import Collection
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

OUTCOMES: Final = ("2xx", "422", "413", "429", "5xx", "hung up", "other", "broken", "stopped")
_MOST_NOTES: Final = 20
# A request that was on its way this long when the service was told to end had arrived there.
_ARRIVED_SECONDS: Final = 1.0


class Attempt(NamedTuple):
    """One request sent once.

    Attributes:
        at: seconds from the beginning to its end.
        kind: which of the mix.
        outcome: one of `OUTCOMES`; `other` are the statuses that were expected beside the usual ones, `broken` is a
            connection that ended without an answer, `stopped` what the service refused once it was told to end.
        seconds: how long it took.
    """

    at: float
    kind: str
    outcome: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Begun:
    """A request that has no outcome yet."""

    kind: str
    at: float


@dataclass(slots=True)
class Record:
    """Everything that the clients saw.

    Attributes:
        attempts: in the order of their ends.
        accepted: the service's id of each check that was answered, by the name that the client gave it.
        uncertain: names of checks whose answer nobody waited for; each may be kept once, or not.
        recent: the service's ids of checks answered lately.
        wrong: what the service should not have answered, the first ones in words; `n_wrong` counts all.
        cut_off: requests that had arrived when the service was told to end, and were not answered.
        in_flight: requests that had no answer when the service was told to end.
    """

    attempts: list[Attempt] = field(default_factory=list)
    accepted: dict[str, str] = field(default_factory=dict)
    uncertain: set[str] = field(default_factory=set)
    recent: deque[str] = field(default_factory=lambda: deque(maxlen=500))
    wrong: list[str] = field(default_factory=list)
    n_wrong: int = 0
    cut_off: int = 0
    in_flight: int = 0
    _open: set[int] = field(default_factory=set)
    _began: float = field(default_factory=time.perf_counter)
    _stopped: float | None = None

    @property
    def stopped(self) -> bool:
        """Whether the service was told to end."""
        return self._stopped is not None

    def start(self) -> None:
        """Count time and attempts from now; what was accepted before stays."""
        self._began = time.perf_counter()
        self.attempts.clear()

    def stop(self) -> None:
        """Take it that the service is told to end now."""
        self._stopped = self.now()
        self.in_flight = len(self._open)

    def now(self) -> float:
        """Return the seconds from the beginning."""
        return time.perf_counter() - self._began

    def begin(self, kind: str) -> Begun:
        """Return a request that is sent now."""
        begun = Begun(kind, self.now())
        self._open.add(id(begun))
        return begun

    def end(self, begun: Begun, status: int, expected: Collection[int], said: str = "") -> None:
        """Note the status that a request was answered with; an unexpected one is wrong."""
        if status == 503 and self.stopped:
            self._add(begun, "stopped")
            return
        if status not in expected and status != 429:
            self.blame(f"{begun.kind}: {status} {said[:300]}")
        outcome = f"{status // 100}xx" if status // 100 in {2, 5} else str(status)
        self._add(begun, outcome if outcome in OUTCOMES else "other")

    def hang_up(self, begun: Begun) -> None:
        """Note a request that its client gave up."""
        self._add(begun, "hung up")

    def break_off(self, begun: Begun, error: Exception) -> None:
        """Note a connection that ended without an answer: wrong, except for requests that came after the end."""
        if self._stopped is None:
            self.blame(f"{begun.kind}: no answer, {type(error).__name__} {error} after {self.now() - begun.at:.2f} s")
        elif begun.at < self._stopped - _ARRIVED_SECONDS:
            self.cut_off += 1
            self.blame(f"{begun.kind}: cut off at the end, {type(error).__name__} {error}")
        self._add(begun, "broken" if self._stopped is None else "stopped")

    def accept(self, name: str, check: dict[str, Any]) -> None:
        """Note the answer to a check; the same name must always have the same check."""
        found = self.accepted.setdefault(name, check["id"])
        if found != check["id"]:
            self.blame(f"{name}: answered with {check['id']} after {found}")
        if check["report"].get("id", name) != name:
            self.blame(f"{name}: answered with the report of {check['report']['id']}")
        self.recent.append(check["id"])

    def blame(self, what: str) -> None:
        """Note what should not have happened."""
        self.n_wrong += 1
        if len(self.wrong) < _MOST_NOTES:
            self.wrong.append(what)

    def _add(self, begun: Begun, outcome: str) -> None:
        self._open.discard(id(begun))
        now = self.now()
        self.attempts.append(Attempt(now, begun.kind, outcome, now - begun.at))


def counted(file: Path, record: Record) -> dict[str, int]:
    """Return what an ended service's SQLite file has of the checks that were asked for.

    `lost` are accepted checks that are not there, `doubled` those that are there more than once. `kept_though_refused`
    are those that are there and were never accepted, `kept_though_hung_up` those whose answer nobody waited for.
    """
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as database:
        rows = database.execute("SELECT external_id, id FROM checks").fetchall()
        entries = database.execute("SELECT count(*) FROM audit_entries").fetchone()[0]
    kept = Counter(name for name, _ in rows)
    pairs = set(rows)
    return {
        "accepted": len(record.accepted),
        "kept": len(rows),
        "lost": sum(pair not in pairs for pair in record.accepted.items()),
        "doubled": sum(n > 1 for n in kept.values()),
        "kept_though_refused": len(kept.keys() - record.accepted.keys() - record.uncertain),
        "kept_though_hung_up": len(kept.keys() & (record.uncertain - record.accepted.keys())),
        "audit_entries": entries,
    }
