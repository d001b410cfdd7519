"""`ragcortex consistency`: where answers come from, what is shown, and its exit codes."""

import io
import itertools
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from cli_helpers import Command

from ragcortex.errors import EXIT_INPUT, EXIT_NOTHING_TO_CHECK, EXIT_OK

TOWER = "The Eiffel Tower is 330 metres tall."
OTHER = "The Eiffel Tower is 324 metres tall."


class Letters(BaseHTTPRequestHandler):
    """An embeddings endpoint whose vectors count the letter pairs of a text."""

    def do_POST(self) -> None:
        texts = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["input"]
        data = [{"index": index, "embedding": self.vector(text)} for index, text in enumerate(texts)]
        content = json.dumps({"object": "list", "model": "letters", "data": data}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    @staticmethod
    def vector(text: str) -> list[float]:
        counts = [0.0] * 256
        for one, two in itertools.pairwise(f" {text.casefold()} "):
            counts[(31 * ord(one) + ord(two)) % 256] += 1
        return counts

    def log_message(self, format: str, *arguments: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def endpoint() -> Iterator[list[str]]:
    """Serve the letter vectors, and return the options that ask for them."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Letters)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield ["--embedder", f"http://127.0.0.1:{server.server_port}/v1", "--embedder-model", "letters"]
    server.shutdown()
    thread.join()
    server.server_close()


def answers_file(folder: Path, *lines: str) -> Path:
    path = folder / "answers.jsonl"
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    return path


def test_a_file_of_answers(command: Command, endpoint: list[str], tmp_path: Path) -> None:
    path = answers_file(tmp_path, json.dumps(TOWER), "", json.dumps({"answer": TOWER, "model": "m"}), json.dumps(OTHER))
    result = command("consistency", path, *endpoint)

    assert (result.code, result.err) == (EXIT_OK, "")
    assert result.out == (
        "3 answers, 2 meanings; score 0.58 (entropy 0.64 nats, largest share 67%)\n"
        f"  2×  {TOWER}  [1, 2]\n"
        f"  1×  {OTHER}  [3]\n"
        "quantity: answer 3 says «324 metres» (characters 20 to 30) but answer 1 says «330 metres» "
        "(characters 20 to 30), as the majority says\n"
        "note: 3 answers give a coarse result; sample 5 or more, 10 are better.\n"
        "Answers that agree can still all be wrong: a stable falsehood is invisible to this check. "
        "It measures how sure the generator is, not whether it is right.\n"
    )


def test_json_and_standard_input(
    command: Command, endpoint: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    lines = (json.dumps(TOWER) + "\n") * 4 + json.dumps("a\u2028b") + "\n"
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(lines.encode())))
    values = json.loads(command("consistency", "-", "--json", *endpoint).out)

    assert (values["schema"], values["n_answers"]) == ("ragcortex.consistency/1", 5)
    assert values["clusters"] == [[0, 1, 2, 3], [4]]
    assert values["limitation"]


def test_answers_as_options(command: Command, endpoint: list[str]) -> None:
    same = command("consistency", "--answer", TOWER, "--answer", TOWER + " ", *endpoint)
    strict = command(
        "consistency", "--answer", TOWER, "--answer", "The Eiffel Tower is tall.", "--similarity", "1", *endpoint
    )

    assert same.out.startswith("2 answers, 1 meaning; score 0.00")
    assert strict.out.startswith("2 answers, 2 meanings; score 1.00")


def test_answers_that_claim_nothing(command: Command, endpoint: list[str]) -> None:
    result = command("consistency", "--answer", "I don't know.", "--answer", "Sorry, I cannot answer that.", *endpoint)

    assert result.code == EXIT_NOTHING_TO_CHECK
    assert result.err == "ragcortex: no answer claims anything, so there is nothing to compare\n"
    assert result.out.startswith("2 answers, 1 meaning; score none")


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (['"one"'], "answers: must be at least 2 sampled answers to one question, got 1; sample it again"),
        (
            ['"one"', "two"],
            'answers: line 2 must be a JSON string or an object with "answer": Expecting value at character 1',
        ),
        (
            ['{"text": "one"}'],
            'answers: line 1 must be a JSON string or an object with the string "answer", got \'{"text": "one"}\'',
        ),
        (["3"], "answers: line 1 must be a JSON string or an object with the string \"answer\", got '3'"),
    ],
)
def test_lines_that_are_no_answers(command: Command, tmp_path: Path, lines: list[str], message: str) -> None:
    result = command("consistency", answers_file(tmp_path, *lines))

    assert (result.code, result.out, result.err) == (EXIT_INPUT, "", f"ragcortex: {message}\n")


def test_usage(command: Command, tmp_path: Path) -> None:
    for arguments, message in (
        ([], "answers: are missing; give a file with one JSON string a line, or --answer for each"),
        (
            [answers_file(tmp_path, '"a"'), "--answer", "b"],
            "answer: give either a file of answers or --answer, not both",
        ),
    ):
        result = command("consistency", *arguments)
        assert (result.code, result.err) == (EXIT_INPUT, f"ragcortex: {message}\n")
