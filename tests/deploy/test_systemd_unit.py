"""The systemd unit and its example settings."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from deployed import DEPLOY, SETTINGS, environment_file, seconds, unit

from ragcortex.service.settings import PREFIX, ServiceSettings
from ragcortex.service.storage.engines import place_of

HARDENING = {
    "NoNewPrivileges": "yes",
    "CapabilityBoundingSet": "",
    "ProtectSystem": "strict",
    "ProtectHome": "yes",
    "PrivateTmp": "yes",
    "PrivateDevices": "yes",
    "ProtectKernelTunables": "yes",
    "ProtectKernelModules": "yes",
    "ProtectControlGroups": "yes",
    "RestrictSUIDSGID": "yes",
    "RestrictNamespaces": "yes",
    "LockPersonality": "yes",
    "UMask": "0077",
}
# Of 100: what `systemd-analyze security` calls OK ends at 50.
MOST_EXPOSED = 20


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """Return the unit with a program that is there, since systemd looks for it."""
    text = (DEPLOY / "ragcortex.service").read_text(encoding="utf-8")
    file = tmp_path / "ragcortex.service"
    file.write_text(text.replace("/opt/ragcortex/bin/ragcortex", sys.executable), encoding="utf-8")
    return file


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed")
@pytest.mark.parametrize(
    "check", [["verify"], ["security", "--offline=true", f"--threshold={MOST_EXPOSED}"]], ids=lambda check: check[0]
)
def test_systemd_finds_nothing(check: list[str], installed: Path) -> None:
    command = ["systemd-analyze", *check, str(installed)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""


def test_the_sections_are_those_of_a_service() -> None:
    assert list(unit()) == ["Unit", "Service", "Install"]
    assert unit()["Install"] == {"WantedBy": ["multi-user.target"]}
    assert "network-online.target" in unit()["Unit"]["After"][0]


@pytest.mark.parametrize(("key", "value"), HARDENING.items())
def test_it_can_do_as_little_as_it_needs(key: str, value: str) -> None:
    assert unit()["Service"][key] == [value]


def test_it_runs_the_service_as_a_user_of_its_own() -> None:
    service = unit()["Service"]
    assert service["ExecStart"] == ["/opt/ragcortex/bin/ragcortex serve"]
    assert service["User"] == service["Group"] == service["StateDirectory"] == ["ragcortex"]
    assert service["EnvironmentFile"] == ["/etc/ragcortex/ragcortex.env"]
    folder = dict(environment_file())["RAGCORTEX_SERVICE_DATA_DIR"]
    assert folder == f"/var/lib/{service['StateDirectory'][0]}"


def test_who_stops_the_service_waits_until_it_is_done() -> None:
    (waits,) = unit()["Service"]["TimeoutStopSec"]
    drains = float(dict(environment_file())[f"{PREFIX}DRAIN_SECONDS"])
    assert drains == ServiceSettings().drain_seconds
    assert seconds(waits) > drains + 1


def test_the_example_settings_can_be_used(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in environment_file():
        assert name in SETTINGS
        monkeypatch.setenv(name, value)
    settings = ServiceSettings()
    assert settings.needs_keys
    assert settings.hosts == ["127.0.0.1", "localhost", "::1", "*"]
    assert place_of(settings.database_url).kind == "sqlite"


@pytest.mark.parametrize(("name", "value"), environment_file(examples=True))
def test_the_settings_in_comments_can_be_used(name: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if name == "OMP_NUM_THREADS":
        assert int(value) > 0
        return
    assert name in SETTINGS
    monkeypatch.setenv(name, value)
    settings = ServiceSettings()
    if name == f"{PREFIX}DATABASE":
        assert place_of(settings.database_url).kind == "postgresql"
