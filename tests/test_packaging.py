"""What is built to be installed: whole, and nothing but the package; from the wheel alone the main job runs."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = ("benchmarks", "deploy", "docs", "examples", "src", "tests", "tools", "locks")
FILES = ("pyproject.toml", "README.md", "LICENSE", "MANIFEST.in", "CHANGELOG.md", "CONTRIBUTING.md", "Makefile")
MORE_FILES = ("constraints.txt", "mkdocs.yml")
JUNK = shutil.ignore_patterns("__pycache__", "*.egg-info", "*.pyc")
# Mostly the detectors' weights; a wheel that grows beyond this has something in it that should not be there.
MOST_MEGABYTES = 40
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Return the source distribution, and the wheel that is built from it and not from the checkout."""
    folder = tmp_path_factory.mktemp("packaging")
    checkout = folder / "checkout"
    for name in FOLDERS:
        shutil.copytree(ROOT / name, checkout / name, ignore=JUNK)
    for name in (*FILES, *MORE_FILES):
        shutil.copy(ROOT / name, checkout / name)
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder / "dist"), str(checkout)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (archive,), (wheel,) = (folder / "dist").glob("*.tar.gz"), (folder / "dist").glob("*.whl")
    return archive, wheel


def files_below(folder: Path, *, root: Path) -> set[str]:
    found = (path for path in folder.rglob("*") if path.is_file())
    return {
        path.relative_to(root).as_posix()
        for path in found
        if "__pycache__" not in path.parts and not any(part.endswith(".egg-info") for part in path.parts)
    }


def test_the_wheel_holds_every_file_of_the_package_and_no_other(built: tuple[Path, Path]) -> None:
    _, wheel = built
    names = set(zipfile.ZipFile(wheel).namelist())
    own = {name for name in names if ".dist-info/" not in name}
    assert own == files_below(ROOT / "src" / "ragcortex", root=ROOT / "src")
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in names)


def test_the_source_distribution_holds_what_a_test_run_needs(built: tuple[Path, Path]) -> None:
    archive, _ = built
    with tarfile.open(archive) as packed:
        names = {member.name.partition("/")[2] for member in packed.getmembers() if member.isfile()}
    expected = {name for folder in FOLDERS for name in files_below(ROOT / folder, root=ROOT)}
    assert {*expected, *FILES, *MORE_FILES} - names == set()
    assert not any("__pycache__" in name or name.endswith(".pyc") for name in names)


def test_neither_is_larger_than_it_has_to_be(built: tuple[Path, Path]) -> None:
    for path in built:
        assert path.stat().st_size < MOST_MEGABYTES * 1e6, f"{path.name} has {path.stat().st_size / 1e6:.0f} MB"


def test_every_extra_is_declared_in_the_wheel_and_explained(built: tuple[Path, Path]) -> None:
    _, wheel = built
    packed = zipfile.ZipFile(wheel)
    (name,) = (name for name in packed.namelist() if name.endswith(".dist-info/METADATA"))
    metadata = packed.read(name).decode()
    assert set(re.findall(r"^Provides-Extra: (\S+)$", metadata, re.MULTILINE)) == set(EXTRAS)
    page = (ROOT / "docs" / "install.md").read_text(encoding="utf-8")
    for extra in EXTRAS:
        assert f"| `{extra}` |" in page, f"docs/install.md does not say what the extra {extra} is for"


@pytest.mark.weights
def test_from_the_wheel_alone_the_main_job_runs(built: tuple[Path, Path], tmp_path: Path) -> None:
    """The wheel in an environment of its own; what it depends on is found where these tests have it."""
    _, wheel = built
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "env")], check=True)
    python = tmp_path / "env" / "bin" / "python"
    target = sysconfig.get_path("purelib", vars={"base": str(tmp_path / "env")})
    install = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-deps", "--no-index"]
    subprocess.run([*install, str(wheel)], check=True, env={**os.environ, "PIP_FIND_LINKS": ""})
    (Path(target) / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    where = subprocess.run(
        [str(python), "-c", "import ragcortex; print(ragcortex.__file__)"],
        capture_output=True, text=True, check=True, cwd=tmp_path,
    )  # fmt: skip
    assert Path(where.stdout.strip()).is_relative_to(tmp_path / "env")
    (tmp_path / "notes.txt").write_text("The lighthouse was built in 1874.", encoding="utf-8")
    (tmp_path / "answer.txt").write_text("The lighthouse was built in 1902.", encoding="utf-8")
    command = [str(python.with_name("ragcortex")), "check", "--reference", "notes.txt", "--answer", "answer.txt"]
    checked = subprocess.run(
        [*command, "--fail-on", "hallucinated"], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert checked.returncode == 1, checked.stdout + checked.stderr
    assert "Hallucinated" in checked.stdout
    listed = subprocess.run(
        [str(python.with_name("ragcortex")), "benchmark", "list"],
        capture_output=True, text=True, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert listed.returncode == 0, listed.stderr
    assert "ragtruth-qa-embedded" in listed.stdout
