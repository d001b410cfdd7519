"""MLflow: how grounded a set of answers is, as metrics of a run, with all reports beside them."""

import os
import tempfile
from pathlib import Path

import mlflow

from ragcortex import Detector, Example
from ragcortex.integrations.mlflow import log_reports

os.environ["MLFLOW_ALLOW_FILE_STORE"] = "true"  # a folder in place of a server, for this example
PASSAGES = ["The museum had 5,900,000 visitors in 2019."]
ANSWERS = ["In 2019 the museum had 5.9 million visitors.", "In 2019 the museum had 7 million visitors."]

with tempfile.TemporaryDirectory() as folder:
    mlflow.set_tracking_uri(Path(folder, "runs").as_uri())
    detector = Detector.load(witness="geometry")
    outcomes = detector.check_many(Example.of(None, PASSAGES, answer) for answer in ANSWERS)
    with mlflow.start_run() as run:
        metrics = log_reports([outcome.report for outcome in outcomes if outcome.report is not None])
    files = mlflow.MlflowClient().list_artifacts(run.info.run_id, "groundedness")
    print(*(f"{name} = {value:.3g}" for name, value in metrics.items()), sep="\n")
    print([file.path for file in files])
