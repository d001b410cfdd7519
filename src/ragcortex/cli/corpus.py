"""`ragcortex corpus`: documents in, a corpus to check answers against out; look into it, change it, search it."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from ragcortex.cli.console import plural, say, size_text, write_data, write_text
from ragcortex.cli.options import embedder_option
from ragcortex.errors import EXIT_OK, EXIT_SOME_ROWS_FAILED
from ragcortex.rendering.inert import inert_line

if TYPE_CHECKING:
    from ragcortex.geometry.corpus import Corpus
    from ragcortex.geometry.corpus_manifest import Manifest
    from ragcortex.geometry.corpus_report import BuildReport, Passage, PassagePair
    from ragcortex.geometry.corpus_state import CorpusState

app = typer.Typer(help="Corpora: build one from documents, look into it, change it, search it.", rich_markup_mode=None)

FolderArgument = Annotated[Path, typer.Argument(metavar="DIR", help="The corpus.")]
PathsArgument = Annotated[
    list[Path],
    typer.Argument(metavar="PATH...", help="Text, Markdown, HTML, PDF and JSONL files, and folders of them."),
]
EmbedderOption = Annotated[str | None, embedder_option("the one the corpus names")]
_SCHEMA: Final = "ragcortex.corpus/1"
_SHOWN_CONFLICTS: Final = 3
# Files that nobody expects to be read: they are named, but the command has not failed because of them.
_SKIPPED: Final = ("hidden", "link", "ending")


@app.command()
def build(
    *,
    paths: PathsArgument,
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Where to write the corpus.")],
    embedder: Annotated[str | None, embedder_option("embedded")] = None,
    embedder_model: Annotated[
        str | None, typer.Option("--embedder-model", metavar="NAME", help="The model's name at the endpoint.")
    ] = None,
    dimension: Annotated[
        int | None,
        typer.Option("--dimension", metavar="N", help="Keep N components of each vector (Matryoshka models)."),
    ] = None,
    max_chars: Annotated[
        int | None,
        typer.Option(
            "--max-chars",
            metavar="N",
            help="The longest chunk; Chinese, Japanese and Korean characters count double. [default: 300]",
        ),
    ] = None,
    merge_above: Annotated[
        float,
        typer.Option("--merge-above", metavar="COSINE", help="Chunks more alike than this are merged."),
    ] = 0.9,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the corpus in DIR.")] = False,
) -> int:
    """Make a corpus of documents; resumable.

    Interrupted, the same command goes on where it stopped.
    """
    from ragcortex.geometry.chunking import Chunking
    from ragcortex.geometry.corpus import Corpus
    from ragcortex.geometry.embedders.embedder import FLOAT32
    from ragcortex.geometry.embedders.load import load_embedder
    from ragcortex.rendering.progress import progress

    chunking = Chunking() if max_chars is None else Chunking(max_chars=max_chars, min_chars=max_chars // 2)
    corpus = Corpus.build(
        paths,
        out=out,
        embedder=load_embedder(embedder, dtype=FLOAT32, dimension=dimension, model=embedder_model),
        chunking=chunking,
        merge_above=merge_above,
        overwrite=overwrite,
        progress=progress,
    )
    return _summarise(corpus, "written")


@app.command()
def add(folder: FolderArgument, paths: PathsArgument, embedder: EmbedderOption = None) -> int:
    """Add documents; only they are embedded."""
    from ragcortex.geometry.corpus import Corpus
    from ragcortex.rendering.progress import progress

    return _summarise(Corpus.open(folder, embedder=embedder).add(paths, progress=progress), "extended")


@app.command()
def remove(
    folder: FolderArgument,
    ids: Annotated[list[str], typer.Argument(metavar="ID...", help="Documents; `info --documents` lists them.")],
) -> int:
    """Remove documents by their ids."""
    from ragcortex.geometry.corpus import Corpus

    return _summarise(Corpus.open(folder).remove(ids), "reduced")


@app.command()
def info(
    folder: FolderArgument,
    verify: Annotated[bool, typer.Option("--verify", help="Compare the vectors with their digest too.")] = False,
    documents: Annotated[bool, typer.Option("--documents", help="List the documents.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
) -> int:
    """Show what a corpus holds and how it was made."""
    from ragcortex.geometry.corpus_files import read_corpus, verify_vectors

    state, manifest = read_corpus(folder)
    if verify:
        verify_vectors(state, manifest, folder)
    if as_json:
        write_data(json.dumps(_described(folder, state, manifest, verify), ensure_ascii=False, indent=2) + "\n")
        return EXIT_OK
    for label, value in _facts(state, manifest, verify).items():
        write_text(f"{label:<14}{inert_line(value)}\n")
    if documents:
        for document in _documents(state):
            size = f"{plural(document['characters'], 'character')}, {plural(document['chunks'], 'chunk')}"
            write_text(f"{inert_line(document['id'])}  {size}\n")
    return EXIT_OK


@app.command()
def search(
    folder: FolderArgument,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What to look for.")],
    k: Annotated[int, typer.Option("-k", metavar="N", min=1, help="How many chunks to show.")] = 5,
    embedder: EmbedderOption = None,
) -> int:
    """Show the chunks nearest to a text."""
    from ragcortex.geometry.corpus import Corpus
    from ragcortex.geometry.embedders.embedder import FLOAT32, dtype_of

    corpus = Corpus.open(folder, embedder=embedder)
    found = corpus.search([text], k)
    for number, similarity in zip(found.indices[0].tolist(), found.similarities[0].tolist(), strict=True):
        chunk = corpus.chunk(number)
        twins = corpus.twins(number)
        also = f", and at {plural(len(twins), 'other place')}" if twins else ""
        name = inert_line(corpus.document_of(chunk).id or "")
        write_text(f"{similarity:.3f}  {name}, characters {chunk.start:,} to {chunk.end:,}{also}\n")
        write_text(f"       {inert_line(chunk.text)}\n")
    say(f"{plural(int(found.n_close[0]), 'chunk')} of {corpus.n_chunks:,} within cosine distance 0.25")
    if (dtype := dtype_of(corpus.embedder)) != FLOAT32:
        say(f"the text was embedded in {dtype}, so that cosines may differ in the third decimal from those in float32")
    return EXIT_OK


def _summarise(corpus: "Corpus", done: str) -> int:
    """Say what a build found, and return the exit code."""
    report = corpus.report
    if report is None:
        raise AssertionError("a corpus that was just written has a report")
    for problem in report.unreadable:
        say(f"{'skipped' if problem.reason in _SKIPPED else 'not read'}: {problem}")
    for name, notes in report.notes.items():
        say(f"note: {name}: {'; '.join(notes)}")
    for name in report.repeated:
        say(f"repeated: {name} says nothing that an earlier document does not say")
    _say_conflicts(report.conflicts, corpus.folder)
    if report.n_unasked:
        say(
            f"{plural(report.n_unasked, 'pair')} of passages alike enough to be merged were kept without comparing "
            "their facts: too many passages differ only in a few words"
        )
    say(report.coarseness.sentence)
    n_failed = sum(problem.reason not in _SKIPPED for problem in report.unreadable)
    say(f"corpus {done}: {_sizes(report, n_failed)}, in {report.seconds:.1f} s; {corpus.folder}")
    return EXIT_SOME_ROWS_FAILED if n_failed else EXIT_OK


def _sizes(report: "BuildReport", n_failed: int) -> str:
    parts = [
        plural(report.n_documents, "document"),
        f"{n_failed:,} not read",
        plural(report.n_chunks, "chunk"),
        f"{report.n_merged:,} merged",
        plural(len(report.conflicts), "conflict"),
        f"{plural(report.n_embedded, 'text')} embedded now",
        size_text(report.n_bytes),
    ]
    if report.n_resumed:
        parts.insert(-1, f"{report.n_resumed:,} taken over from the interrupted run")
    return ", ".join(parts)


def _say_conflicts(conflicts: "tuple[PassagePair, ...]", folder: Path | None) -> None:
    for pair in conflicts[:_SHOWN_CONFLICTS]:
        say(f"conflict: two passages (cosine {pair.similarity:.2f}) are alike and can hardly both be right:")
        for passage in (pair.first, pair.second):
            say(f"  {_place(passage)}: {passage.text}")
    left = len(conflicts) - _SHOWN_CONFLICTS
    if left > 0:
        say(f"and {plural(left, 'more conflict')}; `ragcortex corpus info {folder} --json` lists them all")


def _place(passage: "Passage") -> str:
    source = f" ({passage.source})" if passage.source not in (None, passage.document) else ""
    return f"{passage.document}{source}, characters {passage.start:,} to {passage.end:,}"


def _facts(state: "CorpusState", manifest: "Manifest", verified: bool) -> dict[str, str]:
    identity = state.identity
    return {
        "documents": f"{manifest.counts['documents']:,}",
        "chunks": f"{manifest.counts['chunks']:,}",
        "merged": f"{manifest.counts['merged']:,}, above cosine {state.merge_above:g}",
        "conflicts": f"{manifest.counts['conflicts']:,}, and {plural(state.n_unasked, 'pair')} not compared",
        "embedder": f"{identity.id}, revision {identity.revision or 'none'}, fingerprint {identity.fingerprint}",
        "dimension": f"{identity.dimension:,}",
        "chunking": ", ".join(f"{name} {value}" for name, value in state.chunking.to_dict().items()),
        "fingerprint": manifest.fingerprint,
        "created": manifest.created,
        "size": size_text(manifest.n_bytes),
        "vectors": "verified" if verified else "size and shape are right; --verify compares their digest",
    }


def _described(folder: Path, state: "CorpusState", manifest: "Manifest", verified: bool) -> dict[str, Any]:
    from dataclasses import asdict

    from ragcortex.geometry.corpus_report import passage_pairs

    return {
        "schema": _SCHEMA,
        "folder": str(folder),
        "fingerprint": manifest.fingerprint,
        "created": manifest.created,
        "embedder": asdict(state.identity),
        "chunking": state.chunking.to_dict(),
        "merge_above": state.merge_above,
        "counts": dict(manifest.counts),
        "bytes": manifest.n_bytes,
        "libraries": dict(manifest.libraries),
        "vectors_verified": verified,
        "documents": _documents(state),
        "merges": [asdict(pair) for pair in passage_pairs(state, state.merges)],
        "conflicts": [asdict(pair) for pair in passage_pairs(state, state.conflicts)],
        "pairs_not_compared": state.n_unasked,
    }


def _documents(state: "CorpusState") -> list[dict[str, Any]]:
    from ragcortex.geometry.corpus_report import chunk_counts

    return [
        {"id": document.id, "source": document.source, "characters": len(document.text), "chunks": n}
        for document, n in zip(state.documents, chunk_counts(state, state.n_kept), strict=True)
    ]
