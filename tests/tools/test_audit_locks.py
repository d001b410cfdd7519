"""An audit says what it did not learn, and finds a pinned version that an advisory names."""

import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from audit_locks import Audit, all_pins, ask, read_advisories, told
from lock_file import Pinned

TODAY = datetime.now(UTC).date().isoformat()
PINS = {f"{name}=={version}": Pinned(name, version, "", ()) for name, version in (("alpha", "1.5"), ("beta", "2.0"))}


def advise(folder: Path, name: str, affected: str, *, modified: str = TODAY, more: str = "") -> None:
    path = folder / "vulns" / name / "PYSEC-1.yaml"
    path.parent.mkdir(parents=True)
    path.write_text(f"id: PYSEC-1\nmodified: '{modified}T00:00:00Z'\n{more}affected:\n- {affected}\n", encoding="utf-8")


def ranged(events: str, kind: str = "ECOSYSTEM") -> str:
    return f"{{ranges: [{{type: {kind}, events: [{events}]}}]}}"


@pytest.mark.parametrize(
    ("affected", "is_weak"),
    [
        ("{versions: ['1.4', '1.5']}", True),
        ("{versions: ['1.4']}", False),
        (ranged("{introduced: '0'}, {fixed: '1.6'}"), True),
        (ranged("{introduced: '0'}, {fixed: '1.5'}"), False),
        (ranged("{introduced: '1.5'}"), True),
        (ranged("{introduced: '1.10'}"), False),
        (ranged("{introduced: '0'}, {fixed: '1.0'}, {introduced: '1.2'}, {fixed: '2'}"), True),
        (ranged("{introduced: '0'}, {last_affected: '1.5'}"), True),
        (ranged("{introduced: '0'}, {last_affected: '1.4'}"), False),
        (ranged("{introduced: '0'}, {fixed: abcdef}", "GIT"), False),
    ],
)
def test_versions_that_advisories_name_are_found(affected: str, is_weak: bool, tmp_path: Path) -> None:
    advise(tmp_path, "alpha", affected)
    audit = read_advisories(PINS, tmp_path)
    assert audit.weaknesses == (("alpha 1.5: PYSEC-1",) if is_weak else ())
    assert told(audit, 2)[1] == (1 if is_weak else 0)


def test_a_withdrawn_advisory_counts_for_nothing(tmp_path: Path) -> None:
    advise(tmp_path, "alpha", "{versions: ['1.5']}", more="withdrawn: '2024-01-01T00:00:00Z'\n")
    assert read_advisories(PINS, tmp_path) == Audit((), {})


def test_old_advisories_are_not_relied_on(tmp_path: Path) -> None:
    advise(tmp_path, "gamma", "{versions: ['1']}", modified="2024-10-10")
    text, status = told(read_advisories(PINS, tmp_path), 2)
    assert text.startswith("NOT TO BE RELIED ON: the newest advisory is of 2024-10-10, ")
    assert text.endswith("2 of 2 packages were audited; published weaknesses: 0")
    assert status == 2


def test_a_folder_without_advisories_audits_nothing(tmp_path: Path) -> None:
    text, status = told(read_advisories(PINS, tmp_path), 2)
    assert text == (
        f"NOT AUDITED, 2 packages, alpha==1.5 to beta==2.0: {tmp_path} has no vulns/<package>/*.yaml\n"
        "0 of 2 packages were audited; published weaknesses: 0"
    )
    assert status == 2


def program(folder: Path, body: str) -> Path:
    """Return a program that takes pip-audit's place: what a service answers is not to be had in a test."""
    path = folder / "pip-audit"
    path.write_text(f"#!{sys.executable}\nimport json, sys\n{body}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def test_what_a_service_passes_over_is_not_audited(tmp_path: Path) -> None:
    answer = [
        {"name": "accelerate", "version": "1", "vulns": [{"id": "PYSEC-2", "fix_versions": ["2"]}]},
        {"name": "torch", "skip_reason": "Dependency not found: torch (2)"},
    ]
    fake = program(tmp_path, f"open(sys.argv[-1], 'w').write(json.dumps({{'dependencies': {answer!r}}}))")
    audit = ask(fake, "pypi")
    assert set(audit.weaknesses) == {"accelerate 1: PYSEC-2, fixed in 2"}
    reasons = {name.partition("==")[0]: reason for name, reason in audit.unanswered.items()}
    assert set(reasons) == {pin.name for pin in all_pins().values()} - {"accelerate"}
    assert reasons["torch"] == "Dependency not found"
    assert reasons["numpy"] == "this machine does not need them, so pip-audit leaves them out"


def test_a_service_that_cannot_be_reached_audits_nothing(tmp_path: Path) -> None:
    audit = ask(program(tmp_path, "sys.exit('no route to the service')"), "osv")
    pins = all_pins()
    assert audit.unanswered == dict.fromkeys(pins, "no route to the service")
    text, status = told(audit, len(pins))
    assert text.endswith(f"0 of {len(pins)} packages were audited; published weaknesses: 0")
    assert status == 2
