"""Writes the data that the shipped detectors are trained on, from a folder of public annotated data.

    python benchmarks/make_training_data.py --data DIR --out train.jsonl [--seed 0] [--n-synthetic 1500]

DIR holds summedits, halueval_qa_sample, wice_tokens, wice_claims, begin and refchecker_dolly, each as .jsonl in one
schema (id, question, context, answer, spans, label, group, model, task). Nothing else in it is opened: in particular
no RAGTruth, which is kept for measuring.
"""

import argparse
import sys
from collections import defaultdict
from pathlib import Path

from rich.console import Console
from rich.table import Table

from ragcortex.datasets.balance import balance
from ragcortex.datasets.jsonl import to_row, write_rows
from ragcortex.datasets.training_mix import n_words, training_examples
from ragcortex.errors import RagcortexError, exit_code
from ragcortex.example import Example


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder of the annotated data")
    parser.add_argument("--out", type=Path, required=True, help="the JSONL file to write")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--n-synthetic", type=int, default=1500, help="number of synthetic answers (0: none)")
    options = parser.parse_args()
    try:
        examples = training_examples(options.data, seed=options.seed, n_synthetic=options.n_synthetic)
        write_rows(options.out, map(to_row, examples))
    except RagcortexError as error:
        print(f"error: {error}", file=sys.stderr)
        return exit_code(error)
    Console(width=140).print(table(examples))
    return 0


def table(examples: list[Example]) -> Table:
    """Return counts, base rates and controls by origin."""
    by_task: defaultdict[str, list[Example]] = defaultdict(list)
    for example in examples:
        by_task[example.task or ""].append(example)
    synthetic = [example for example in examples if (example.task or "").startswith("synthetic/")]
    shown = Table(title="Training data (AUROC of trivial predictors; .5 = they say nothing)")
    heads = ["rows", "wrong", "groups", "words/row", "answer", "chars%", "length", "index", "relative", "within"]
    for name in ("origin", *heads):
        shown.add_column(name, justify="left" if name == "origin" else "right")
    for name, rows in (*sorted(by_task.items()), ("all synthetic", synthetic), ("all", examples)):
        if rows:
            shown.add_row(name, *cells(rows))
    return shown


def cells(rows: list[Example]) -> list[str]:
    found = balance(rows)
    lengths = sorted(len(row.answer.split()) for row in rows)
    scores = (found.length_auroc, found.index_auroc, found.relative_position_auroc, found.within_position_auroc)
    return [
        str(len(rows)),
        str(found.n_hallucinated),
        str(len({row.group for row in rows})),
        f"{sum(map(n_words, rows)) / len(rows):.0f}",
        str(lengths[len(lengths) // 2]),
        f"{100 * found.hallucinated_char_share:.1f}",
        *("–" if score is None else f"{score:.3f}" for score in scores),
    ]


if __name__ == "__main__":
    sys.exit(main())
