"""Figures and reports in a real MLflow store on disk."""

import json
import os
import subprocess
import sys

import mlflow
import pytest
from made_chain import GROUNDED, INVENTED, QUESTION

import made_detectors as made
from ragcortex.errors import InputError
from ragcortex.example import Example, Reference
from ragcortex.integrations.mlflow import log_reports
from ragcortex.report import Report

DETECTOR = made.geometric()


@pytest.fixture
def store(tmp_path, monkeypatch):
    """Return the folder of a store's files; what MLflow writes into the environment does not outlive the test."""
    for name in ("MLFLOW_TRACKING_URI", "MLFLOW_EXPERIMENT_ID", "MLFLOW_RUN_ID"):
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")  # a server or a database would do no more here
    mlflow.set_tracking_uri((tmp_path / "runs").as_uri())
    mlflow.create_experiment("answers", artifact_location=(tmp_path / "files").as_uri())
    mlflow.set_experiment("answers")
    yield tmp_path / "files"
    mlflow.set_tracking_uri(None)


def reports():
    answers = (GROUNDED, f"{GROUNDED} {INVENTED}", "I do not know.")
    return [
        DETECTOR.check_example(Example(QUESTION, (Reference(GROUNDED),), answer, id=f"a{n}"))
        for n, answer in enumerate(answers)
    ]


def test_figures_and_reports_are_in_the_run(store):
    given = reports()
    with mlflow.start_run() as run:
        metrics = log_reports(given)
        log_reports(given[:1], step=1, files=False)
    assert metrics == {
        "groundedness/n_answers": 3.0,
        "groundedness/share_grounded": 1 / 3,
        "groundedness/share_review": 0.0,
        "groundedness/share_hallucinated": 1 / 3,
        "groundedness/share_no_claim": 1 / 3,
        "groundedness/share_not_verifiable": 0.0,
        "groundedness/mean_score": (given[0].score + given[1].score) / 2,
        "groundedness/mean_spans": 0.5,
    }
    client = mlflow.MlflowClient()
    history = client.get_metric_history(run.info.run_id, "groundedness/share_grounded")
    assert [(one.step, one.value) for one in history] == [(0, 1 / 3), (1, 1.0)]
    (folder,) = store.glob("*/artifacts/groundedness")
    lines = (folder / "reports.jsonl").read_text(encoding="utf-8").splitlines()
    assert [Report.from_dict(json.loads(line)).id for line in lines] == ["a0", "a1", "a2"]
    page = (folder / "reports.html").read_text(encoding="utf-8")
    assert page.index("<h1>a1</h1>") < page.index("<h1>a0</h1>") < page.index("<h1>a2</h1>")


def test_what_has_no_value_is_left_out(store):
    unjudged = [DETECTOR.check(QUESTION, [], GROUNDED)]
    with mlflow.start_run():
        assert log_reports([], name="empty", files=False) == {"empty/n_answers": 0.0}
        assert "groundedness/mean_score" not in log_reports(unjudged, files=False)
    assert list(store.glob("*/artifacts/*")) == []


def test_only_reports_are_logged(store):
    with pytest.raises(InputError) as error:
        log_reports([None])
    assert str(error.value) == "reports[0]: must be Report, got NoneType"
    assert mlflow.active_run() is None


def test_without_mlflow_the_module_says_what_to_install():
    code = "import sys; sys.modules['mlflow'] = None; import ragcortex.integrations.mlflow"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.stderr.splitlines()[-1] == (
        "ImportError: mlflow-skinny is not installed, and this module needs it; run `pip install 'ragcortex[mlflow]'`"
    )


def test_nothing_is_left_in_the_environment():
    assert not {"MLFLOW_TRACKING_URI", "MLFLOW_EXPERIMENT_ID", "MLFLOW_RUN_ID"} & set(os.environ)
