"""The table of differences: every comparison of a run with interval, p and Holm's p, and why one is missing."""

import csv
import io

import made_document as made

from ragcortex.benchmark.results.comparison_table import comparison_table
from ragcortex.benchmark.results.parts import Comparison
from ragcortex.benchmark.results.table_files import run_tables
from ragcortex.benchmark.results.table_text import to_csv, to_markdown

DOCUMENT = made.whole()


def small(*methods, **changes):
    return made.plain(methods, **changes)


def compared(method, level, metric, *numbers, reason=None):
    return Comparison(method, "ours", level, "smoothed", metric, *numbers, reason=reason)


def test_the_table_of_differences_to_the_letter():
    document = small(
        made.method("nll", "NLL", 0.1),
        made.method("ours", "Ours", 0.5),
        made.method("judge", "Judge", 0.4, level="answer", figures=made.figures(0.4, tokens=False)[-3:]),
        made.method("peer", "Peer", 0, figures=(), failure="no attention"),
        reference_method="ours",
        comparisons=(
            compared("nll", "answer", "auroc", -0.1, -0.2, 0.0, 0.06, 0.12),
            compared("nll", "token", "average_precision", -0.2, -0.25, -0.1, 0.0004, 0.0008),
            compared("judge", "answer", "auroc", 0.02, reason="too few resamples have both classes"),
        ),
    )
    table = comparison_table(document)
    assert to_markdown(table) == (
        "| method | token AP difference | token AP p | token AP p, Holm | answer AUROC difference | answer AUROC p | "
        "answer AUROC p, Holm |\n"
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n"
        "| NLL | −.200↓ \\[−.250, −.100\\] | \\< .001 | \\< .001 | −.100 \\[−.200, .000\\] | .060 | .120 |\n"
        "| Judge | –¹ | –¹ | –¹ | +.020 | –² | –² |\n"
        "| Peer | –³ | –³ | –³ | –³ | –³ | –³ |\n"
        "\n"
        "* ¹ Judges whole answers only.\n"
        "* ² Too few resamples have both classes.\n"
        "* ³ Failed: no attention.\n"
        "* RAGTruth QA: 900 answers of 150 sources; five folds by source; reader HuggingFaceTB/SmolLM2-135M-Instruct.\n"
        "* In brackets: 95 % bootstrap intervals, whole sources drawn.\n"
        "* ↑ and ↓: above and below Ours with p \\< .05 after Holm's correction.\n"
        "* Difference: the method minus Ours, smoothed scores, on the same draws of whole sources; positive where the "
        "method is better.\n"
        "* p: two-sided, of no difference; Holm: corrected over the methods compared in the same level and metric.\n"
    )
    line = next(csv.DictReader(io.StringIO(to_csv(table))))
    names = ("difference", "difference_low", "difference_high", "p", "p_holm")
    found = [float(line[f"token_average_precision_smoothed_{name}"]) for name in names]
    assert found == [-0.2, -0.25, -0.1, 0.0004, 0.0008]


def test_every_comparison_of_a_run_is_in_its_table_and_a_run_that_compared_nothing_has_none():
    lines = {line["method"]: line for line in csv.DictReader(io.StringIO(to_csv(comparison_table(DOCUMENT))))}
    assert list(lines) == [one.name for one in DOCUMENT.methods if one.name != DOCUMENT.reference_method]
    for one in DOCUMENT.comparisons:
        assert float(lines[one.method][f"{one.level}_{one.metric}_{one.smoothing}_p_holm"]) == one.p_holm
    assert [table.name for table in run_tables(DOCUMENT)][:3] == ["main", "comparisons", "levels"]
    assert comparison_table(small(made.method("a", "A", 0.5))) is None
