"""docs/service.md says what is so: its tables are those of the code, and its examples run against a real service."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
import yaml
from documented import DOCUMENT, Block, Running, blocks, document, run, service, shows, str_form, table

from ragcortex.client import Client, Span
from ragcortex.service.api import PROBLEMS
from ragcortex.service.keys import SCOPES
from ragcortex.service.metrics import Metrics
from ragcortex.service.settings_table import BEGIN, settings_table, with_table
from ragcortex.service.triage import BUILT_IN, load_policies

REFERENCES = ["The lighthouse was built in 1874 and is 31 metres high."]
RUN = ("curl", "for", "ragcortex", "KEY=$(ragcortex")
SHOWN_ONLY = ("make", "echo", "sudo", "sqlite3")
COMMANDS = [one for one in blocks("") if one.first_word in RUN]
# A curl that fails where the service refuses, which an example need not say.
_CHECKED_CURL = 'set -euo pipefail; curl() { command curl --fail-with-body "$@"; }\n'


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with service(tmp_path_factory.mktemp("documented")) as one:
        yield one


@pytest.fixture
def client(running: Running) -> Iterator[Client]:
    with Client(running.url) as one:
        yield one


def test_the_table_of_settings_is_the_newest() -> None:
    made = "run `python -m ragcortex.service.settings_table docs/service.md`"
    assert with_table(document()) == document(), made
    assert settings_table().count("\n| `") == len(settings_table().splitlines()) - 2


@pytest.mark.parametrize("text", ["", BEGIN, f"{BEGIN}\n", f"{BEGIN}\n{BEGIN}\n<!-- end of settings -->"])
def test_a_document_without_the_place_of_the_table_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="once each, in this order"):
        with_table(text)


def test_the_table_of_policies_is_that_of_the_code() -> None:
    verdicts = ("grounded", "review", "hallucinated", "not_verifiable", "no_claim")
    expected = [
        [name, *(policy.actions[verdict] for verdict in verdicts), f"{policy.sample:.0%}".replace("%", " %")]
        for name, policy in BUILT_IN.items()
    ]
    assert table("Triage and policies") == expected


def test_the_policies_in_the_document_can_be_loaded(tmp_path: Path) -> None:
    (text,) = (one.text for one in blocks("json") if one.text.startswith("["))
    (tmp_path / "policies.json").write_text(text, encoding="utf-8")
    assert set(load_policies(tmp_path / "policies.json")) == {*BUILT_IN, "medicine"}


def test_every_status_is_in_the_table() -> None:
    assert [int(row[0]) for row in table("Errors")] == sorted({*PROBLEMS, 500}, key=int)


def test_every_metric_is_in_the_table() -> None:
    named = {name for row in table("Metrics and drift") for name in row[0].split(", ")}
    prefix = "ragcortex_drift"
    named = {name.replace("…", prefix) for name in named}
    of_checks = {
        f"{one.name}_total" if one.type == "counter" else one.name
        for one in Metrics().registry.collect()
        if one.name.startswith("ragcortex_") and one.type != "info"
    }
    assert named == of_checks


def test_the_settings_of_prometheus_are_yaml() -> None:
    (text,) = (one.text for one in blocks("yaml"))
    (job,) = yaml.safe_load(text)["scrape_configs"]
    assert job["static_configs"] == [{"targets": ["127.0.0.1:8765"]}]


def test_every_block_is_run_or_known() -> None:
    """What is neither is an output, which stands below the command that prints it."""
    plain = blocks("")
    outputs = [one for one in plain if one.first_word not in RUN + SHOWN_ONLY]
    assert [str_form(one.text) for one in outputs] == [
        "4,183 audit entries, unbroken; the last digest is #\n",
    ]
    assert plain[plain.index(outputs[0]) - 1].text.endswith("ragcortex service audit verify audit.jsonl\n")
    assert {one.language for one in blocks()} == {"", "json", "python", "yaml"}


@pytest.mark.weights
def test_the_table_of_the_api_is_that_of_the_service(running: Running) -> None:
    described = httpx.get(f"{running.url}/v1/openapi.json").json()["paths"]
    operations = {f"{method.upper()} {path}" for path, methods in described.items() for method in methods}
    assert {row[0] for row in table("The API")} == operations


@pytest.mark.weights
@pytest.mark.parametrize("row", table("The API"), ids=lambda row: row[0])
def test_the_scopes_are_those_of_the_table(row: list[str], running: Running, client: Client) -> None:
    method, path = row[0].split()
    if row[1] == "none":
        assert httpx.request(method, running.url + path).status_code == 200
        return
    named = set(row[1].split(", "))
    other = next(scope for scope in SCOPES if scope not in named | {"admin"})
    key = client.keys.create(f"tries {row[0]}", [other])
    address = running.url + path.replace("{", "").replace("}", "")
    refused = httpx.request(method, address, headers={"Authorization": f"Bearer {key.secret}"}, json={})
    assert refused.status_code == 403, refused.text
    asked = refused.json()["detail"].partition("needs the scope ")[2]
    assert set(asked.split(" or ")) - {"admin"} == named - {"admin"}


@pytest.mark.weights
@pytest.mark.parametrize("block", COMMANDS, ids=lambda block: f"line-{block.line}")
def test_commands_run(block: Block, running: Running, client: Client, tmp_path: Path) -> None:
    printed = _printed(block, running, client, tmp_path)
    following = next((one for one in blocks() if one.line > block.line), None)
    if following is None or not _is_shown_after(block, following):
        return
    if following.language == "json":
        assert shows(json.loads(following.text), json.loads(printed)), printed
    else:
        assert _without_numbers(following.text) == _without_numbers(printed)


@pytest.mark.weights
def test_a_request_sent_twice_is_answered_by_one_check(running: Running, client: Client, tmp_path: Path) -> None:
    (block,) = (one for one in COMMANDS if "Idempotency-Key" in one.text)
    printed = _printed(block, running, client, tmp_path)
    first, end = json.JSONDecoder().raw_decode(printed)
    assert json.loads(printed[end:]) == first


@pytest.mark.weights
def test_the_request_in_the_readme_is_answered(running: Running, client: Client, tmp_path: Path) -> None:
    text = (DOCUMENT.parents[1] / "README.md").read_text(encoding="utf-8").partition("## As a service\n\n```\n")[2]
    serve, _, request = text.partition("\n```\n")[0].partition("\n")
    assert serve.startswith("ragcortex serve ")
    answered = json.loads(_printed(Block("", request, 1), running, client, tmp_path))
    assert answered["report"]["verdict"] == "hallucinated"


@pytest.mark.weights
def test_the_problem_in_the_document_is_one(running: Running) -> None:
    (shown,) = (json.loads(one.text) for one in blocks("json") if '"status"' in one.text)
    body = {"references": ["It is in Brest."], "answer": "It is in Brest.", "policy": "lenient"}
    assert shows(shown, httpx.post(f"{running.url}/v1/check", json=body).json())


@pytest.mark.weights
def test_the_python_runs(running: Running, client: Client, capsys: pytest.CaptureFixture[str]) -> None:
    _review_some(client)
    namespace: dict[str, object] = {}
    printed = []
    for block in blocks("python"):
        exec(compile(running.here(block.text), f"service.md:{block.line}", "exec"), namespace)
        printed.append(capsys.readouterr().out)
    opened = namespace["client"]
    assert isinstance(opened, Client)
    opened.close()
    assert all(printed)
    assert printed[0] == "block hallucinated\n1902 ['1874']\n"
    assert printed[1].startswith("422 policy must be one of observe, review-only, strict, triage, ")
    assert printed[2] == "['pass', 'block']\n"
    assert printed[3] == "pass\nblock\n"
    assert printed[4].endswith("checked: block\n")


def _printed(block: Block, running: Running, client: Client, folder: Path) -> str:
    """Return what the commands of a block print, run where the files that it names are."""
    (folder / "notes.md").write_text("# Returns\n\nWorn shoes are not taken back.\n", encoding="utf-8")
    (folder / "prices.html").write_text("<p>Laces cost 4 euros.</p>", encoding="utf-8")
    checked = client.check("When was the lighthouse built?", REFERENCES, "In 1902.")
    environment = {**running.environment, "ID": checked.id}
    done = run(["bash", "-c", _CHECKED_CURL + running.here(block.text)], environment=environment, folder=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def _is_shown_after(block: Block, following: Block) -> bool:
    """Return whether a block shows what the one before it prints: nothing but space is between them."""
    between = document().splitlines()[block.line + block.text.count("\n") + 1 : following.line - 1]
    return not any(between) and following not in COMMANDS


def _without_numbers(text: str) -> str:
    return re.sub(r"\d[\d,]*", "#", str_form(text.strip().splitlines()[-1]))


def _review_some(client: Client) -> None:
    """Let people have decided enough answers of each kind for a calibration."""
    for number in range(25):
        answer = f"The lighthouse was built in 1874. It is {31 if number % 2 else 30} metres high."
        wrong = client.check("When was the lighthouse built?", REFERENCES, f"It was built in {1900 + number}.")
        client.review(wrong.id, 1, [Span(0, 5)], reviewer="ana")
        right = client.check("How high is it?", REFERENCES, answer)
        client.review(right.id, 0, reviewer="ana")
