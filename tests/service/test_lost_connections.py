"""Lost connections, and work that gets in other work's way: done again, with nothing lost and nothing doubled."""

import threading
import time
from typing import TYPE_CHECKING

import psycopg
import pytest
from kept_rows import a_corpus, a_key, end_connections, ids, keep, report
from sqlalchemy import select, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from ragcortex.errors import StoreError
from ragcortex.service.audit import export_lines, verify
from ragcortex.service.storage.database import Database
from ragcortex.service.storage.retrying import Patience
from ragcortex.service.storage.tables import ApiKey, Corpus

if TYPE_CHECKING:
    from postgresql import Server

SECRET = "hunter2-in-the-url"


@pytest.fixture(autouse=True)
def _little_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait as often as the service does, but a tenth of its time."""
    wait = Patience.wait
    monkeypatch.setattr(Patience, "wait", lambda self, n_failed: wait(self, n_failed) / 10)


def test_a_connection_killed_between_work_is_not_noticed(postgresql_url: str) -> None:
    database = Database(postgresql_url)
    database.run(keep(0))
    assert end_connections(postgresql_url) == 1
    database.run(keep(1))
    assert end_connections(postgresql_url) == 1
    database.ping()
    assert ids(database) == ["key-0", "key-1"]
    database.close()


@pytest.mark.parametrize("before_writing", [True, False])
def test_work_whose_connection_is_killed_is_done_again(postgresql_url: str, before_writing: bool) -> None:
    database = Database(postgresql_url)
    n_tries = 0

    def work(session: Session) -> int:
        nonlocal n_tries
        n_tries += 1
        session.execute(text("SELECT 1"))
        if before_writing and n_tries <= 2:
            end_connections(postgresql_url)
        session.add(a_key())
        session.flush()
        if n_tries <= 2:
            end_connections(postgresql_url)
        return n_tries

    assert database.run(work) == 3
    assert ids(database) == ["key-0"]
    database.close()


def test_a_commit_whose_answer_is_lost_doubles_nothing(postgresql_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    database = Database(postgresql_url)
    database.ping()
    real = psycopg.Connection.commit
    n_tries = 0

    def commit_and_lose(connection: "psycopg.Connection[object]") -> None:
        real(connection)
        monkeypatch.setattr(psycopg.Connection, "commit", real)
        end_connections(postgresql_url)  # it is committed, and the answer does not arrive
        connection.execute("SELECT 1")

    def work(session: Session) -> None:
        nonlocal n_tries
        n_tries += 1
        keep()(session)

    monkeypatch.setattr(psycopg.Connection, "commit", commit_and_lose)
    database.run(work)
    assert n_tries == 2
    assert ids(database) == ["key-0"]
    database.close()


def test_threads_go_on_while_connections_are_killed(postgresql_url: str) -> None:
    database = Database(postgresql_url)
    errors: list[Exception] = []

    def write(first: int) -> None:
        try:
            for number in range(first, first + 25):
                database.run(keep(number))
        except Exception as error:  # shown by the assertion below
            errors.append(error)

    threads = [threading.Thread(target=write, args=(100 * number,)) for number in range(1, 5)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        end_connections(postgresql_url)
        time.sleep(0.2)
    assert errors == []
    assert len(ids(database)) == 100
    database.close()


def test_a_server_that_crashes_loses_and_doubles_nothing(
    postgresql_url: str, postgresql_server: "Server", monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()  # a server needs a moment to start
    if postgresql_server.crash is None:
        pytest.skip("the PostgreSQL server is somebody else's")
    database = Database(postgresql_url)
    errors: list[Exception] = []

    def write(actor: str) -> None:
        try:
            for number in range(40):
                database.run(report(f"{actor} {number}"))
                time.sleep(0.01)
        except Exception as error:  # shown by the assertion below
            errors.append(error)

    threads = [threading.Thread(target=write, args=(f"thread {number}",)) for number in range(3)]
    for thread in threads:
        thread.start()
    for _ in range(2):
        time.sleep(0.2)
        postgresql_server.crash()
    for thread in threads:
        thread.join()
    assert errors == []
    verdict = verify(export_lines(database))
    assert (verdict.n_entries, verdict.problems) == (120, ())
    database.close()


def test_of_two_that_took_one_key_the_later_sees_the_other(postgresql_url: str) -> None:
    database, other = Database(postgresql_url), Database(postgresql_url)
    n_tries = 0

    def work(session: Session) -> str:
        nonlocal n_tries
        n_tries += 1
        found = session.scalar(select(Corpus.id).where(Corpus.name == "mine"))
        if n_tries == 1:
            other.run(lambda theirs: theirs.add(a_corpus("theirs")))
        if found is None:
            session.add(a_corpus("ours"))
        return found or "ours"

    assert database.run(work) == "theirs"
    assert n_tries == 2
    database.close()
    other.close()


def test_a_deadlock_ends_with_both_done(postgresql_url: str) -> None:
    database = Database(postgresql_url)
    for number in (1, 2):
        database.run(keep(number))
    both_hold_one = threading.Barrier(2)
    n_tries = [0, 0]

    def work(session: Session, mine: int) -> None:
        n_tries[mine] += 1
        session.get_one(ApiKey, f"key-{1 + mine}", with_for_update=True).name = f"by {mine}"
        session.flush()
        if n_tries[mine] == 1:
            both_hold_one.wait(10)
        session.get_one(ApiKey, f"key-{2 - mine}", with_for_update=True).name = f"by {mine}"

    threads = [
        threading.Thread(target=database.run, args=(lambda session, mine=mine: work(session, mine),)) for mine in (0, 1)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert sorted(n_tries) == [1, 2]
    names = database.run(lambda session: set(session.scalars(select(ApiKey.name))))
    assert len(names) == 1
    database.close()


def test_what_postgresql_says_when_nobody_answers() -> None:
    database = Database(f"postgresql://me:{SECRET}@127.0.0.1:1/mine")
    expected = (
        "the PostgreSQL database does not answer; check that it runs, and that host, name, user and password in its "
        "URL are right"
    )
    for use in (database.ping, lambda: database.run(keep()), database.migrate):
        with pytest.raises(StoreError) as caught:
            use()
        assert str(caught.value) == expected
        assert SECRET not in str(caught.value.__cause__)


def test_waits_grow_up_to_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    patience = Patience(tries=9, first_wait=0.1, longest_wait=1.0)
    for n_failed, bound in ((1, 0.1), (2, 0.2), (3, 0.4), (4, 0.8), (5, 1.0), (8, 1.0)):
        assert bound / 2 <= patience.wait(n_failed) <= bound


def test_an_error_that_stays_is_not_tried_again(database: Database) -> None:
    n_tries = 0

    def work(session: Session) -> None:
        nonlocal n_tries
        n_tries += 1
        session.execute(text("SELECT nothing_of_the_kind()"))

    with pytest.raises(StoreError) as caught:
        database.run(work)
    assert n_tries == 1
    assert isinstance(caught.value.__cause__, DBAPIError)
