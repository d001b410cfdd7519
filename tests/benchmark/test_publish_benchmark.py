"""What may be published of a run: the report and its pictures, without the data set's texts."""

import importlib.util
import re
from pathlib import Path

import made_document as made

from ragcortex.benchmark.results.heat_map import AnswerHeatMap, ExampleAnswers, HeatRow
from ragcortex.benchmark.results.report_page import write_report

EXAMPLES = ExampleAnswers(
    "A made run", "All.", (AnswerHeatMap("a", None, "x", None, ((0, 1),), (), (HeatRow("A", (0.5,)),)),)
)
SCRIPT = Path(__file__).parents[2] / "benchmarks" / "publish_benchmark.py"


def test_texts_stay_behind_and_every_picture_is_there(tmp_path: Path) -> None:
    spec = importlib.util.spec_from_file_location("publish_benchmark", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    write_report(made.whole(), tmp_path / "results", EXAMPLES)
    (tmp_path / "docs").mkdir()
    for _ in range(2):
        script.publish(tmp_path / "results", tmp_path / "docs", "mine")
    text = (tmp_path / "docs" / "mine.md").read_text(encoding="utf-8")
    targets = re.findall(r"\]\(([^)]+)\)", text)
    assert targets
    assert all((tmp_path / "docs" / target).is_file() for target in targets)
    names = {path.suffix for path in (tmp_path / "docs" / "mine").iterdir()}
    assert names == {".csv", ".png"}
    assert "examples.html" not in text
