"""The peers themselves, where their environments were made: unsupported text scores higher, at the right place."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from ragcortex.settings import settings

RUNNER = Path(__file__).parents[2] / "benchmarks" / "peers" / "run.py"
OWN_CACHE = settings().cache_dir  # read when collected, before the tests get a cache of their own
REFERENCE = "The lighthouse at Cape Arden was built in 1874 by the engineer Mary Holt."
GROUNDED = "The lighthouse at Cape Arden was built in 1874."
INVENTED = "Its keeper, Paul Drummond, earned 350 dollars every month."


def python_of(peer):
    found = [folder for folder in OWN_CACHE.glob(f"peers/{peer}-*") if folder.name.rsplit("-", 1)[0] == peer]
    return found[0] / "bin" / "python" if found and (found[0] / "installed").is_file() else None


@pytest.mark.parametrize("peer", ["corroborate", "hallucination-check", "ancora-rag", "hallx"])
def test_unsupported_text_scores_higher(tmp_path, peer):
    python = python_of(peer)
    if python is None:
        pytest.skip(f"the environment of {peer} was not made; `run.py {peer}` makes it")
    answers = (GROUNDED, f"{GROUNDED}\n\n {INVENTED}")
    data, out = tmp_path / "data.jsonl", tmp_path / "scores.jsonl"
    rows = [{"question": "Who built it?", "references": [REFERENCE], "answer": answer} for answer in answers]
    data.write_text("".join(json.dumps(row) + "\n" for row in rows))
    command = [sys.executable, str(RUNNER), peer, "--python", str(python), "--data", str(data), "--out", str(out)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 0, ended.stderr
    grounded, mixed = (json.loads(line) for line in out.read_text().splitlines())
    assert grounded["answer"] < mixed["answer"]
    if mixed["sentences"] is None:
        assert [answers[1][span["start"] : span["end"]] for span in mixed["spans"]] == ["350"]
        return
    places = [(sentence["start"], sentence["end"]) for sentence in mixed["sentences"]]
    assert places == [(0, len(GROUNDED)), (len(GROUNDED) + 3, len(answers[1]))]
    assert mixed["sentences"][0]["score"] < 0.5 < mixed["sentences"][1]["score"]
