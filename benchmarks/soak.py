"""An hour of mixed requests against a service at its limit: is memory flat, is a request lost, do latencies stay?

    python benchmarks/soak.py [--minutes 60] [--clients 24] [--without-reader] [--setting NAME=VALUE …] [--store]

`ragcortex serve` runs in a process of its own with SQLite in a temporary folder and a queue that is too short for the
clients, so that many requests are refused with 429 and sent again as they are told. All texts are made up and drawn
from the seed. At the end the service is told to end while requests are in flight, and its database is counted.
With `--store` the figures are kept in benchmarks/results/soak.json. Exits with 1 if a request was lost or doubled or
answered as it should not have been, the service failed or did not end in order, or the audit trail does not verify.
"""

import argparse
import asyncio
import json
import os
import signal
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import torch

from geometry_speed_table import machine
from service_process import free_port
from soak_bodies import Bodies
from soak_client import SoakClient, connected
from soak_figures import Figures, figures
from soak_mix import MIX, Kind, run
from soak_process import Sample, SoakedService, audit_verdict, sampled
from soak_record import Record, counted
from soak_table import table

STORED: Final = Path(__file__).parent / "results" / "soak.json"
SAMPLE_SECONDS: Final = 5.0
_WARM_UPS: Final = 4
_LAST_SECONDS: Final = 150.0
_SAY_SECONDS: Final = 300.0


def settings_of(options: argparse.Namespace) -> dict[str, Any]:
    """Return the service's settings; those that are not here are its own."""
    reads: dict[str, Any] = {"load_reader": "false", "witness": "geometry"} if options.without_reader else {}
    return {"queue_size": max(2, options.clients // 4), **reads, **dict(options.setting)}


def setting(text: str) -> tuple[str, str]:
    """Return the name and the value of a setting written as NAME=VALUE."""
    name, given, value = text.partition("=")
    if not given:
        raise argparse.ArgumentTypeError(f"must be NAME=VALUE, got {text!r}")
    return name.lower(), value


def mix_of(options: argparse.Namespace) -> tuple[Kind, ...]:
    """Return the kinds of requests that the service can answer."""
    return tuple(kind for kind in MIX if not (kind.reads and options.without_reader))


async def soak(options: argparse.Namespace, service: SoakedService) -> tuple[Record, list[Sample], Figures]:
    """Return what came of it, once the service has ended."""
    record, samples, stopping = Record(), [], asyncio.Event()
    seconds, mix = options.minutes * 60, mix_of(options)
    async with connected(service.url, options.clients) as session:
        clients = [
            SoakClient(session, record, Bodies(options.seed, number), stopping) for number in range(options.clients)
        ]
        await _warmed(clients[0], mix)
        record.start()
        tasks = [asyncio.create_task(run(client, mix)) for client in clients]
        every = min(SAMPLE_SECONDS, seconds / 30)
        watching = asyncio.create_task(sampled(service, record, samples, every))
        telling = asyncio.create_task(_told(record, samples, seconds))
        try:
            done, _ = await asyncio.wait(
                [*tasks, watching], timeout=seconds - record.now(), return_when=asyncio.FIRST_COMPLETED
            )
            for task in done:  # only a fault ends one of them before its time
                task.result()
            record.stop()
            begun = time.perf_counter()
            service.send(signal.SIGTERM)
            stopping.set()
            code = await asyncio.to_thread(service.wait, _LAST_SECONDS)
            ended = time.perf_counter() - begun
            await asyncio.gather(*tasks)
        finally:
            for task in (*tasks, watching, telling):
                task.cancel()
            await asyncio.gather(*tasks, watching, telling, return_exceptions=True)
    return record, samples, {"exit_code": code, "seconds_to_end": ended, "in_flight": record.in_flight}


async def _warmed(client: SoakClient, mix: tuple[Kind, ...]) -> None:
    for kind in mix:
        if kind.name in {"geometry", "both", "corpus", "pages"}:
            for _ in range(_WARM_UPS):
                await kind.send(client, kind.name)


async def _told(record: Record, samples: list[Sample], seconds: float) -> None:
    """Say now and then that it goes on."""
    while True:
        await asyncio.sleep(_SAY_SECONDS)
        print(
            f"{record.now() / 60:.0f} of {seconds / 60:g} minutes: {len(record.attempts):,} requests, "
            f"{len(record.accepted):,} checks accepted, {samples[-1].memory_mb:,.1f} MB",
            file=sys.stderr,
            flush=True,
        )


def found_of(options: argparse.Namespace, folder: Path) -> Figures:
    """Return all figures of one run in an empty folder."""
    service = SoakedService(folder / "service", free_port(), settings_of(options))
    try:
        record, samples, end = asyncio.run(soak(options, service))
    finally:
        service.end()
    (database,) = (folder / "service").glob("*.sqlite3")
    audit = audit_verdict(database, folder / "audit.jsonl")
    return {
        **figures(record.attempts, samples, options.minutes * 60, options.seed),
        "counts": counted(database, record),
        "unbroken": audit["unbroken"],
        **end,
        "cut_off": record.cut_off,
        "n_wrong": record.n_wrong,
        "wrong": record.wrong,
    }


def failed(found: Figures) -> bool:
    """Return whether anything came that must never come."""
    counts = found["counts"]
    bad = sum(row["outcomes"]["5xx"] + row["outcomes"]["broken"] for row in found["windows"])
    miscounted = counts["lost"] or counts["doubled"] or counts["kept_though_refused"]
    return bool(miscounted or bad or found["n_wrong"] or found["exit_code"] or not found["unbroken"])


def store(found: Figures, options: argparse.Namespace) -> None:
    """Keep the figures, with what they depend on."""
    facts = machine(torch.get_num_threads()) | {"cores": os.cpu_count()}
    run_of = {"minutes": options.minutes, "clients": options.clients, "seed": options.seed}
    run_of |= {"settings": settings_of(options), "mix": {kind.name: kind.weight for kind in mix_of(options)}}
    STORED.parent.mkdir(exist_ok=True)
    text = json.dumps({"machine": facts, "run": run_of, **found}, indent=1, ensure_ascii=False)
    STORED.write_text(text + "\n", encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=60, help="[default: 60]")
    parser.add_argument("--clients", type=int, default=24, help="at the same time [default: 24]")
    parser.add_argument("--seed", type=int, default=0, help="of all that is drawn [default: 0]")
    parser.add_argument("--without-reader", action="store_true", help="judge by geometry only")
    parser.add_argument(
        "--setting", type=setting, action="append", default=[], metavar="NAME=VALUE", help="another one of the service"
    )
    parser.add_argument("--store", action="store_true", help="keep the figures")
    options = parser.parse_args()
    # Told to end, it ends the service first.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with suppress(KeyboardInterrupt), tempfile.TemporaryDirectory() as folder:
        found = found_of(options, Path(folder))
        print(table(found))
        if options.store:
            store(found, options)
        return int(failed(found))
    return 130


if __name__ == "__main__":
    sys.exit(main())
