"""The package from outside: its public names, what importing it costs, and the examples that documents show."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import ragcortex

ROOT = Path(__file__).parents[1]
HEAVY = ("torch", "transformers", "sklearn", "numpy", "rich", "tokenizers", "sentencex")


def test_the_public_names_are_these() -> None:
    assert ragcortex.__all__ == ["Corpus", "Detector", "Example", "GeometricDetector", "Report", "__version__", "check"]
    assert set(dir(ragcortex)) == set(ragcortex.__all__)
    for name in ragcortex.__all__:
        assert getattr(ragcortex, name) is not None
    with pytest.raises(AttributeError, match=r"^module 'ragcortex' has no attribute 'Detectr'$"):
        ragcortex.Detectr  # noqa: B018


@pytest.mark.parametrize("module", ["ragcortex", "ragcortex.cli.__main__", "ragcortex.errors", "ragcortex.example"])
def test_importing_loads_nothing_heavy(module: str) -> None:
    code = f"import sys, {module}; print(sorted(set(sys.modules) & set({HEAVY!r})))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_the_version_has_a_section_in_the_changelog() -> None:
    assert f"\n## {ragcortex.__version__} (" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_links_between_documents_lead_somewhere() -> None:
    for document in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md")):
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", document.read_text(encoding="utf-8")):
            assert (document.parent / target).exists(), f"{document.name} links to {target}"


@pytest.mark.weights
@pytest.mark.parametrize("example", sorted((ROOT / "examples").glob("*.py")), ids=lambda path: path.name)
def test_examples_run(example: Path) -> None:
    run = subprocess.run([sys.executable, str(example)], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert run.stdout


@pytest.mark.weights
def test_the_python_in_the_readme_runs(capsys: pytest.CaptureFixture[str]) -> None:
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    assert blocks
    for block in blocks:
        exec(compile(block, "README.md", "exec"), {})
    assert capsys.readouterr().out


@pytest.mark.weights
def test_the_readme_shows_what_the_demo_prints() -> None:
    demo = ROOT / "examples" / "demo"
    command = [sys.executable, "-m", "ragcortex", "check", "--question", (demo / "question.txt").read_text().strip()]
    for number in (1, 2, 3):
        command += ["--reference", str(demo / f"reference-{number}.txt")]
    command += ["--answer", str(demo / "answer.txt")]
    run = subprocess.run(command, capture_output=True, text=True, check=True, env={**_environment(), "COLUMNS": "100"})
    shown = (ROOT / "README.md").read_text(encoding="utf-8")
    for line in run.stdout.splitlines():
        assert re.sub(r"\d", "#", line.rstrip()) in re.sub(r"\d", "#", shown), line


def _environment() -> dict[str, str]:
    import os

    return dict(os.environ)
