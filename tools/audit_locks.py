"""Looks for published weaknesses in every version that the locks pin: `make audit`.

pip-audit asks an advisory service. What the service does not answer for counts as not audited and ends this with an
error; pip-audit by itself would pass it over. Without a service, give `--advisories` the folder of a copy of the
Python Packaging Advisory Database.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import yaml  # type: ignore[import-untyped]
from lock_file import ELSEWHERE, PACKAGES, TOOLS, Pinned, read_pins
from packaging.utils import canonicalize_name
from packaging.version import Version

AUDITED: Final = (PACKAGES, ELSEWHERE, TOOLS)
_OLDEST_DAYS: Final = 30


@dataclass(frozen=True, slots=True)
class Audit:
    """What an audit came to.

    Attributes:
        weaknesses: a line for each published weakness of a pinned version.
        unanswered: the reason by package, `name==version`, for those that nothing was learnt about.
        caveat: why even an answer is not to be relied on, empty if it is.
    """

    weaknesses: tuple[str, ...]
    unanswered: dict[str, str]
    caveat: str = ""


def main() -> None:
    """Audit all locks; end with 1 for a weakness, with 2 for anything that was not audited."""
    parser = argparse.ArgumentParser(description="Look for published weaknesses in the pinned versions.")
    parser.add_argument("--pip-audit", type=Path, help="the program that asks the service")
    parser.add_argument("--service", default="pypi", choices=["pypi", "osv"], help="which service is asked")
    parser.add_argument("--advisories", type=Path, help="read advisories from this folder, and ask no service")
    options = parser.parse_args()
    pins = all_pins()
    audit = read_advisories(pins, options.advisories) if options.advisories else ask(options.pip_audit, options.service)
    text, status = told(audit, len(pins))
    print(text)
    sys.exit(status)


def told(audit: Audit, n_packages: int) -> tuple[str, int]:
    """Return what to say of an audit, and the exit status: 0 if all was audited and no weakness is known."""
    lines = list(audit.weaknesses)
    for reason in sorted(set(audit.unanswered.values())):
        names = [name for name, one in audit.unanswered.items() if one == reason]
        lines.append(f"NOT AUDITED, {len(names)} packages, {names[0]} to {names[-1]}: {reason}")
    lines += [f"NOT TO BE RELIED ON: {audit.caveat}"] if audit.caveat else []
    n_audited = n_packages - len(audit.unanswered)
    lines.append(f"{n_audited} of {n_packages} packages were audited; published weaknesses: {len(audit.weaknesses)}")
    return "\n".join(lines), 1 if audit.weaknesses else 2 if audit.unanswered or audit.caveat else 0


def all_pins() -> dict[str, Pinned]:
    """Return what all locks pin, by `name==version`: the tools' versions may be others than the package's."""
    return {_key(pin): pin for path in AUDITED for pin in read_pins(path).values()}


def ask(pip_audit: Path, service: str) -> Audit:
    """Ask a service about all locks."""
    weaknesses: set[str] = set()
    unanswered: dict[str, str] = {}
    for path in AUDITED:
        packages, reason = _answers(pip_audit, service, path)
        weaknesses.update(_weakness(package, one) for package in packages for one in package.get("vulns", []))
        skipped: dict[str, str] = {
            canonicalize_name(one["name"]): one["skip_reason"].partition(":")[0]
            for one in packages
            if "skip_reason" in one
        }
        answered = {canonicalize_name(one["name"]) for one in packages} - set(skipped)
        left = [pin for name, pin in read_pins(path).items() if name not in answered]
        unanswered |= {_key(pin): skipped.get(pin.name, reason) for pin in left}
    return Audit(tuple(sorted(weaknesses)), dict(sorted(unanswered.items())))


def _answers(pip_audit: Path, service: str, lock: Path) -> tuple[list[dict[str, Any]], str]:
    """Return pip-audit's answers for a lock, and why packages are missing among them."""
    with tempfile.TemporaryDirectory() as temporary:
        answers = Path(temporary) / "answers.json"
        command: list[str | Path] = [pip_audit, "--requirement", lock, "--require-hashes", "--disable-pip"]
        command += ["--progress-spinner", "off", "--vulnerability-service", service]
        command += ["--format", "json", "--output", answers]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if not answers.is_file():
            return [], (done.stderr.strip().splitlines() or ["pip-audit failed"])[-1]
        packages: list[dict[str, Any]] = json.loads(answers.read_text(encoding="utf-8"))["dependencies"]
    return packages, "this machine does not need them, so pip-audit leaves them out"


def read_advisories(pins: Mapping[str, Pinned], folder: Path) -> Audit:
    """Look for pinned versions in a folder's advisories.

    Args:
        pins: what is audited, by `name==version`.
        folder: a copy of the advisory database, with `vulns/<package>/*.yaml` in OSV's schema.
    """
    newest = None
    weaknesses = []
    for path in sorted(folder.glob("vulns/*/*.yaml")):
        advisory = yaml.safe_load(path.read_text(encoding="utf-8"))
        modified = _moment(advisory["modified"])
        newest = modified if newest is None else max(newest, modified)
        affected = [] if "withdrawn" in advisory else advisory.get("affected", [])
        named = [pin for pin in pins.values() if pin.name == path.parent.name]
        weak = [pin for pin in named if any(_affects(one, pin) for one in affected)]
        weaknesses += [f"{pin.name} {pin.version}: {advisory['id']}" for pin in weak]
    if newest is None:
        return Audit((), dict.fromkeys(pins, f"{folder} has no vulns/<package>/*.yaml"))
    days = (datetime.now(UTC) - newest).days
    caveat = f"the newest advisory is of {newest.date()}, {days} days ago; fetch them anew"
    return Audit(tuple(weaknesses), {}, caveat if days > _OLDEST_DAYS else "")


def _affects(affected: Mapping[str, Any], pin: Pinned) -> bool:
    """Return whether an entry of an advisory holds for a pinned version: it is listed, or lies in one of its ranges."""
    if pin.version in affected.get("versions", ()):
        return True
    ranges = [one["events"] for one in affected.get("ranges", ()) if one["type"] == "ECOSYSTEM"]
    return any(_is_within(Version(pin.version), events) for events in ranges)


def _is_within(version: Version, events: Iterable[Mapping[str, str]]) -> bool:
    """Return whether a weakness is in a version, by the events of its range, oldest first."""
    within = False
    for event in events:
        if "introduced" in event and version >= Version(event["introduced"]):
            within = True
        elif "fixed" in event:
            within = within and version < Version(event["fixed"])
        elif "last_affected" in event:
            within = within and version <= Version(event["last_affected"])
    return within


def _key(pin: Pinned) -> str:
    return f"{pin.name}=={pin.version}"


def _moment(value: Any) -> datetime:
    moment = value if isinstance(value, datetime) else datetime.fromisoformat(str(value))
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _weakness(package: dict[str, Any], one: dict[str, Any]) -> str:
    fixed = f"fixed in {', '.join(one['fix_versions'])}" if one["fix_versions"] else "no fixed version"
    return f"{package['name']} {package['version']}: {one['id']}, {fixed}"


if __name__ == "__main__":
    main()
