"""Corpora of the service: made, changed, searched and deleted, whatever happens in between."""

import asyncio
import datetime
import shutil
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import select

from made_embedder import WordEmbedder
from ragcortex.errors import InputError, ModelError, StoreError
from ragcortex.example import Reference
from ragcortex.geometry.corpus import Corpus
from ragcortex.geometry.documents import Document
from ragcortex.service import corpus_rows
from ragcortex.service.batching import Busy
from ragcortex.service.checks import NotFoundError
from ragcortex.service.corpora import Corpora
from ragcortex.service.corpus_documents import documents_of
from ragcortex.service.corpus_folders import CorpusState
from ragcortex.service.corpus_limits import CorpusLimits
from ragcortex.service.corpus_rows import NameTakenError, StoredCorpus
from ragcortex.service.storage.database import Database
from ragcortex.service.storage.tables import AuditEntry

NOW = datetime.datetime(2026, 1, 5, 9, 30, tzinfo=datetime.UTC)
LATER = NOW + datetime.timedelta(hours=1)
LIGHTHOUSE = "The lighthouse at Cape Arden was built in 1874 and it stands 41 metres above the sea."
HARBOUR = "The harbour of Port Lyle freezes every winter, so ferries stop there for several weeks."
MUSEUM = "The museum shows paintings of sailors, and old maps that were drawn by hand on board."


def documents(*texts: str) -> list[Document]:
    return documents_of([Reference(text, f"document {number}") for number, text in enumerate(texts, start=1)])


def made(database: Database, folder: Path, **limits: float) -> Corpora:
    return Corpora(database, folder, WordEmbedder(), CorpusLimits(**limits))  # type: ignore[arg-type]


@pytest.fixture
def corpora(database: Database, tmp_path: Path) -> Iterator[Corpora]:
    opened = made(database, tmp_path)
    yield opened
    opened.close()


def stored(database: Database, corpora: Corpora, name: str = "coast") -> StoredCorpus:
    return database.run(lambda session: corpora.find(session, name))


def folders(tmp_path: Path) -> list[str]:
    return sorted(path.name for path in (tmp_path / "corpora").iterdir() if path.is_dir())


def bytes_on_disk(tmp_path: Path) -> bytes:
    return b"".join(path.read_bytes() for path in (tmp_path / "corpora").rglob("*") if path.is_file())


def audited(database: Database) -> str:
    def bodies(session: object) -> str:
        return "\n".join(session.scalars(select(AuditEntry.body).order_by(AuditEntry.number)))  # type: ignore[attr-defined]

    return database.run(bodies)


def test_a_corpus_is_made_found_and_searched(database: Database, corpora: Corpora, tmp_path: Path) -> None:
    change = corpora.create("coast", documents(LIGHTHOUSE, HARBOUR), actor="ada", now=NOW)
    found = stored(database, corpora)

    assert change.corpus == found
    assert (found.n_documents, found.n_chunks, found.embedder) == (2, 2, "words")
    assert (found.created_at, found.changed_at) == (NOW, NOW)
    assert database.run(corpora.list) == (found,)
    assert [(one.id, one.n_characters, one.n_chunks) for one in corpora.documents("coast")] == [
        ("document 1", len(LIGHTHOUSE), 1),
        ("document 2", len(HARBOUR), 1),
    ]
    best, other = corpora.search("coast", "When does the harbour freeze?", 5)
    assert (best.document, best.text, best.start, best.n_twins) == ("document 2", HARBOUR, 0, 0)
    assert best.similarity > other.similarity
    assert "Content-Security-Policy" in corpora.map_html("coast")
    assert folders(tmp_path) == [f"{found.id}-{found.fingerprint[:32]}"]


def test_the_trail_names_what_happened_and_holds_no_text(database: Database, corpora: Corpora) -> None:
    corpora.create("coast", documents(LIGHTHOUSE), actor="ada", now=NOW)
    corpora.add("coast", documents_of([Reference(HARBOUR, "harbour")]), actor="ben", now=LATER)
    corpora.delete("coast", actor="cleo", now=LATER)

    trail = audited(database)
    for part in ("corpus.created", "corpus.changed", "corpus.deleted", '"ada"', '"ben"', '"cleo"', '"n_added":1'):
        assert part in trail
    for text in ("lighthouse", "harbour", "document 1"):
        assert text not in trail


def test_a_name_is_taken_once(database: Database, corpora: Corpora, tmp_path: Path) -> None:
    corpora.create("coast", documents(LIGHTHOUSE), actor="ada", now=NOW)
    before = folders(tmp_path)
    with pytest.raises(NameTakenError, match=r"^name: there is a corpus 'coast' already; add to it, delete it, or "):
        corpora.create("coast", documents(HARBOUR), actor="ada", now=NOW)
    assert folders(tmp_path) == before


def test_adding_embeds_only_what_is_new(database: Database, tmp_path: Path) -> None:
    embedder = WordEmbedder()
    forgotten: list[str] = []
    corpora = Corpora(database, tmp_path, embedder, forget=forgotten.append)
    first = corpora.create("coast", documents(LIGHTHOUSE, HARBOUR), actor="ada", now=NOW).corpus
    n_before = embedder.n_embedded
    change = corpora.add("coast", documents_of([Reference(MUSEUM, "museum")]), actor="ada", now=LATER)

    assert embedder.n_embedded == n_before + 1
    assert change.report.n_embedded == 1
    assert (change.corpus.id, change.corpus.n_documents) == (first.id, 3)
    assert (change.corpus.created_at, change.corpus.changed_at) == (NOW, LATER)
    assert forgotten == [first.fingerprint]
    assert len(folders(tmp_path)) == 1


def test_who_opened_a_corpus_goes_on_with_it(database: Database, corpora: Corpora) -> None:
    first = corpora.create("coast", documents(LIGHTHOUSE, HARBOUR), actor="ada", now=NOW).corpus
    opened = corpora.open(first)
    assert corpora.open(first) is opened

    corpora.remove("coast", "document 2", actor="ada", now=LATER)
    newest = corpora.open(first)
    corpora.delete("coast", actor="ada", now=LATER)

    assert (opened.n_chunks, newest.n_chunks) == (2, 1)
    assert opened.search([HARBOUR], 1).similarities[0, 0] == pytest.approx(1, abs=1e-6)
    with pytest.raises(NotFoundError, match=r"^corpus: the corpus 'coast' was deleted meanwhile$"):
        corpora.open(first)


def test_removed_and_deleted_texts_are_gone_from_the_disk(corpora: Corpora, tmp_path: Path) -> None:
    corpora.create("coast", documents(LIGHTHOUSE, HARBOUR), actor="ada", now=NOW)
    assert b"Port Lyle" in bytes_on_disk(tmp_path)
    corpora.remove("coast", "document 2", actor="ada", now=LATER)
    assert b"Port Lyle" not in bytes_on_disk(tmp_path)
    assert b"Cape Arden" in bytes_on_disk(tmp_path)
    with pytest.raises(NotFoundError, match=r"^id: no document of the corpus 'coast' has the id 'document 2'$"):
        corpora.remove("coast", "document 2", actor="ada", now=LATER)
    with pytest.raises(InputError, match=r"^id: is the last document with text; delete the whole corpus instead$"):
        corpora.remove("coast", "document 1", actor="ada", now=LATER)
    corpora.delete("coast", actor="ada", now=LATER)
    assert folders(tmp_path) == []
    with pytest.raises(NotFoundError, match=r"^name: no corpus is called 'coast'$"):
        corpora.delete("coast", actor="ada", now=LATER)


def test_documents_that_cannot_be_used_change_nothing(database: Database, corpora: Corpora, tmp_path: Path) -> None:
    first = corpora.create("coast", documents(LIGHTHOUSE), actor="ada", now=NOW).corpus
    with pytest.raises(InputError, match=r"^documents: 'document 1' is in the corpus already; remove the old text "):
        corpora.add("coast", documents(HARBOUR), actor="ada", now=LATER)
    with pytest.raises(InputError, match=r"^documents: several documents have the id 'document 1'$"):
        corpora.create("twice", [*documents(HARBOUR), *documents(MUSEUM)], actor="ada", now=NOW)
    assert database.run(corpora.list) == (first,)
    assert len(folders(tmp_path)) == 1


def test_limits_are_kept(database: Database, tmp_path: Path) -> None:
    corpora = made(database, tmp_path, n_corpora=1, n_documents=2, n_characters=200)
    with pytest.raises(InputError, match=r"^documents: are 3 documents in one corpus; this service takes 2 at most$"):
        corpora.create("coast", documents(LIGHTHOUSE, HARBOUR, MUSEUM), actor="ada", now=NOW)
    corpora.create("coast", documents(LIGHTHOUSE, HARBOUR), actor="ada", now=NOW)
    with pytest.raises(InputError, match=r"^documents: are 3 documents in one corpus; this service takes 2 at most$"):
        corpora.add("coast", documents_of([Reference(MUSEUM)]), actor="ada", now=NOW)
    with pytest.raises(InputError, match=r"^name: there are 1 corpora, as many as this service keeps; delete one "):
        corpora.create("museum", documents(MUSEUM), actor="ada", now=NOW)
    with pytest.raises(InputError, match=r"^documents: are 255 characters in one corpus; this service takes 200 at "):
        corpora.create("museum", documents(MUSEUM * 3), actor="ada", now=NOW)


def test_a_process_killed_while_it_builds_leaves_nothing(database: Database, database_url: str, tmp_path: Path) -> None:
    script = f"""
        import datetime, pathlib
        from made_embedder import WordEmbedder
        from ragcortex.geometry.documents import Document
        from ragcortex.service.corpora import Corpora
        from ragcortex.service.storage.database import Database
        slow = WordEmbedder(seconds_per_text=60)
        corpora = Corpora(Database({database_url!r}), pathlib.Path({str(tmp_path)!r}), slow)
        corpora.create("coast", [Document("a", "A text.")], actor="ada", now=datetime.datetime.now(datetime.UTC))
    """
    process = subprocess.Popen([sys.executable, "-c", textwrap.dedent(script)], cwd=Path(__file__).parents[1])
    try:
        wait_for(lambda: (tmp_path / "corpora").is_dir() and len(folders(tmp_path)) == 1)
        corpora = made(database, tmp_path, lock_seconds=0.1)
        swept = corpora.sweep()
        assert (swept.n_removed, swept.complete) == (0, False)
        with pytest.raises(Busy, match=r"^the service is busy: another process builds a corpus; try again in 30 s$"):
            corpora.create("museum", documents(MUSEUM), actor="ada", now=NOW)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert len(folders(tmp_path)) == 1
    swept = corpora.sweep()
    assert (swept.n_removed, swept.missing, swept.complete) == (1, (), True)
    assert folders(tmp_path) == []
    corpora.create("coast", documents(LIGHTHOUSE), actor="ada", now=NOW)


def test_a_built_state_that_no_row_came_to_name_is_swept(
    database: Database, corpora: Corpora, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpora.create("coast", documents(LIGHTHOUSE), actor="ada", now=NOW)

    def lost(*_: object) -> StoredCorpus:
        raise StoreError("the database does not answer")

    with monkeypatch.context() as patch:
        patch.setattr(corpus_rows.Update, "__call__", lost)
        with pytest.raises(StoreError, match=r"^the database does not answer$"):
            corpora.add("coast", documents_of([Reference(MUSEUM)]), actor="ada", now=LATER)
    assert len(folders(tmp_path)) == 2
    assert stored(database, corpora).n_documents == 1
    assert corpora.sweep().n_removed == 1
    assert corpora.search("coast", LIGHTHOUSE, 1)[0].text == LIGHTHOUSE


def test_a_commit_whose_answer_was_lost_is_not_done_twice(database: Database, corpora: Corpora) -> None:
    first = corpora.create("coast", documents(LIGHTHOUSE), actor="ada", now=NOW).corpus
    state = corpora.open(first).state
    again = corpus_rows.Insert(first.id, "coast", first.fingerprint, state, "ada", NOW)
    assert database.run(again) == first
    update = corpus_rows.Update(first, first.fingerprint, state, "ada", LATER)
    assert database.run(update) == first
    assert audited(database).count("corpus.") == 1


def test_missing_files_are_reported_and_can_be_deleted(
    database: Database, corpora: Corpora, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    first = corpora.create("coast", documents(LIGHTHOUSE), actor="ada", now=NOW).corpus
    shutil.rmtree(tmp_path / "corpora" / folders(tmp_path)[0])

    assert corpora.sweep().missing == (CorpusState(first.id, first.fingerprint),)
    assert caplog.messages == [f"the files of corpus {first.id} are missing in the data folder"]
    message = r"^the files of the corpus 'coast' are missing; delete it and make it anew$"
    with pytest.raises(StoreError, match=message):
        corpora.open(first)
    with pytest.raises(StoreError, match=message):
        corpora.add("coast", documents_of([Reference(MUSEUM)]), actor="ada", now=LATER)
    corpora.delete("coast", actor="ada", now=LATER)
    assert database.run(corpora.list) == ()


def test_files_that_something_else_changed_are_refused(corpora: Corpora, tmp_path: Path) -> None:
    first = corpora.create("coast", documents(LIGHTHOUSE), actor="ada", now=NOW).corpus
    corpora.open(first)
    folder = tmp_path / "corpora" / folders(tmp_path)[0]
    Corpus.open(folder, embedder=WordEmbedder()).add(documents_of([Reference(MUSEUM)]))
    with pytest.raises(StoreError, match=r"^the files of the corpus 'coast' were changed by something else than this "):
        corpora.open(first)
    (folder / "corpus.json").write_text("{}")
    with pytest.raises(StoreError) as caught:
        corpora.open(first)
    assert str(caught.value) == "the files of the corpus 'coast' are damaged; delete it and make it anew"


def test_another_embedding_model_is_refused(database: Database, corpora: Corpora, tmp_path: Path) -> None:
    first = corpora.create("coast", documents(LIGHTHOUSE), actor="ada", now=NOW).corpus
    other = Corpora(database, tmp_path, WordEmbedder("others", "a1" * 32))
    with pytest.raises(ModelError, match=r"^the corpus 'coast' cannot be searched with the embedding model of this "):
        other.open(first)
    with pytest.raises(ModelError) as caught:
        other.search("coast", "x", 1)
    assert str(tmp_path) not in str(caught.value)


def test_another_process_s_change_is_seen(database: Database, corpora: Corpora, tmp_path: Path) -> None:
    first = corpora.create("coast", documents(LIGHTHOUSE), actor="ada", now=NOW).corpus
    assert corpora.open(first).n_chunks == 1
    other = made(database, tmp_path)
    other.add("coast", documents_of([Reference(MUSEUM, "museum")]), actor="ben", now=LATER)
    assert len(corpora.documents("coast")) == 2
    # The row was read before the other process's change, and its folder is gone.
    assert corpora.open(first).n_chunks == 2


def test_changes_at_the_same_time_lose_nothing(database: Database, tmp_path: Path) -> None:
    services = [made(database, tmp_path) for _ in range(2)]
    services[0].create("coast", documents(LIGHTHOUSE), actor="ada", now=NOW)
    failures: list[BaseException] = []

    def add(number: int) -> None:
        text = f"Text number {number} tells of boat {number} and of nothing else."
        try:
            services[number % 2].add("coast", documents_of([Reference(text)]), actor="ada", now=LATER)
            services[number % 2].search("coast", text, 1)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=add, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(services[0].documents("coast")) == 7
    assert len(folders(tmp_path)) == 1


def test_only_a_few_corpora_stay_open(database: Database, tmp_path: Path) -> None:
    corpora = made(database, tmp_path, n_open=1)
    first = corpora.create("coast", documents(LIGHTHOUSE), actor="ada", now=NOW).corpus
    second = corpora.create("harbour", documents(HARBOUR), actor="ada", now=NOW).corpus
    opened = corpora.open(first)
    corpora.open(second)
    assert corpora.open(first) is not opened


def test_changes_take_turns_and_few_wait(database: Database, tmp_path: Path) -> None:
    corpora = made(database, tmp_path, n_waiting=1)
    begun, go_on = threading.Event(), threading.Event()
    done: list[str] = []

    def first() -> None:
        begun.set()
        go_on.wait(10)
        done.append("first")

    async def scene() -> None:
        working = asyncio.create_task(corpora.in_turn(first))
        await asyncio.to_thread(begun.wait, 10)
        waiting = asyncio.create_task(corpora.in_turn(lambda: done.append("never")))
        await asyncio.sleep(0)
        with pytest.raises(Busy, match=r"^the service is busy: 2 wait for corpora already; try again in 30 s$"):
            await corpora.in_turn(lambda: None)
        waiting.cancel()
        await asyncio.wait([waiting])
        last = asyncio.create_task(corpora.in_turn(lambda: done.append("last")))
        go_on.set()
        await asyncio.gather(working, last)

    asyncio.run(scene())
    corpora.close()
    assert done == ["first", "last"]


@pytest.mark.weights
def test_the_embedded_model_finds_by_meaning(database: Database, tmp_path: Path) -> None:
    corpora = Corpora(database, tmp_path)
    corpora.create("coast", documents(LIGHTHOUSE, HARBOUR, MUSEUM), actor="ada", now=NOW)
    assert corpora.search("coast", "Where can I see art?", 1)[0].text == MUSEUM


def wait_for(condition: object, seconds: float = 30) -> None:
    ends = time.monotonic() + seconds
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < ends, "waited in vain"
        time.sleep(0.02)
