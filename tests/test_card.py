"""The card: every fact of the bundle in words, and nothing of others that could break out of its line."""

from dataclasses import replace

import pytest

from ragcortex.bundle import Bundle, FittedHead, ReaderPin
from ragcortex.calibration import Calibration
from ragcortex.card import card
from ragcortex.readers.reader import CHAT
from ragcortex.scorers import GainScorer
from ragcortex.smoothing import Smoothing


@pytest.fixture
def bundle() -> Bundle:
    return Bundle(
        name="mine",
        version="3",
        recipe="reference-gain",
        heads=(FittedHead("gain", ("reference_gain",), 0, "gain", GainScorer()),),
        reader=None,
        template=CHAT,
        smoothing=Smoothing.persistence(0.97),
        answer_smoothing=Smoothing.window_max(4),
        calibration=Calibration(
            0.5, 0.25, 0.75, "held-out groups of a.jsonl", 40, 9, "2025-01-31", {"token_recall": 0.5}
        ),
    )


def test_a_bundle_that_was_not_fitted_says_so(bundle: Bundle) -> None:
    text = card(bundle)

    assert [line for line in text.splitlines() if line.startswith("#")] == [
        "# mine", "## What it reads", "## Data and licences", "## Choices", "## Thresholds", "## Measured", "## Limits",
        "## Use",
    ]  # fmt: skip
    for sentence in (
        "Recipe `reference-gain`: likelihood ratio of each token without and with the references; no training.",
        "* Reader: any; it was fitted on none.",
        "* None: nothing was fitted.",
        "* Smoothing of token scores: label persistence, probability 0.97 of keeping the label.",
        "* Answer score: the highest token score after smoothing by window max of 4 tokens to each side.",
        "* An answer is `review` from 0.2500 on, `hallucinated` from 0.7500 on.",
        "* Chosen on 2025-01-31 on 40 answers (9 hallucinated): held-out groups of a.jsonl.",
        "* On the answers the thresholds were chosen on, so flattering: token recall 0.500.",
    ):
        assert sentence in text


def test_a_fitted_bundle_names_its_reader_data_choices_and_figures(bundle: Bundle) -> None:
    fitted = replace(
        bundle,
        reader=ReaderPin("some/model", "abc", "0123", "float32"),
        training={
            "data": "a.jsonl (520 rows)", "n_examples": 520, "n_hallucinated": 260, "n_by_task": {"qa": 500, "sum": 20},
            "files": [{"name": "a.jsonl", "sha256": "beef", "n_rows": 520}], "left_out": {"unreadable": 2},
            "licences": ["CC0-1.0"], "seed": 4, "n_seeds": 3, "validation_ap_by_layer": {"20": 0.4531},
            "n_training_answers": 440, "command": "make",
        },
        figures={"transfer": {"token_auroc": 0.8512, "n": 839}},
        libraries={"torch": "2.6"},
    )  # fmt: skip
    text = card(fitted)

    for sentence in (
        "* Reader: some/model, revision abc, read in float32; fingerprint `0123`. Another is refused.",
        "* Trained on a.jsonl (520 rows).",
        "* 520 answers, 260 of them hallucinated.",
        "* By task: qa 500, sum 20.",
        "* File a.jsonl: 520 rows, SHA-256 `beef`.",
        "* Left out: 2 unreadable.",
        "* Licences of the data: CC0-1.0.",
        "* Seed 4; 3 networks averaged a head.",
        "* Validation average precision at layer 20: 0.453.",
        "* Training answers: 440.",
        "* Command: make.",
        "* Made with torch 2.6.",
        "* Transfer, token auroc: 0.851.",
        "* Transfer, n: 839.",
    ):
        assert sentence in text


def test_foreign_text_stays_on_its_line(bundle: Bundle) -> None:
    text = card(replace(bundle, name="a\n## b\x1b[2J", training={"data": "x\n# y"}))

    assert text.startswith("# a ## b<U+001B>[2J\n")
    assert "\n# y" not in text
