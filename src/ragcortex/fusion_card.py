"""The card of a fusion, as Markdown: what it is, what it weighs, what it was made from, and what it cannot do."""

from collections.abc import Iterable
from typing import Final

from ragcortex.fusion.model import FusionModel
from ragcortex.geometry.linear_model import LinearModel
from ragcortex.rendering.inert import inert_line

_LIMITS: Final = (
    "It compares an answer with its references only. What is true but not in the references is flagged; what is wrong "
    "in the references is not.",
    "A strong paraphrase looks less supported than it is, and a small change of meaning in words of the references may "
    "look supported: read what is flagged, and do not take `grounded` as proof.",
    "Its probabilities are those of answers like the ones it was calibrated on; calibrate it on some of yours.",
    "Statements in a language that the embedding model does not cover are judged by their facts alone.",
)


def fusion_card(model: FusionModel) -> str:
    """Return the card; text of others is made inert and kept on its line."""
    calibration = model.calibration
    data = inert_line(str(model.training.get("data", "labelled answers")))
    licences = model.training.get("licences", ())
    sections = (
        (f"# {inert_line(model.name)}", [
            f"A ragcortex detector, version {inert_line(model.version)}: both witnesses in one verdict. The detector "
            f"`{inert_line(model.internal)}` reads the answer; the geometric witness compares it with its references."
        ]),
        ("## Data and licences", _items((f"Fitted on {data}.", *map(inert_line, licences)))),
        ("## Thresholds", _items((
            f"Calibrated on {inert_line(calibration.data)}: {calibration.n_answers:,} answers, "
            f"{calibration.n_hallucinated:,} of them hallucinated; {calibration.date}.",
            f"A statement is flagged from probability {model.statement_threshold:.3f} on, its words are marked from "
            f"{calibration.token_threshold:.3f} on, and an answer is at least up for review from "
            f"{calibration.review_threshold:.3f} on.",
            f"On that data {calibration.figures['statement_recall']:.0%} of the hallucinated statements are flagged, "
            f"and {calibration.figures['statement_precision']:.0%} of what is flagged is hallucinated.",
        ))),
        ("## Weights of token signals (standardised, log-odds)", _items(_weights(model.stack.tokens))),
        ("## Weights of statement signals (standardised, log-odds)", _items(_weights(model.stack.statements))),
        ("## Limits", _items(_LIMITS)),
    )  # fmt: skip
    return "\n\n".join("\n".join((heading, "", *lines)) for heading, lines in sections) + "\n"


def _items(lines: Iterable[str]) -> list[str]:
    return [f"* {line}" for line in lines]


def _weights(linear: LinearModel) -> Iterable[str]:
    return (f"`{name}` {weight:+.2f}" for name, weight in zip(linear.names, linear.weights, strict=True))
