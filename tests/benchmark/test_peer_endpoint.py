"""Peers that ask a chat model do so in the OpenAI form, at the address they are given: a real server answers here."""

import json
import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from ragcortex.settings import settings

PEERS_FOLDER = Path(__file__).parents[2] / "benchmarks" / "peers"
OWN_CACHE = settings().cache_dir  # read when collected, before the tests get a cache of their own
HALLX = next(
    (folder / "bin" / "python" for folder in OWN_CACHE.glob("peers/hallx-*") if "encoder" not in folder.name), None
)


class ChatServer(ThreadingHTTPServer):
    """Answers 90 to a request that speaks of 1945, 30 to any other, and keeps what it was asked."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.asked = []

    @property
    def address(self):
        return f"http://127.0.0.1:{self.server_port}/v1"


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append((self.path, self.headers["Authorization"], body["model"]))
        claim = body["messages"][-1]["content"].split("CLAIM:")[-1]
        message = {"role": "assistant", "content": "90" if "1945" in claim else "30"}
        reply = json.dumps({"object": "chat.completion", "choices": [{"index": 0, "message": message}]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)

    def log_message(self, *_):
        pass


@pytest.fixture
def server():
    with ChatServer() as chat:
        thread = threading.Thread(target=chat.serve_forever)
        thread.start()
        yield chat
        chat.shutdown()
        thread.join()


def scored(tmp_path, name, python, server, answer):
    data, out = tmp_path / "data.jsonl", tmp_path / "scores.jsonl"
    data.write_text(json.dumps({"id": "a", "references": ["The war ended in 1945."], "answer": answer}) + "\n")
    command = [sys.executable, str(PEERS_FOLDER / "run.py"), str(name), "--python", str(python)]
    command += ["--data", str(data), "--out", str(out), "--endpoint", server.address, "--model", "a-model"]
    environment = {**os.environ, "OPENAI_API_KEY": "a-key", "MADE_ADAPTER_SEEN": str(tmp_path / "seen")}
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 0, ended.stderr
    assert set(server.asked) == {("/v1/chat/completions", "Bearer a-key", "a-model")}
    assert "a-key" not in out.with_suffix(".about.json").read_text()
    return json.loads(out.read_text())


def test_an_adapter_reaches_the_endpoint_it_is_given(tmp_path, server):
    line = scored(tmp_path, Path(__file__).with_name("made_adapter.py"), sys.executable, server, "ask about 1945")
    assert line["answer"] == 90.0
    assert len(server.asked) == 1


@pytest.mark.skipif(HALLX is None, reason="the environment of hallx was not made; `run.py hallx` makes it")
def test_hallx_judges_each_sentence_and_less_support_is_a_higher_score(tmp_path, server):
    line = scored(tmp_path, "hallx-judge", HALLX, server, "The war ended in 1945. The war ended in 1944.")
    assert [(s["start"], s["end"], pytest.approx(s["score"])) for s in line["sentences"]] == [
        (0, 22, 0.1),
        (23, 45, 0.7),
    ]
    assert line["answer"] == pytest.approx(0.4)
    assert len(server.asked) == 2


def test_a_peer_that_asks_needs_an_endpoint(tmp_path):
    data = tmp_path / "data.jsonl"
    data.write_text("{}\n")
    command = [sys.executable, str(PEERS_FOLDER / "run.py"), "lettucedetect-judge"]
    command += ["--data", str(data), "--out", str(tmp_path / "o.jsonl"), "--model", "m"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (ended.returncode, ended.stderr) == (
        2,
        "endpoint: is missing; lettucedetect-judge needs --endpoint URL and --model NAME\n",
    )
