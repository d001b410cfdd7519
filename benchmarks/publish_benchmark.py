"""Writes what may be published of a benchmark run into docs/results: the report, its figures as CSV, its pictures.

    ragcortex benchmark run ragtruth-qa-embedded --data RAGTruth/ --out results/
    python benchmarks/publish_benchmark.py results/ [--name benchmark]

The pages with example answers stay behind: they hold the data set's own texts.
"""

import argparse
import shutil
from pathlib import Path

from ragcortex.benchmark.results.document import RunDocument
from ragcortex.benchmark.results.plots import run_pictures
from ragcortex.benchmark.results.published import beside_published
from ragcortex.benchmark.results.report_page import PICTURES_FOLDER, TABLES_FOLDER, report_markdown
from ragcortex.benchmark.results.table_files import run_tables

DOCS = Path(__file__).parents[1] / "docs" / "results"
FIGURES = "figures.csv"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path)
    parser.add_argument("--name", default="benchmark", help="of the page and of the folder beside it")
    options = parser.parse_args()
    publish(options.results, DOCS, options.name)


def publish(results: Path, docs: Path, name: str) -> None:
    """Write `name.md` and the folder `name` into a folder of documents; what an earlier run left there goes."""
    document = RunDocument.read(results)
    pictures = run_pictures(document)
    text = report_markdown(document, run_tables(document), beside_published(document), pictures, has_examples=False)
    beside = docs / name
    shutil.rmtree(beside, ignore_errors=True)
    beside.mkdir(parents=True)
    shutil.copyfile(results / TABLES_FOLDER / FIGURES, beside / FIGURES)
    for path in sorted((results / PICTURES_FOLDER).glob("*.png")):
        shutil.copyfile(path, beside / path.name)
    (docs / f"{name}.md").write_text(text.replace(f"({PICTURES_FOLDER}/", f"({name}/"), encoding="utf-8")


if __name__ == "__main__":
    main()
