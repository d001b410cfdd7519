"""Figures are drawn from what is kept, what is kept is measured, and stated numbers are those of results."""

import json
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest
from doc_pages import DOCS, ROOT, pages, text_of

FIGURES = DOCS / "figures"
DRAWN = ("passes", "chain", "calibration")
# A figure with its interval, as results have it: `.927 [.904, .947]` or `0.017 [0.012, 0.023]`.
_INTERVAL = re.compile(r"(?<![\d.])0?\.\d+ \[0?\.\d+, 0?\.\d+\]")


def test_figures_are_drawn_from_what_is_kept(tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, str(DOCS / "make_figures.py"), "--out", str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    for name in DRAWN:
        kept, drawn = (folder / f"{name}.svg" for folder in (FIGURES, tmp_path))
        assert kept.read_bytes() == drawn.read_bytes(), "run `python docs/make_figures.py`"
    assert {path.stem for path in FIGURES.glob("*.svg")} == set(DRAWN)


def test_figures_load_nothing() -> None:
    for path in FIGURES.glob("*.svg"):
        text = path.read_text(encoding="utf-8")
        assert "<script" not in text
        assert not re.search(r"(?:href|src)=\"(?!#)", text)


@pytest.mark.weights
def test_what_is_kept_is_measured() -> None:
    measures = runpy.run_path(str(DOCS / "figure_data.py"))
    for name in ("passes", "chain"):
        kept = json.loads((FIGURES / f"{name}.json").read_text(encoding="utf-8"))
        measured = measures[name]()
        assert _without_numbers(measured) == _without_numbers(kept)
        for one, other in zip(_numbers(measured), _numbers(kept), strict=True):
            assert one == pytest.approx(other, abs=0.01), f"run `python docs/figure_data.py {name}`"


def test_the_curve_is_that_of_the_results() -> None:
    """The first draw of 150 answers in docs/results/fusion.md, from its own measurement."""
    kept = json.loads((FIGURES / "calibration.json").read_text(encoding="utf-8"))
    (draw,) = (line for line in text_of("results/fusion.md").splitlines() if line.startswith("* Draw 1 "))
    stated = [float(one) for one in re.findall(r"answer AUROC [\d.]+, ECE ([\d.]+)", draw)]
    assert stated == pytest.approx([kept["before"]["ece"], kept["after"]["ece"]], abs=0.002)
    assert f"({kept['n_calibrating']} answers, measured on the other {kept['n_measured']})" in draw
    for side in ("before", "after"):
        bins = kept[side]["bins"]
        assert sum(n for n, _, _ in bins) == kept["n_measured"]
        assert sum(n * abs(given - share) for n, given, share in bins) / kept["n_measured"] == pytest.approx(
            kept[side]["ece"], abs=0.002
        )


def test_the_picture_of_the_report_is_small() -> None:
    picture = (FIGURES / "report.png").read_bytes()
    assert picture.startswith(b"\x89PNG")
    assert len(picture) < 300_000


def test_stated_figures_are_in_the_results() -> None:
    """Every figure with an interval that a page states is in docs/results, to the digit."""
    results = re.sub(r"[\\*↑↓]", "", " ".join(text_of(page) for page in pages(of_results=True) if _is_result(page)))
    stated = 0
    for page in pages():
        if page.startswith("decisions/"):  # these keep the figures of their time
            continue
        for figure in _INTERVAL.findall(" ".join(text_of(page).split())):
            stated += 1
            assert figure in results, f"{page} states {figure}, which no page of results has"
    assert stated > 50


def test_the_scripts_say_how_they_are_run() -> None:
    for name in ("figure_data", "make_figures", "make_gallery"):
        script = DOCS / f"{name}.py"
        assert f"python {script.relative_to(ROOT)}" in script.read_text(encoding="utf-8")


def _is_result(page: str) -> bool:
    return page.startswith("results/") and page != "results/index.md"


def _numbers(value: object) -> list[float]:
    if isinstance(value, dict):
        return [one for key in sorted(value) for one in _numbers(value[key])]
    if isinstance(value, list):
        return [one for part in value for one in _numbers(part)]
    return [float(value)] if isinstance(value, int | float) else []


def _without_numbers(value: object) -> object:
    if isinstance(value, dict):
        return {key: _without_numbers(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_without_numbers(one) for one in value]
    return None if isinstance(value, int | float) else value
