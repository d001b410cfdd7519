"""The plugin in runs of pytest: what a failing check shows, the report file, the summary of a job."""

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from made_chain import GROUNDED, INVENTED

import made_detectors as made
from ragcortex.errors import InputError
from ragcortex.integrations.assertions import kept_checks
from ragcortex.integrations.checked_answers import CheckedAnswer, in_markdown
from ragcortex.integrations.pytest_plugin import assert_grounded
from ragcortex.report import Report

pytest_plugins = ["pytester"]

ROOT = Path(__file__).parents[2]
DETECTOR = made.geometric()
WRONG = "It stands 52 metres above the sea."
PASSAGES = [GROUNDED, {"text": "It stands 41 metres above the sea.", "source": "capes.pdf"}]
PLUGIN = ("-p", "no:ragcortex", "-p", "ragcortex.integrations.pytest_plugin", "-p", "no:cacheprovider")
TESTS = f"""
import made_detectors as made
import pytest
from ragcortex.integrations.pytest_plugin import assert_grounded as plain

PASSAGES = {PASSAGES!r}

def test_right(assert_grounded):
    report = assert_grounded({GROUNDED!r}, PASSAGES, "When?")
    assert report.question == "When?"

@pytest.mark.parametrize("answer", [{WRONG!r}])
def test_wrong(assert_grounded, answer):
    assert_grounded(answer, PASSAGES)

@pytest.fixture
def checked():
    yield
    plain("I do not know.", PASSAGES, detector=made.geometric())

def test_function(checked):
    plain({GROUNDED!r}, PASSAGES, detector=made.geometric())
    plain({GROUNDED!r}, PASSAGES, detector=made.geometric())

def test_other():
    pass
"""


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    pytester.makeconftest(
        """
        import made_detectors as made, pytest

        @pytest.fixture(scope="session")
        def groundedness_detector():
            return made.geometric()
        """
    )
    pytester.makepyfile(test_answers=TESTS)
    return pytester


def test_a_failing_check_shows_the_marked_answer_and_the_evidence(project):
    result = project.runpytest(*PLUGIN)
    result.assert_outcomes(passed=3, failed=1)
    result.stdout.fnmatch_lines(
        [
            "E *AssertionError: the answer is hallucinated, and must be grounded or no_claim",
            "E * It stands ⟦52⟧ metres above the sea.",
            "E * a number differs: «52» in the answer, «41 metres» in the reference",
            "E * reference 2, capes.pdf: It stands 41 metres above the sea.",
            "test_answers.py:*: AssertionError",
            "5 answers checked, 1 not grounded",
        ]
    )
    assert "def assert_grounded" not in result.stdout.str()  # the traceback ends in the test


def test_json_lines_have_a_row_a_check(project):
    result = project.runpytest(*PLUGIN, "--ragcortex-report", "checks.jsonl")
    result.stdout.fnmatch_lines(["5 answers checked, 1 not grounded; report in checks.jsonl"])
    rows = [json.loads(line) for line in (project.path / "checks.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [(row["test"], row["passed"], row["report"]["verdict"]) for row in rows] == [
        ("test_answers.py::test_right", True, "grounded"),
        (f"test_answers.py::test_wrong[{WRONG}]", False, "hallucinated"),
        ("test_answers.py::test_function", True, "grounded"),
        ("test_answers.py::test_function", True, "grounded"),
        ("test_answers.py::test_function", True, "no_claim"),
    ]
    assert Report.from_dict(rows[1]["report"]) == Report.from_dict(DETECTOR.check(None, PASSAGES, WRONG).to_dict())


def test_a_page_shows_each_check(project):
    project.runpytest(*PLUGIN, "--ragcortex-report", "checks.html")
    page = (project.path / "checks.html").read_text(encoding="utf-8")
    assert page.count("<article") == 5
    assert "<h1>test_answers.py::test_right: passed</h1>" in page
    assert f"<h1>test_answers.py::test_wrong[{WRONG}]: failed</h1>" in page
    assert "<title>5 answers checked, 1 not grounded</title>" in page


def test_the_summary_of_a_job_is_added_to_its_file(project, monkeypatch):
    summary = project.path / "summary.md"
    summary.write_text("Before.\n", encoding="utf-8")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    project.runpytest(*PLUGIN)
    lines = summary.read_text(encoding="utf-8").splitlines()
    assert lines[:6] == [
        "Before.",
        "## Groundedness of answers",
        "",
        "5 answers checked, 1 not grounded.",
        "",
        "| test | | verdict | score | not supported |",
    ]
    assert lines[7] == (
        r"| test\_answers\.py::test\_wrong\[It stands 52 metres above the sea\.\] "
        "| **failed** | hallucinated | 0.90 | 52 |"
    )
    assert len(lines) == 12


def test_a_run_without_checks_is_quiet(project):
    result = project.runpytest(*PLUGIN, "-k", "test_other")
    assert "groundedness" not in result.stdout.str()
    result = project.runpytest(*PLUGIN, "-k", "test_other", "--ragcortex-report", "checks.jsonl")
    result.stdout.fnmatch_lines(["0 answers checked, none not grounded; report in checks.jsonl"])
    assert (project.path / "checks.jsonl").read_text(encoding="utf-8") == ""


@pytest.mark.parametrize(
    ("file", "message"),
    [
        ("checks.xml", "must end in .jsonl or .html, got 'checks.xml'"),
        ("nowhere/checks.html", "must lie in a folder that exists, got 'nowhere/checks.html'"),
    ],
)
def test_a_report_file_that_cannot_be_is_refused_at_once(project, file, message):
    result = project.runpytest(*PLUGIN, "--ragcortex-report", file)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: --ragcortex-report: {message}"])


def test_it_works_in_a_process_of_its_own(project):
    command = [sys.executable, "-m", "pytest", *PLUGIN, "-k", "test_right", "--ragcortex-report", "checks.jsonl"]
    environment = {"PYTHONPATH": str(ROOT / "tests"), "PATH": ""}
    run = subprocess.run(command, cwd=project.path, env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    assert len((project.path / "checks.jsonl").read_text(encoding="utf-8").splitlines()) == 1


def test_checks_survive_the_way_from_a_worker_process(project, request):
    items = project.getitems(TESTS)
    reports = project.inline_run(*PLUGIN, items[0].path).getreports("pytest_runtest_logreport")
    config = request.config
    carried = []
    for report in reports:
        data = config.hook.pytest_report_to_serializable(config=config, report=report)
        back = config.hook.pytest_report_from_serializable(config=config, data=json.loads(json.dumps(data)))
        carried += map(CheckedAnswer.from_dict, back.ragcortex_checks)
    assert [one.passed for one in carried] == [True, False, True, True, True]


def test_the_function_says_why_it_fails():
    report = assert_grounded(GROUNDED, PASSAGES, detector=DETECTOR)
    assert assert_grounded(WRONG, PASSAGES, detector=DETECTOR, verdicts=("hallucinated",)).verdict == "hallucinated"
    with kept_checks() as checks, pytest.raises(AssertionError) as error:
        assert_grounded(GROUNDED, PASSAGES, detector=DETECTOR, max_score=0.001)
    assert str(error.value).startswith(f"the answer's score is {report.score:.4g}, and must be at most 0.001\n\n")
    assert checks == [(report, False)]
    with pytest.raises(InputError, match=r"^verdicts: must be one of"):
        assert_grounded(GROUNDED, PASSAGES, verdicts=["good"])
    with pytest.raises(InputError, match=r"^max_score: must be a number"):
        assert_grounded(GROUNDED, PASSAGES, max_score=2)


def test_a_table_shows_foreign_text_as_text():
    report = DETECTOR.check(None, PASSAGES, f"{INVENTED[:-1]} | <b>*really*</b>\n`now`.")
    answers = [CheckedAnswer("test_a[<x>]", True, report)] * 60 + [CheckedAnswer("test_b", False, report)]
    text = in_markdown(answers)
    rows = [line for line in text.splitlines() if line.startswith("| test\\_")]
    assert len(rows) == 50
    assert rows[0].startswith(r"| test\_b | **failed** |")
    assert rows[1].startswith(r"| test\_a\[\<x\>\] | passed |")
    assert all(row.replace(r"\|", "").count("|") == 6 for row in rows)
    assert r"\<b\>\*really\*" in rows[0]
    assert text.endswith("\n11 more answers are not shown.\n\n")


def test_importing_the_plugin_loads_nothing_heavy():
    heavy = ("torch", "transformers", "sklearn", "numpy", "rich", "tokenizers", "sentencex")
    code = f"import sys, ragcortex.integrations.pytest_plugin; print(sorted(set(sys.modules) & set({heavy!r})))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_pytest_finds_the_plugin_by_itself():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["entry-points"]["pytest11"] == {"ragcortex": "ragcortex.integrations.pytest_plugin"}
