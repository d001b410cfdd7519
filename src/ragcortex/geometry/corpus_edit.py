"""Building, extending and reducing a corpus on disk: one writer at a time, resumable, whole or not at all."""

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from ragcortex.errors import InputError, ModelError
from ragcortex.geometry.chunking import Chunking
from ragcortex.geometry.corpus_build import Embedding, Progress, build, extended, reduced
from ragcortex.geometry.corpus_files import partial_folder, read_corpus, write_corpus, writing
from ragcortex.geometry.corpus_manifest import MANIFEST
from ragcortex.geometry.corpus_partial import PartialVectors
from ragcortex.geometry.corpus_report import BuildReport, report_of
from ragcortex.geometry.documents import Document, Unreadable, read_documents
from ragcortex.geometry.embedders.embedder import FLOAT32, Embedder, EmbedderIdentity, dtype_of

Sources = Iterable[Document | Path | str]


def build_on_disk(
    sources: Sources,
    out: Path,
    embedder: Embedder,
    chunking: Chunking,
    *,
    merge_above: float,
    overwrite: bool,
    progress: Progress | None,
) -> BuildReport:
    """Write the corpus of the sources to a folder; see `Corpus.build`."""
    started = time.monotonic()
    _check_storing(embedder)
    _check_out(out, overwrite)
    documents, unreadable = _read(sources)
    with _edited(out, embedder.identity) as partial:
        _check_out(out, overwrite)
        state, embedding = build(
            documents, embedder, chunking, merge_above=merge_above, partial=partial, progress=progress
        )
        if not len(state.places):
            raise InputError("sources", _nothing_to_search(documents, unreadable))
        n_bytes = write_corpus(state, out).n_bytes
    return report_of(state, documents, unreadable, embedding, n_bytes=n_bytes, seconds=time.monotonic() - started)


def add_on_disk(folder: Path, sources: Sources, embedder: Embedder, *, progress: Progress | None) -> BuildReport:
    """Add documents to the corpus in a folder; see `Corpus.add`."""
    started = time.monotonic()
    _check_storing(embedder)
    documents, unreadable = _read(sources)
    with _edited(folder, embedder.identity) as partial:
        before, _ = read_corpus(folder)
        check_embedder(folder, before.identity, embedder.identity)
        known = {document.id for document in before.documents}
        repeated = [document.id for document in documents if document.id in known]
        if repeated:
            raise InputError(
                "sources",
                f"{', '.join(map(repr, repeated))} {'is' if len(repeated) == 1 else 'are'} in the corpus already; "
                "remove the old text first to replace it",
            )
        if not documents:
            raise InputError("sources", _nothing_to_search(documents, unreadable))
        state, embedding = extended(before, documents, embedder, partial=partial, progress=progress)
        n_bytes = write_corpus(state, folder).n_bytes
    return report_of(state, documents, unreadable, embedding, n_bytes=n_bytes, seconds=time.monotonic() - started)


def remove_on_disk(folder: Path, ids: Sequence[str]) -> BuildReport:
    """Remove documents from the corpus in a folder; see `Corpus.remove`."""
    started = time.monotonic()
    with writing(folder):
        state = reduced(read_corpus(folder)[0], ids)
        n_bytes = write_corpus(state, folder).n_bytes
    return report_of(state, (), (), Embedding(0, 0), n_bytes=n_bytes, seconds=time.monotonic() - started)


def check_embedder(folder: Path | None, built_with: EmbedderIdentity, given: EmbedderIdentity) -> None:
    """Refuse an embedder whose vectors are not comparable with those of a corpus.

    The same weights under another name are the same embedder.

    Raises:
        ModelError: it is another one; the message names both and says what to do.
    """
    names = ("fingerprint", "dimension", "max_tokens")
    if all(getattr(built_with, name) == getattr(given, name) for name in names):
        return
    where = "the corpus in memory" if folder is None else f"the corpus {str(folder)!r}"
    raise ModelError(
        f"{where} was built with the embedder {_described(built_with)}, not with {_described(given)}; their "
        "similarities cannot be compared: give the embedder that it was built with, or build the corpus anew"
    )


@contextmanager
def _edited(folder: Path, identity: EmbedderIdentity) -> Iterator[PartialVectors]:
    """Hold the corpus for writing; vectors kept on the way are deleted once the block has ended well."""
    with writing(folder):
        partial = PartialVectors(partial_folder(folder), identity)
        yield partial
        partial.remove()


def _check_storing(embedder: Embedder) -> None:
    """Refuse a coarser precision, so that all vectors on disk are alike.

    Raises:
        InputError: the embedder computes in less than float32.
    """
    dtype = dtype_of(embedder)
    if dtype != FLOAT32:
        raise InputError(
            "embedder",
            f"must compute in float32, in which a corpus is stored, got {dtype}; load it with dtype='float32', or "
            "leave RAGCORTEX_EMBEDDER_DTYPE out for this; what is stored may be searched in either",
        )


def _described(identity: EmbedderIdentity) -> str:
    revision = f", revision {identity.revision}" if identity.revision else ""
    return (
        f"{identity.id!r} (fingerprint {identity.fingerprint[:12]}{revision}, {identity.dimension} dimensions, "
        f"{identity.max_tokens} tokens at once)"
    )


def _check_out(out: Path, overwrite: bool) -> None:
    """Refuse a folder that holds something before minutes are spent on what cannot be written there."""
    if out.exists() and not out.is_dir():
        raise InputError("out", f"{str(out)!r} is a file; give a folder")
    if not out.parent.is_dir():
        raise InputError("out", f"folder {str(out.parent)!r} does not exist; make it first")
    if not out.exists() or not any(out.iterdir()):
        return
    if not (out / MANIFEST).is_file():
        raise InputError("out", f"folder {str(out)!r} is not empty and holds no corpus; give another one")
    if not overwrite:
        raise InputError(
            "out", f"folder {str(out)!r} holds a corpus; add to it with `ragcortex corpus add`, or replace it"
        )


def _read(sources: Sources) -> tuple[tuple[Document, ...], tuple[Unreadable, ...]]:
    """Return the documents and the documents of the files among the sources, in order.

    Raises:
        InputError: two documents have one id, or a source is neither a document nor a path.
    """
    given = list(sources)
    for index, source in enumerate(given):
        if not isinstance(source, Document | Path | str):
            raise InputError(f"sources[{index}]", f"must be a Document or a path, got {type(source).__name__}")
    paths = [Path(source) for source in given if not isinstance(source, Document)]
    if paths and len(paths) < len(given):
        raise InputError("sources", "must be documents or paths, not both")
    items = list(read_documents(paths)) if paths else given
    documents = tuple(item for item in items if isinstance(item, Document))
    repeated = [name for name, n in Counter(document.id for document in documents).items() if n > 1]
    if repeated:
        raise InputError("sources", f"several documents have the id {', '.join(map(repr, repeated))}")
    return documents, tuple(item for item in items if isinstance(item, Unreadable))


def _nothing_to_search(documents: Sequence[Document], unreadable: Sequence[Unreadable]) -> str:
    return f"hold no text: {len(documents):,} documents were read, {len(unreadable):,} files could not be"
