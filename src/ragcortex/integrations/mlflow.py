"""MLflow: the figures and the reports of a set of judged answers, in the run of the experiment that made them.

with mlflow.start_run():
    log_reports([outcome.report for outcome in detector.check_many(examples) if outcome.report])
"""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from ragcortex.checks import check_parts, check_text
from ragcortex.integrations.extras import missing
from ragcortex.rendering.html import render_pages
from ragcortex.report import VERDICTS, Report

try:
    import mlflow
except ImportError as error:
    raise missing("mlflow-skinny", "mlflow") from error

_MOST_SHOWN: Final = 200


def log_reports(
    reports: Sequence[Report], *, name: str = "groundedness", step: int | None = None, files: bool = True
) -> dict[str, float]:
    """Log what became of answers to the active run, or to a new one, and return the metrics.

    Metrics, their names behind `name` and a slash: `n_answers`; `share_grounded` and so on for each verdict; of the
    answers that were judged `mean_score`, and `mean_spans` (marked passages an answer). What has no value, because no
    answer was judged, is left out. Files, in a folder called `name`: all reports as JSON lines, and a page with the 200
    of the highest scores.

    Args:
        reports: the judgements.
        name: what metrics and files are called by.
        step: of the metrics, for several sets in one run.
        files: whether the reports are kept; they hold questions, answers and evidence.

    Raises:
        InputError: `reports` holds something else.
    """
    check_text("name", name, filled=True)
    check_parts("reports", tuple(reports), Report)
    metrics = {f"{name}/{key}": value for key, value in _figures(reports).items()}
    mlflow.log_metrics(metrics, step=step)
    if files:
        lines = "".join(f"{report.to_json()}\n" for report in reports)
        mlflow.log_text(lines, f"{name}/reports.jsonl")
        ordered = sorted(enumerate(reports), key=lambda one: -(one[1].score or 0.0))[:_MOST_SHOWN]
        shown = [(report.id or f"answer {number + 1}", report) for number, report in ordered]
        mlflow.log_text(render_pages(f"{len(reports)} answers", shown), f"{name}/reports.html")
    return metrics


def _figures(reports: Sequence[Report]) -> dict[str, float]:
    figures = {"n_answers": float(len(reports))}
    if reports:
        counts = Counter(report.verdict for report in reports)
        figures |= {f"share_{verdict}": counts[verdict] / len(reports) for verdict in VERDICTS}  # type: ignore[index]
    judged = [report for report in reports if report.score is not None]
    if judged:
        figures["mean_score"] = sum(report.score or 0.0 for report in judged) / len(judged)
        figures["mean_spans"] = sum(len(report.spans) for report in judged) / len(judged)
    return figures
