"""The image: linted, pinned, without rights or secrets, and healthy when the service is ready."""

import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from deployed import DEPLOY, PINNED, ROOT, SETTINGS, exec_form, instructions, last_stage

from ragcortex.service.settings import ServiceSettings

PORT = "8765"


def test_the_linter_finds_nothing() -> None:
    linter = Path(sys.executable).with_name("hadolint")
    done = subprocess.run([linter, "--no-color", DEPLOY / "Dockerfile"], capture_output=True, text=True, check=False)
    assert done.stdout + done.stderr == ""
    assert done.returncode == 0


def test_images_are_pinned_and_of_no_registry() -> None:
    stages: set[str] = set()
    for name, arguments in instructions():
        if name == "FROM":
            image, *stage = arguments.split(" AS ")
            assert image in stages or PINNED.match(image), image
            stages.update(stage)
    assert not any("://" in arguments for name, arguments in instructions() if name != "HEALTHCHECK")


def test_versions_are_those_that_are_tested() -> None:
    commands = [arguments for name, arguments in instructions() if name == "RUN"]
    installs = [one for one in commands if "pip install" in one]
    assert installs
    assert all("--constraint constraints.txt" in one or "--no-deps --no-index" in one for one in installs)


def test_models_are_fetched_while_the_image_is_made_and_never_later() -> None:
    (pulled,) = (arguments for name, arguments in instructions() if name == "RUN" and "models pull" in arguments)
    assert "ragcortex models pull embedded" in pulled
    assert "ragcortex models pull embedder" in pulled
    assert "chmod -R a+rX" in pulled, "pull makes folders for its own user only, and the service has another one"
    assert "HF_HUB_OFFLINE=1" in last_stage()["ENV"]


def test_the_service_runs_as_nobody_in_particular_and_asks_for_keys() -> None:
    stage = last_stage()
    user, group = stage["USER"].split(":")
    assert int(user) >= 10_000
    assert int(group) >= 10_000
    words = exec_form(stage["ENTRYPOINT"]) + exec_form(stage["CMD"])
    assert words == ["ragcortex", "serve", "--host", "0.0.0.0", "--port", PORT]
    assert ServiceSettings(host="0.0.0.0").needs_keys
    assert stage["EXPOSE"] == PORT


def test_data_is_in_a_volume() -> None:
    stage = last_stage()
    assert f"RAGCORTEX_SERVICE_DATA_DIR={stage['VOLUME']}" in stage["ENV"].split()
    made = [arguments for name, arguments in instructions() if name == "RUN" and stage["VOLUME"] in arguments]
    assert "--mode=0700 --owner=ragcortex" in made[0]


def test_nothing_secret_is_in_the_image() -> None:
    words = [word for name, arguments in instructions() if name in ("ENV", "ARG") for word in arguments.split()]
    named = [word.partition("=")[0] for word in words]
    assert {one for one in named if one.startswith("RAGCORTEX_SERVICE_")} <= SETTINGS
    secret = ("SECRET", "PASSWORD", "TOKEN", "KEY", "DATABASE")
    assert not [one for one in named if any(part in one for part in secret)]


def test_the_builder_is_sent_what_is_copied_and_nothing_else() -> None:
    rules = [
        line
        for line in (DEPLOY / "Dockerfile.dockerignore").read_text(encoding="utf-8").splitlines()
        if not line.startswith("#")
    ]
    assert rules[0] == "*"
    sent = {rule.removeprefix("!") for rule in rules if rule.startswith("!")}
    copied = {
        source
        for name, arguments in instructions()
        if name == "COPY" and not arguments.startswith("--from")
        for source in arguments.split()[:-1]
    }
    assert sent == copied
    assert all((ROOT / one).exists() for one in sent)


@pytest.mark.parametrize(("status", "is_healthy"), [(200, True), (503, False)])
def test_the_health_check_tells_ready_from_not_ready(status: int, is_healthy: bool) -> None:
    check = last_stage()["HEALTHCHECK"]
    python, option, code = exec_form(check.partition("CMD ")[2])
    assert (python, option) == ("python", "-c")
    assert f"http://127.0.0.1:{PORT}/readyz" in code
    with _answering(status) as port:
        done = subprocess.run([sys.executable, option, code.replace(PORT, port)], capture_output=True, check=False)
    assert (done.returncode == 0) == is_healthy


@contextmanager
def _answering(status: int) -> Iterator[str]:
    """Answer every request on loopback with a status, and give the port."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            """Keep the test's output clean."""

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield str(server.server_address[1])
        server.shutdown()
        thread.join()
