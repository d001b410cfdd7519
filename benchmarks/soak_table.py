"""The figures of a soak test as text."""

from typing import Any

from soak_figures import TIMED, Figures
from soak_record import OUTCOMES


def table(found: Figures) -> str:
    """Return tables of the stretches of time and of the kinds of requests, and what all of it says."""
    return "\n".join((*_windows(found["windows"]), "", *_held(found["windows"]), "", *_kinds(found["kinds"]), "",
                      *verdicts(found)))  # fmt: skip


def _minutes(row: Figures) -> str:
    begin, end = row["minutes"]
    return f"{begin:.1f}–{end:.1f}" if end is not None else "the end"


def _windows(rows: list[Figures]) -> list[str]:
    lines = [f"{'minutes':<12}{'requests':>9}" + "".join(f"{name:>9}" for name in OUTCOMES)]
    for row in rows:
        counts = "".join(f"{row['outcomes'][name]:>9,}" for name in OUTCOMES)
        lines.append(f"{_minutes(row):<12}{row['requests']:>9,}{counts}")
    return lines


def _held(rows: list[Figures]) -> list[str]:
    names = "".join(f"{name + ' p50':>14}{'p95':>8}{'p99 ms':>8}" for name in TIMED)
    lines = [f"{'minutes':<12}{names}{'RSS MB':>10}{'files':>7}{'threads':>9}{'database MB':>13}"]
    for row in rows:
        cells = [_minutes(row).ljust(12)]
        for name in TIMED:
            cut = row["latency"][name]
            cells += [number(cut["p50_ms"], 14), number(cut["p95_ms"], 8), number(cut["p99_ms"], 8)]
        held = row["held"]
        if held is not None:
            cells.append(f"{held['memory_mb']:>10,.1f}{held['files']:>7g}{held['threads']:>9g}")
            cells.append(f"{held['database_mb']:>13,.1f}")
        lines.append("".join(cells))
    return lines


def _kinds(rows: list[Figures]) -> list[str]:
    lines = [f"{'kind':<34}{'n':>7}{'p50 ms':>9}{'p95 ms':>9}{'p99 ms':>9}  outcomes"]
    for row in rows:
        cuts = "".join(number(row[f"p{q}_ms"], 9) for q in (50, 95, 99))
        outcomes = ", ".join(f"{n:,} × {name}" for name, n in row["outcomes"].items())
        lines.append(f"{row['kind']:<34}{row['n']:>7,}{cuts}  {outcomes}")
    return lines


def verdicts(found: Figures) -> list[str]:
    """Return what is to be known, a line each."""
    counts, grown = found["counts"], found["memory"]
    lines = [
        f"checks: {counts['accepted']:,} accepted, {counts['lost']} lost, {counts['doubled']} doubled, "
        f"{counts['kept_though_refused']} kept though refused",
        f"audit trail: {counts['audit_entries']:,} entries, {'unbroken' if found['unbroken'] else 'BROKEN'}",
        f"SIGTERM with {found['in_flight']} requests in flight: exit {found['exit_code']} after "
        f"{found['seconds_to_end']:.1f} s, {found['cut_off']} cut off",
        f"answers that should not have come: {found['n_wrong']}",
        *(f"  {what}" for what in found["wrong"]),
    ]
    if grown is not None:
        low, high = grown["interval"]
        lines.append(
            f"memory: {grown['mb_per_hour']:+.1f} MB an hour (95 % {low:+.1f} to {high:+.1f}), "
            f"median {grown['median_mb']:,.1f} MB"
        )
    for name, ratio in found["drift"].items():
        if ratio is not None:
            lines.append(f"latency of {name}: the median of the last third is {ratio:.3f} of that of the second")
    return lines


def number(value: Any, width: int) -> str:
    """Return a number of milliseconds, or a dash where there is none."""
    return f"{'–':>{width}}" if value is None else f"{value:>{width},.0f}"
