"""Another tool's scores as a method: given to tokens, refused where they are of other answers."""

import json
from pathlib import Path

import numpy as np
import pytest

from labelled_sources import labelled_sources
from ragcortex.benchmark.method import FoldData, Workbench
from ragcortex.benchmark.registry import make_method
from ragcortex.errors import InputError
from ragcortex.readers.reader import Reader
from ragcortex.readers.store import ReadingStore

EXAMPLES = labelled_sources(3)


@pytest.fixture(scope="module")
def bench(tiny_reader_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Workbench:
    folder = tmp_path_factory.mktemp("work")
    return Workbench(EXAMPLES, Reader.load(str(tiny_reader_folder)), ReadingStore(folder / "readings"), folder)


def _file(path: Path, **changes: object) -> Path:
    lines = []
    for number, example in enumerate(EXAMPLES):
        cut = example.answer.index(".") + 1
        row = {
            "id": example.id, "row": number + 1, "answer": 0.1 * number, "spans": None,
            "sentences": [{"start": 0, "end": cut, "score": 0.2},
                          {"start": cut, "end": len(example.answer), "score": 0.7}],
            "error": None, "seconds": 0.01,
        }  # fmt: skip
        lines.append(json.dumps(row | (changes if number == 4 else {})))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_a_token_has_the_highest_score_of_its_characters(bench: Workbench, tmp_path: Path) -> None:
    method = make_method("scores", {"file": str(_file(tmp_path / "tool.jsonl")), "title": "Tool 1.0"})
    assert (method.card.title, method.card.level) == ("Tool 1.0", "sentence")
    scored = list(method.fit(bench, FoldData(0, (0, 1, 2), (3, 4, 5))).score(bench, (7, 4)))
    assert [one.answer for one in scored] == [pytest.approx(0.7), pytest.approx(0.4)]
    for position, one in zip((7, 4), scored, strict=True):
        text, tokens = EXAMPLES[position].answer, bench.tokens(position)
        cut = text.index(".") + 1
        expected = [max(0.2 if at < cut else 0.7 for at in range(start, end)) for start, end in tokens.ranges]
        np.testing.assert_allclose(one.tokens, expected)


def test_an_answer_the_tool_failed_on_is_an_error(bench: Workbench, tmp_path: Path) -> None:
    broken = {"answer": None, "sentences": None, "error": "too long"}
    method = make_method("scores", {"file": str(_file(tmp_path / "tool.jsonl", **broken)), "title": "Tool"})
    fitted = method.fit(bench, FoldData(0, (0,), (1,)))
    with pytest.raises(InputError) as caught:
        list(fitted.score(bench, (4,)))
    assert str(caught.value) == "methods.options.file: tool.jsonl row 5 failed: too long"


def test_scores_of_another_file_are_not_taken_for_these(tmp_path: Path) -> None:
    first = make_method("scores", {"file": str(_file(tmp_path / "tool.jsonl")), "title": "Tool"}).surroundings
    second = make_method("scores", {"file": str(_file(tmp_path / "tool.jsonl", answer=0.9)), "title": "Tool"})
    assert first != second.surroundings


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    missing = str(tmp_path / "no.jsonl")
    with pytest.raises(InputError) as caught:
        make_method("scores", {"file": missing, "title": "Tool"})
    assert str(caught.value) == f"methods.options.file: {missing!r} does not exist; make it first"
