"""What geometry_speed.py measures: each function runs one part and returns its times."""

import resource
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from made_up_texts import answers, documents


def seconds_of(run: Callable[[], object]) -> float:
    """Return how long one run takes."""
    started = time.perf_counter()
    run()
    return time.perf_counter() - started


def quantiles(seconds: Sequence[float]) -> dict[str, float]:
    """Return median and 95th percentile in milliseconds, and how many times there are."""
    ordered = sorted(seconds)
    return {
        "p50_ms": statistics.median(ordered) * 1e3,
        "p95_ms": ordered[min(len(ordered) - 1, round(0.95 * len(ordered)))] * 1e3,
        "n": len(ordered),
    }


def peak_memory() -> int:
    """Return the most memory that this process has held, in bytes.

    `getrusage` of a process started by a large one counts the large one's memory on Linux, so it is asked elsewhere.
    """
    status = Path("/proc/self/status")
    if status.is_file():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) * 1024
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


def use_threads(n_threads: int) -> None:
    """Let torch and the matrix product of numpy use this many threads."""
    import torch
    from threadpoolctl import threadpool_limits

    torch.set_num_threads(n_threads)
    threadpool_limits(n_threads)


def detector(corpus: Path | None) -> Any:
    """Return the shipped detector, warmed up; its embedder remembers no text, so that none is embedded for nothing."""
    from ragcortex.detectors.geometric import GeometricDetector
    from ragcortex.geometry.embedders.load import load_embedder

    found = GeometricDetector.load(embedder=load_embedder("embedded"), corpus=corpus)
    found.warm_up()
    return found


def start() -> dict[str, float]:
    """Return the times of import, loading and the first two checks of a process."""
    found = {}

    def imported() -> None:
        import ragcortex.detectors.geometric  # noqa: F401

    found["import_ms"] = seconds_of(imported) * 1e3
    from ragcortex.detectors.geometric import GeometricDetector

    loaded: list[GeometricDetector] = []
    found["load_ms"] = seconds_of(lambda: loaded.append(GeometricDetector.load())) * 1e3
    passage = "The ferry of Ulmvale was opened on 3 May 1901 and carries 400 people. A ticket costs 12 euros."
    for name, answer in (("first", "The ferry opened in 1901."), ("second", "The ticket costs 14 euros, they say.")):
        found[f"{name}_check_ms"] = seconds_of(lambda answer=answer: loaded[0].check(None, [passage], answer)) * 1e3
    return found


def build(folder: Path, n_chunks: int) -> dict[str, float]:
    """Build the corpus in the folder, then once more from remembered vectors beside it; return the rates."""
    from ragcortex.geometry.corpus import Corpus
    from ragcortex.geometry.documents import Document
    from ragcortex.geometry.embedders.cached import RememberingEmbedder
    from ragcortex.geometry.embedders.load import load_embedder

    made = [Document(one.id, one.text) for one in documents(n_chunks, seed=0)]
    n_characters = sum(len(document.text) for document in made)
    embedder = RememberingEmbedder(load_embedder("embedded"), max_texts=4 * n_chunks)
    built: list[Corpus] = []
    found: dict[str, float] = {"characters": n_characters}
    for name, place in (("new", folder), ("cached", folder.with_name("again"))):

        def run(place: Path = place) -> None:
            built.append(Corpus.build(made, out=place, embedder=embedder))

        seconds = seconds_of(run)
        found["chunks"] = built[0].n_chunks
        found[f"{name}_seconds"] = seconds
        found[f"{name}_chunks_per_s"] = built[0].n_chunks / seconds
        found[f"{name}_characters_per_s"] = n_characters / seconds
    found["merged"], found["conflicts"] = len(built[0].state.merges), len(built[0].state.conflicts)
    return found


def opened(folder: Path) -> dict[str, float]:
    """Open the corpus without an embedding model."""
    from ragcortex.geometry.corpus import Corpus

    return {"open_ms": seconds_of(lambda: Corpus.open(folder)) * 1e3}


def checked(folder: Path, n_chunks: int) -> dict[str, float]:
    """Check fifty answers against the corpus."""
    own = detector(folder)
    for answer in answers(documents(n_chunks, seed=0), 50, 60, seed=5):
        own.check(None, [], answer)
    return {"checks": 50}


def read_all_facts(own: Any) -> None:
    """Read the facts of every chunk of the detector's corpus anew; checks of enough answers would have done so."""
    from ragcortex.geometry.facts.extract import fact_sheet
    from ragcortex.geometry.witness import sentences_of

    sentences_of.cache_clear()
    fact_sheet.cache_clear()
    for chunk in own.corpus.chunks:
        sentences_of(chunk)


class Stopwatch:
    """Adds up the seconds spent in functions, by name."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    def timed(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def run(*args: Any, **options: Any) -> Any:
            started = time.perf_counter()
            try:
                return function(*args, **options)
            finally:
                self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - started

        return run


def timed_checks(own: Any, chosen: Sequence[str]) -> dict[str, Any]:
    """Return times in all and by part of checking each answer once, and how often chunks' facts were remembered."""
    from ragcortex.align import words
    from ragcortex.detectors import geometric
    from ragcortex.geometry import corpus, witness

    watch, rows = Stopwatch(), []
    before = witness.sentences_of.cache_info()
    kept = own.embedder.embed, corpus.search, geometric.examine
    own.embedder.embed = watch.timed("embedding", kept[0])
    corpus.search = watch.timed("search", kept[1])
    geometric.examine = watch.timed("examine", kept[2])
    try:
        for answer in chosen:
            watch.seconds = {}
            seconds = seconds_of(lambda answer=answer: own.check(None, [], answer))
            spent = watch.seconds
            facts = spent["examine"] - spent["embedding"] - spent["search"]
            rows.append((seconds, spent["embedding"], spent["search"], facts, seconds - spent["examine"]))
    finally:
        own.embedder.embed, corpus.search, geometric.examine = kept
    after = witness.sentences_of.cache_info()
    hits, misses = after.hits - before.hits, after.misses - before.misses
    names = ("all", "embedding", "search", "facts", "scoring_and_report")
    return {
        **{name: quantiles(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)},
        "words": statistics.mean(len(words(answer)) for answer in chosen),
        "chunk_facts_remembered": hits / max(1, hits + misses),
    }


def naive_checks(own: Any, chosen: Sequence[str]) -> dict[str, Any]:
    """Return the times of the same steps done plainly.

    A call of the library's encoder for each sentence, a Python loop over the chunks for each vector, and the facts of
    every chunk and sentence read anew for each statement; scoring and report are the same.
    """
    from sentence_transformers import SentenceTransformer

    from ragcortex.geometry import witness
    from ragcortex.geometry.embedders import embedded
    from ragcortex.geometry.facts.extract import fact_sheet
    from ragcortex.geometry.language import language_of
    from ragcortex.geometry.statements import statements

    encoder = SentenceTransformer(str(embedded.find()), device="cpu", local_files_only=True)
    encoder.encode("Warm.")
    columns: dict[str, list[float]] = {"embedding": [], "search": [], "facts and report": [], "all": []}
    remembered = (witness.sentences_of, witness.language_of_chunk, fact_sheet, language_of, statements)
    for answer in chosen:
        texts = [answer[start:end] for start, end in statements(answer)]
        vectors: list[Any] = []

        def embed(texts: list[str] = texts, vectors: list[Any] = vectors) -> None:
            vectors.extend(encoder.encode(text, normalize_embeddings=True) for text in texts)

        def search(vectors: list[Any] = vectors) -> None:
            for vector in (*vectors, np.mean(vectors, axis=0)):
                sorted(((float(row @ vector), number) for number, row in enumerate(own.corpus.matrix)), reverse=True)[
                    :10
                ]

        seconds = [seconds_of(embed), seconds_of(search), 0.0]
        for text in texts:
            for cache in remembered:
                cache.cache_clear()
            own_times = timed_checks(own, [text])
            seconds[2] += (own_times["facts"]["p50_ms"] + own_times["scoring_and_report"]["p50_ms"]) / 1e3
        for name, value in zip(columns, (*seconds, sum(seconds)), strict=True):
            columns[name].append(value)
    return {name: quantiles(column) for name, column in columns.items()}
