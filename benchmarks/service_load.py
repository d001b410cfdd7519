"""What the service bears on loopback: throughput with batching and without, latency, and a stop in the middle.

    python benchmarks/service_load.py [--requests 96] [--clients 16] [--only batching …] [--store]

The service runs in processes of its own, started by `ragcortex serve` with SQLite in a temporary folder; all texts are
made up, and their number and the time they may take are bounded. With `--store` the figures are kept in
benchmarks/results/service_load.json.
"""

import argparse
import asyncio
import json
import os
import signal
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import torch

from geometry_speed_table import machine
from service_process import ServiceProcess, free_port, running
from service_requests import Outcome, Payload, send_all, send_until_answered, source_checks

STORED: Final = Path(__file__).parent / "results" / "service_load.json"
ROUNDS: Final = 3
TURNS: Final = 6
FAST: Final = "geometry in bfloat16, durability normal"
REFERENCE_WORDS: Final = 100
SHORT_WORDS: Final = 25
WARM_UP: Final = 8
Figures = dict[str, Any]


def batching(options: argparse.Namespace, folder: Path) -> list[Figures]:
    """Compare answers judged together with answers judged one by one; both services take turns."""
    found: dict[str, Outcome] = {}
    with (
        running(folder / "together", batch_size=options.clients) as together,
        running(folder / "single", batch_size=1) as single,
    ):
        services = {f"up to {options.clients} together": together, "one by one": single}
        for per_source in (1, 6):
            for turn in range(ROUNDS):
                checks = source_checks(
                    options.requests // ROUNDS, seed=10 * per_source + turn, per_source=per_source,
                    reference_words=REFERENCE_WORDS, witness="both",
                )  # fmt: skip
                for name, service in services.items():
                    way = f"{name}, {per_source} answers a source" if per_source > 1 else f"{name}, every source new"
                    sent = send_all(service.url, checks, clients=options.clients, seconds=options.seconds)
                    found.setdefault(way, Outcome()).include(asyncio.run(sent))
        one_client = source_checks(
            options.requests // 4, seed=99, per_source=1, reference_words=REFERENCE_WORDS, witness="both"
        )
        alone = asyncio.run(send_all(together.url, one_client, clients=1, seconds=options.seconds))
        found["one client, every source new"] = alone
        memory = together.peak_memory_mb
    rows = [{"way": way, **outcome.figures()} for way, outcome in found.items()]
    rows[0]["peak_memory_mb"] = memory
    return rows


def geometry(options: argparse.Namespace, folder: Path) -> list[Figures]:
    """Time the geometric check of 60 words against three short references: one client, and beside a busy reader.

    A service with the default settings and one with the fastest take turns, so that what else the machine does
    weighs on both.
    """
    found: dict[str, Figures] = {}
    with (
        running(folder / "geometry") as usual,
        running(folder / "fast", durability="normal", environment={"RAGCORTEX_EMBEDDER_DTYPE": "bfloat16"}) as fast,
    ):
        services = {"geometry": usual, FAST: fast}
        for name, per_source in (("references seen before", 6), ("every source new", 1)):
            checks = source_checks(
                options.requests + WARM_UP * per_source, seed=200 + per_source, per_source=per_source,
                reference_words=SHORT_WORDS, witness="geometry",
            )  # fmt: skip
            # The first round of sources is what makes them known, and warms up.
            n_first = WARM_UP if per_source == 1 else -(-len(checks) // per_source)
            for way, outcome in _in_turns(services, checks, n_first, options.seconds).items():
                found[f"{way}, {name}"] = outcome.figures()
        for way, service in services.items():
            found[f"{way}, every source new, beside a busy reader"] = asyncio.run(_beside_reader(service, options))
    return [{"way": way, **figures} for way, figures in sorted(found.items(), key=lambda row: row[0].startswith(FAST))]


def _in_turns(
    services: dict[str, ServiceProcess], checks: list[Payload], n_first: int, seconds: float
) -> dict[str, Outcome]:
    """Return what came of checks that every service got, in portions by turns; the first ones do not count."""
    found = {way: Outcome() for way in services}
    portion = -(-(len(checks) - n_first) // TURNS)
    for start in (0, *range(n_first, len(checks), portion)):
        part = checks[start : start + portion] if start else checks[:n_first]
        for way, service in services.items():
            outcome = asyncio.run(send_all(service.url, part, clients=1, seconds=seconds))
            if start:
                found[way].include(outcome)
    return found


async def _beside_reader(service: ServiceProcess, options: argparse.Namespace) -> Figures:
    n = options.requests // 4
    reading = source_checks(n, seed=301, per_source=1, reference_words=REFERENCE_WORDS, witness="both")
    quick = source_checks(n, seed=302, per_source=1, reference_words=SHORT_WORDS, witness="geometry")
    busy = asyncio.create_task(send_all(service.url, reading, clients=4, seconds=options.seconds))
    await asyncio.sleep(0.5)
    outcome = await send_all(service.url, quick, clients=1, seconds=options.seconds)
    await busy
    return outcome.figures()


def stop(options: argparse.Namespace, folder: Path) -> list[Figures]:
    """Stop the service while requests are in flight, start it again, and count what the database has."""
    signals = {"SIGTERM": signal.SIGTERM, "SIGKILL": signal.SIGKILL}
    return [asyncio.run(_stopped(name, number, options, folder / name)) for name, number in signals.items()]


async def _stopped(name: str, number: signal.Signals, options: argparse.Namespace, data: Path) -> Figures:
    n, port = options.requests // 2, free_port()
    checks = source_checks(n, seed=400 + number, per_source=3, reference_words=REFERENCE_WORDS, witness="both")
    service = await asyncio.to_thread(ServiceProcess, data, port, {})
    outcome = Outcome()
    sending = asyncio.create_task(
        send_until_answered(service.url, checks, clients=options.clients, seconds=options.seconds, outcome=outcome)
    )
    try:
        while len(outcome.answered) < n // 3 and not sending.done():
            await asyncio.sleep(0.005)
        in_flight = min(options.clients, n - len(outcome.answered))
        stopped = time.perf_counter()
        service.send(number)
        code = await asyncio.to_thread(service.wait, options.seconds)
        ended = time.perf_counter() - stopped
        service = await asyncio.to_thread(ServiceProcess, data, port, {})
        await sending
    finally:
        sending.cancel()
        service.send(signal.SIGTERM)
        await asyncio.to_thread(service.wait, 60)
    return {
        "way": f"{name} with {in_flight} requests in flight",
        "n": n,
        "exit_code": code,
        "seconds_to_end": ended,
        "statuses": dict(outcome.statuses),
        **counted(data, [check["id"] for check in checks], outcome),
    }


def counted(data: Path, asked: list[str], outcome: Outcome) -> dict[str, int]:
    """Return how many checks are lost and doubled in the database, and how many answers name another check."""
    (file,) = data.glob("*.sqlite3")
    with sqlite3.connect(f"file:{file}?mode=ro", uri=True) as database:
        rows = database.execute("SELECT external_id, id FROM checks").fetchall()
    kept = Counter(external for external, _ in rows)
    by_request = dict(rows)
    return {
        "kept": len(rows),
        "lost": sum(kept[name] == 0 for name in asked),
        "doubled": sum(kept[name] > 1 for name in asked),
        "answered_with_another": sum(
            one != by_request.get(name) for name in asked for one in outcome.answered.get(name, [""])
        ),
    }


PARTS: Final[dict[str, Callable[[argparse.Namespace, Path], list[Figures]]]] = {
    "batching": batching,
    "geometry": geometry,
    "stop": stop,
}


def table(part: str, rows: list[Figures]) -> list[str]:
    """Return the rows of one part as lines of a table."""
    if part == "stop":
        head = f"{'':<52}{'checks':>7}{'kept':>6}{'lost':>6}{'doubled':>9}{'exit':>6}{'to end':>9}  answers"
        return [
            head,
            *(
                f"{row['way']:<52}{row['n']:>7}{row['kept']:>6}{row['lost']:>6}{row['doubled']:>9}{row['exit_code']:>6}"
                f"{row['seconds_to_end']:>7.1f} s  {said(row['statuses'])}"
                for row in rows
            ),
        ]
    head = f"{'':<82}{'n':>5}{'per s':>8}{'p50 ms':>9}{'p95 ms':>9}{'p99 ms':>9}  answers"
    return [
        head,
        *(
            f"{row['way']:<82}{row['n']:>5}{row['per_second']:>8.2f}{row['p50_ms']:>9.1f}{row['p95_ms']:>9.1f}"
            f"{row['p99_ms']:>9.1f}  {said(row['statuses'])}"
            for row in rows
        ),
    ]


def said(statuses: dict[str, int]) -> str:
    """Return how often each status was answered, as text."""
    return ", ".join(f"{number} × {status}" for status, number in sorted(statuses.items()))


def store(found: dict[str, list[Figures]], options: argparse.Namespace) -> None:
    """Keep the figures of the parts that were measured beside those of the others."""
    facts = machine(torch.get_num_threads()) | {"cores": os.cpu_count()}
    facts |= {"requests": options.requests, "clients": options.clients}
    kept = json.loads(STORED.read_text(encoding="utf-8"))["parts"] if STORED.is_file() else {}
    parts = kept | {name: {"machine": facts, "rows": rows} for name, rows in found.items()}
    STORED.parent.mkdir(exist_ok=True)
    STORED.write_text(json.dumps({"parts": parts}, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=96, help="of each comparison [default: 96]")
    parser.add_argument("--clients", type=int, default=16, help="at the same time [default: 16]")
    parser.add_argument("--seconds", type=float, default=300, help="that one round may take [default: 300]")
    parser.add_argument("--only", nargs="+", choices=list(PARTS), default=list(PARTS))
    parser.add_argument("--store", action="store_true", help="keep the figures")
    options = parser.parse_args()
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in options.only:
            found[name] = PARTS[name](options, Path(folder))
            print("\n".join(table(name, found[name])), end="\n\n", flush=True)
    if options.store:
        store(found, options)
    wrong = [row for row in found.get("stop", []) if row["lost"] or row["doubled"] or row["answered_with_another"]]
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
