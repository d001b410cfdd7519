"""The compose file: valid, and its containers can do as little as they need."""

import json
import os
import re
import shutil
import subprocess

import pytest
from compose_spec import PyCompose
from deployed import DEPLOY, PINNED, ROOT, SETTINGS, compose, last_stage, seconds

import ragcortex
from ragcortex.service.settings import PREFIX, ServiceSettings

SERVICES = sorted(compose()["services"])


def _has_compose() -> bool:
    docker = shutil.which("docker")
    if docker is None:
        return False
    return subprocess.run([docker, "compose", "version"], capture_output=True, check=False).returncode == 0


def test_it_is_a_compose_file() -> None:
    spec = PyCompose.from_yaml((DEPLOY / "compose.yaml").read_text(encoding="utf-8")).to_dict()
    assert sorted(spec["services"]) == SERVICES == ["postgres", "service"]


@pytest.mark.skipif(not _has_compose(), reason="docker has no compose here")
def test_docker_reads_it() -> None:
    command = ["docker", "compose", "--file", str(DEPLOY / "compose.yaml"), "config", "--format", "json"]
    done = subprocess.run(
        command, env={**os.environ, "POSTGRES_PASSWORD": "x"}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert sorted(json.loads(done.stdout)["services"]) == SERVICES


@pytest.mark.parametrize("name", SERVICES)
def test_a_container_has_no_rights_beyond_its_volumes(name: str) -> None:
    one = compose()["services"][name]
    assert one["read_only"] is True
    assert one["cap_drop"] == ["ALL"]
    assert one["security_opt"] == ["no-new-privileges:true"]
    assert "/tmp" in one["tmpfs"]
    assert not {"privileged", "cap_add", "devices", "pid", "ipc", "network_mode"} & set(one)


def test_volumes_are_named_and_where_the_images_keep_their_data() -> None:
    content = compose()
    volumes = {name: one["volumes"] for name, one in content["services"].items()}
    assert volumes == {
        "service": [f"data:{last_stage()['VOLUME']}"],
        "postgres": ["postgres:/var/lib/postgresql/data"],
    }
    assert set(content["volumes"]) == {"data", "postgres"}


def test_only_the_service_is_reached_and_only_from_this_machine() -> None:
    services = compose()["services"]
    port = last_stage()["EXPOSE"]
    assert services["service"]["ports"] == [f"127.0.0.1:{port}:{port}"]
    assert "ports" not in services["postgres"]
    assert services["postgres"]["networks"] == ["database"]
    assert compose()["networks"]["database"] == {"internal": True}


def test_the_service_waits_for_the_database() -> None:
    services = compose()["services"]
    assert services["service"]["depends_on"] == {"postgres": {"condition": "service_healthy"}}
    assert services["postgres"]["healthcheck"]["test"][:2] == ["CMD", "pg_isready"]
    # By TCP: while the database is being made, PostgreSQL answers on its socket already.
    assert "--host=127.0.0.1" in services["postgres"]["healthcheck"]["test"]


def test_images_are_pinned_and_of_no_registry() -> None:
    services = compose()["services"]
    assert PINNED.match(services["postgres"]["image"])
    assert services["service"]["image"] == f"ragcortex:{ragcortex.__version__}"
    build = services["service"]["build"]
    assert (DEPLOY / build["context"]).resolve() == ROOT
    assert (ROOT / build["dockerfile"]).is_file()


def test_passwords_come_from_outside() -> None:
    text = (DEPLOY / "compose.yaml").read_text(encoding="utf-8")
    given = re.findall(r"(?:PASSWORD: |//ragcortex:)(\$\{POSTGRES_PASSWORD:\?)?", text)
    assert given == ["${POSTGRES_PASSWORD:?"] * 2


def test_the_settings_are_those_of_the_service(monkeypatch: pytest.MonkeyPatch) -> None:
    environment = compose()["services"]["service"]["environment"]
    assert set(environment) <= SETTINGS
    for name, value in environment.items():
        monkeypatch.setenv(name, re.sub(r"\$\{\w+(?::-(\w*)|:\?[^}]*)\}", r"\1", str(value)))
    settings = ServiceSettings(host="0.0.0.0")
    assert settings.database_url == "postgresql://ragcortex:@postgres/ragcortex"
    assert "127.0.0.1" in settings.hosts, "the health check asks for it"
    assert settings.needs_keys


def test_who_stops_the_service_waits_until_it_is_done() -> None:
    service = compose()["services"]["service"]
    assert f"{PREFIX}DRAIN_SECONDS" not in service["environment"]
    assert seconds(service["stop_grace_period"]) > ServiceSettings().drain_seconds + 1
