"""A PostgreSQL server for tests: the one that is named, or a throwaway one of this session's own."""

import contextlib
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import uuid
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import psycopg
import pytest
from sqlalchemy.engine import make_url

NAMED = "RAGCORTEX_TEST_POSTGRESQL"
REQUIRED = "RAGCORTEX_REQUIRE_POSTGRESQL"
_WHERE = "/usr/lib/postgresql/*/bin/initdb"
_USER = "ragcortex"
_SECONDS = 120
# Nothing of a throwaway server needs to outlive a power cut; a crash of the server itself loses nothing all the same.
_SETTINGS = ("fsync=off", "full_page_writes=off", "shared_buffers=16MB", "max_connections=60")


class Server:
    """A server where databases can be made and removed; `crash` ends it hard and starts it again, if it is our own."""

    def __init__(self, url: str, crash: Callable[[], None] | None = None) -> None:
        self.url = make_url(url).set(drivername="postgresql")
        self.crash = crash
        self._run("SELECT 1")

    def create(self, template: str = "template0") -> str:
        """Make a database and return its name."""
        name = f"ragcortex_test_{uuid.uuid4().hex[:16]}"
        self._run(f'CREATE DATABASE "{name}" TEMPLATE "{template}"')
        return name

    def drop(self, name: str) -> None:
        self._run(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')

    def url_of(self, name: str) -> str:
        return self.url.set(database=name).render_as_string(hide_password=False)

    def _run(self, statement: str) -> None:
        with psycopg.connect(self.url.render_as_string(hide_password=False), autocommit=True) as connection:
            connection.execute(statement)


@contextlib.contextmanager
def server() -> Iterator[Server]:
    """Give a server; without PostgreSQL the test is skipped, or fails where the environment demands it."""
    named = os.environ.get(NAMED)
    if named:
        yield Server(named)
        return
    programs = _programs()
    if programs is None:
        reason = f"PostgreSQL is not installed (on Debian: apt-get install postgresql), and {NAMED} names no server"
        if os.environ.get(REQUIRED):
            pytest.fail(reason)
        pytest.skip(reason)
    with _own_cluster(programs) as running:
        yield running


def _programs() -> Path | None:
    """Return the folder of initdb and pg_ctl, of the newest PostgreSQL there is; None if there is none."""
    installed = sorted(Path("/").glob(_WHERE.lstrip("/")), key=lambda path: int(path.parts[-3]))
    if installed:
        return installed[-1].parent
    found = shutil.which("initdb")
    return Path(found).resolve().parent if found else None


@contextlib.contextmanager
def _own_cluster(programs: Path) -> Iterator[Server]:
    # The server must reach its folder as another user, which pytest's own folders do not allow; and the path of a
    # socket must be short.
    folder = Path(tempfile.mkdtemp(prefix="rcpg-", dir="/tmp"))
    as_user: dict[str, Any] = {"cwd": folder}
    if os.geteuid() == 0:  # PostgreSQL refuses to run as root
        account = _account()
        shutil.chown(folder, account.pw_uid, account.pw_gid)
        as_user |= {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}
    data, port = folder / "data", _free_port()
    options = [f"-c {setting}" for setting in _SETTINGS]
    options += [f"-p {port}", "-c listen_addresses=127.0.0.1", f"-c unix_socket_directories={folder}"]
    control = [programs / "pg_ctl", "-D", data, "-w", "-t", str(_SECONDS)]
    try:
        _call([programs / "initdb", "-D", data, "-U", _USER, "-A", "trust", "-E", "UTF8", "--locale=C", "-N"], as_user)
        start = ["-l", folder / "log", "-o", " ".join(options)]
        _call([*control, *start, "start"], as_user)
        try:
            yield Server(
                f"postgresql://{_USER}@127.0.0.1:{port}/postgres",
                lambda: _call([*control, *start, "-m", "immediate", "restart"], as_user),
            )
        finally:
            _call([*control, "-m", "immediate", "stop"], as_user)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _account() -> pwd.struct_passwd:
    try:
        return pwd.getpwnam("postgres")
    except KeyError:
        return pwd.getpwnam("nobody")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _call(command: Sequence[str | Path], as_user: dict[str, Any]) -> None:
    """Run one of PostgreSQL's programs; its output goes to a file, since a server keeps a pipe open for ever."""
    with tempfile.TemporaryFile() as output:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, timeout=_SECONDS, check=False, **as_user
        )
        if done.returncode:
            output.seek(0)
            pytest.fail(f"{Path(command[0]).name} failed: {output.read().decode(errors='replace')}")
