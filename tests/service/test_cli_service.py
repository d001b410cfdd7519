"""`ragcortex service`, as an operator uses it."""

import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from ragcortex.cli.__main__ import run
from ragcortex.errors import EXIT_FAILED_ON, EXIT_INPUT, EXIT_INTERNAL, EXIT_OK

TOKEN = r"rck_([0-9a-f]{16})_[A-Za-z0-9_-]{43}"


@dataclass(frozen=True)
class Result:
    """What a command did."""

    code: int
    out: str
    err: str


Command = Callable[..., Result]


@pytest.fixture
def service(capsys: pytest.CaptureFixture[str]) -> Command:
    """Return a function that runs one of the commands of `ragcortex service`."""

    def called(*arguments: object) -> Result:
        capsys.readouterr()
        code = run(["service", *map(str, arguments)])
        return Result(code, *capsys.readouterr())

    return called


def test_a_service_from_its_tables_to_its_audit(
    service: Command, empty_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAGCORTEX_SERVICE_DATABASE", empty_url)
    name = "SQLite" if empty_url.startswith("sqlite") else "PostgreSQL"
    for _ in range(2):
        assert service("migrate") == Result(EXIT_OK, "", f"the {name} database is ready\n")
    nothing = service("keys", "list")
    assert nothing == Result(EXIT_OK, "", "there are no keys; make one with `ragcortex service keys create`\n")

    made = service("keys", "create", "--name", "my script", "--scope", "check", "--scope", "read", "--rate", 60)
    found = re.fullmatch(TOKEN + "\n", made.out)
    assert found
    key_id = found[1]
    assert made.err == f"key {key_id} (my script) is made; its token is shown this once\n"

    rotated = service("keys", "rotate", key_id, "--overlap-hours", 1)
    again = re.fullmatch(TOKEN + "\n", rotated.out)
    assert again
    assert rotated.err == (
        f"key {key_id} is valid for 1 hours more at most\n"
        f"key {again[1]} (my script) is made; its token is shown this once\n"
    )
    assert service("keys", "revoke", key_id) == Result(EXIT_OK, "", f"key {key_id} (my script) is revoked\n")

    lines = service("keys", "list").out.splitlines()
    assert re.split(r"  +", lines[0]) == ["id", "state", "name", "scopes", "a minute", "made", "valid until"]
    assert [re.split(r"  +", line)[:5] for line in lines[1:]] == [
        [key_id, "revoked", "my script", "check,read", "60"],
        [again[1], "active", "my script", "check,read", "60"],
    ]

    export = tmp_path / "audit.jsonl"
    exported = service("audit", "export", "--out", export)
    last = json.loads(export.read_text(encoding="utf-8").splitlines()[-1])["digest"]
    assert exported == Result(EXIT_OK, "", f"3 audit entries exported; the last digest is {last}\n")
    assert service("audit", "export").out == export.read_text(encoding="utf-8")
    monkeypatch.setenv("RAGCORTEX_SERVICE_DATABASE", "sqlite:////nowhere")  # verifying needs none
    verified = service("audit", "verify", export)
    assert verified == Result(EXIT_OK, f"3 audit entries, unbroken; the last digest is {last}\n", "")


@pytest.fixture
def export(service: Command, sqlite_url: str, tmp_path: Path) -> Path:
    """Return an export of three entries."""
    for number in range(3):
        assert service("keys", "create", "--name", f"n{number}", "--scope", "read", "--database", sqlite_url).code == 0
    file = tmp_path / "audit.jsonl"
    assert service("audit", "export", "--out", file, "--database", sqlite_url).code == EXIT_OK
    return file


def test_a_trail_that_was_changed(service: Command, export: Path) -> None:
    text = export.read_text(encoding="utf-8")
    digests = re.findall(r'"digest":"([0-9a-f]{64})"', text)
    export.write_text(text.replace("n1", "n7"), encoding="utf-8")
    assert service("audit", "verify", export) == Result(
        EXIT_FAILED_ON,
        "line 2: entry 2 was altered: its digest is not that of its body and of the digest before it\n"
        f"3 audit entries, broken (1 problem); the last digest is {digests[2]}\n",
        "",
    )
    lines = text.splitlines(keepends=True)
    export.write_text(lines[0] + lines[2], encoding="utf-8")
    result = service("audit", "verify", export, "--json")
    assert result.code == EXIT_FAILED_ON
    assert json.loads(result.out) == {
        "schema": "ragcortex.service/1",
        "unbroken": False,
        "n_entries": 2,
        "last_digest": digests[2],
        "n_problems": 1,
        "problems": [{"line": 2, "what": "entry 3 follows entry 1: entry 2 is missing"}],
    }
    export.write_text(lines[0] + lines[1], encoding="utf-8")
    assert service("audit", "verify", export).code == EXIT_OK
    result = service("audit", "verify", export, "--noted", digests[2])
    assert result.code == EXIT_FAILED_ON
    assert result.out.startswith(
        "no entry has the digest that was noted: the trail ends before it, or was written anew\n"
    )


def test_a_trail_that_is_no_text(service: Command, tmp_path: Path) -> None:
    (tmp_path / "picture").write_bytes(bytes(range(256)) * 10)
    result = service("audit", "verify", tmp_path / "picture")
    assert result.code == EXIT_FAILED_ON
    assert result.out.endswith("0 audit entries, broken (11 problems)\n")
    assert service("audit", "verify", tmp_path / "none") == Result(
        EXIT_INPUT, "", f"ragcortex: file: '{tmp_path / 'none'}' cannot be read: No such file or directory\n"
    )


def test_an_export_is_verified_from_a_pipe(export: Path) -> None:
    command = [sys.executable, "-m", "ragcortex", "service", "audit", "verify", "-"]
    environment = {**os.environ, "PYTHONWARNINGS": "error", "PYTHONIOENCODING": "ascii"}
    with export.open("rb") as source:
        done = subprocess.run(command, stdin=source, capture_output=True, env=environment, check=False)
    assert (done.returncode, done.stderr) == (EXIT_OK, b"")
    assert done.stdout.startswith(b"3 audit entries, unbroken; the last digest is ")


def test_standard_input_in_this_process(service: Command, export: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(export.read_text(encoding="utf-8")))
    assert service("audit", "verify", "-").code == EXIT_OK


def test_keys_as_json(service: Command, sqlite_url: str) -> None:
    here = ("--database", sqlite_url, "--json")
    made = json.loads(service("keys", "create", "--name", "n", "--scope", "read", "--days", 1.5, *here).out)
    assert made["schema"] == "ragcortex.service/1"
    key: dict[str, Any] = made["key"]
    assert re.fullmatch(TOKEN, made["token"])
    assert made["token"].split("_")[1] == key["id"]
    listed = json.loads(service("keys", "list", *here).out)
    assert listed == {"schema": "ragcortex.service/1", "keys": [key]}
    assert (key["name"], key["state"], key["scopes"], key["revoked_at"]) == ("n", "active", ["read"], None)
    rotated = json.loads(service("keys", "rotate", key["id"], *here).out)
    assert rotated["key"]["id"] != key["id"]
    states = [one["state"] for one in json.loads(service("keys", "list", *here).out)["keys"]]
    assert states == ["active", "active"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--scope", "raed"), "scopes: there is no scope 'raed'; did you mean 'read'?"),
        (("--scope", "read", "--rate", "0"), "rate_per_minute: must be from 1 to 2147483647, got 0"),
        (("--scope", "read", "--days", "-1"), "days: must not be negative, got -1"),
        (("--scope", "read", "--days", "nan"), "days: must end before the year 10000, got nan"),
        (("--scope", "read", "--days", "1e9"), "days: must end before the year 10000, got 1e+09"),
    ],
)
def test_keys_that_cannot_be_made(service: Command, sqlite_url: str, arguments: tuple[str, ...], message: str) -> None:
    result = service("keys", "create", "--name", "n", "--database", sqlite_url, *arguments)
    assert result == Result(EXIT_INPUT, "", f"ragcortex: {message}\n")


def test_databases_that_cannot_be_used(service: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result = service("migrate", "--database", "mysql://me:hunter2@host/name")
    assert result.code == EXIT_INPUT
    assert result.err.startswith(
        "ragcortex: database: is a URL of an unknown kind, 'mysql'; expected sqlite:///FILE or"
    )
    assert "hunter2" not in result.err
    result = service("keys", "list", "--database", f"sqlite:///{tmp_path / 'none'}")
    assert result == Result(
        EXIT_INTERNAL,
        "",
        "ragcortex: the SQLite database cannot be opened; check its place and permissions, "
        "and make it with `ragcortex service migrate`\n",
    )
    monkeypatch.setenv("RAGCORTEX_SERVICE_PORT", "many")
    result = service("migrate")
    assert result.code == EXIT_INPUT
    assert result.err.startswith("ragcortex: RAGCORTEX_SERVICE_PORT: Input should be a valid integer")


def test_help_loads_no_database(tmp_path: Path) -> None:
    code = "import sys, ragcortex.cli.__main__ as m; m.run(['service', 'keys', '--help']); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    heavy = {"sqlalchemy", "alembic", "psycopg", "filelock", "torch", "numpy", "rich"}
    assert heavy & set(done.stdout.splitlines()[-1].split()) == set()
