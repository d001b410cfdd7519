"""`ragcortex check`: one answer, one report."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ragcortex.cli.console import check_writable, complain, save_text, say, write_data
from ragcortex.cli.inputs import Inputs
from ragcortex.cli.options import DetectorOption, DeviceOption, DtypeOption, ReaderOption, WindowOption
from ragcortex.cli.witness import (
    CalibrationOption,
    CorpusOption,
    EmbedderOption,
    StrictOption,
    WitnessOption,
    WitnessOptions,
    load_witness,
)
from ragcortex.detectors.registry import DEFAULT_DETECTOR
from ragcortex.errors import EXIT_FAILED_ON, EXIT_NOTHING_TO_CHECK, EXIT_OK, InputError

if TYPE_CHECKING:
    from ragcortex.example import Example
    from ragcortex.report import Report

Format = Literal["text", "json", "html"]
FailOn = Literal["review", "hallucinated"]


def check(
    *,
    question: Annotated[str | None, typer.Option("--question", metavar="TEXT", help="The user's question.")] = None,
    reference: Annotated[
        list[str] | None,
        typer.Option("--reference", metavar="FILE|TEXT|-", help="One retrieved passage; give it once for each."),
    ] = None,
    answer: Annotated[
        str | None, typer.Option("--answer", metavar="FILE|TEXT|-", help="The answer to check; - is standard input.")
    ] = None,
    input: Annotated[
        str | None,
        typer.Option("--input", metavar="FILE|-", help="A JSON object with question, references and answer instead."),
    ] = None,
    format: Annotated[
        Format | None, typer.Option("--format", help="How to report. [default: by the ending of --out, else text]")
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE", help="Write the report to this file.")] = None,
    detector: DetectorOption = DEFAULT_DETECTOR,
    reader: ReaderOption = None,
    device: DeviceOption = None,
    dtype: DtypeOption = None,
    window: WindowOption = None,
    witness: WitnessOption = None,
    corpus: CorpusOption = None,
    calibration: CalibrationOption = None,
    embedder: EmbedderOption = None,
    strict: StrictOption = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show what each signal adds; JSON always holds it.")
    ] = False,
    fail_on: Annotated[
        FailOn | None, typer.Option("--fail-on", help="Exit with 1 at this verdict; `review` means review or worse.")
    ] = None,
) -> int:
    """Check one answer against its references, or against a corpus."""
    asked = WitnessOptions(witness, detector, reader, device, dtype, window, corpus, calibration, embedder, strict)
    asked.check()
    example = _example(question, reference or [], answer, input, against_corpus=corpus is not None)
    if out is not None:
        check_writable(out)
    if corpus is not None and example.references:
        raise InputError(
            "reference", "must be left out where --corpus is given; an answer is checked against one of them"
        )
    report = load_witness(asked).check_example(example)
    _write(report, format or _format_of(out), out, explain=explain)
    if report.score is None:
        complain(" ".join(note.text for note in report.notes))
        return EXIT_NOTHING_TO_CHECK
    failing = {"review": ("review", "hallucinated"), "hallucinated": ("hallucinated",)}
    return EXIT_FAILED_ON if fail_on is not None and report.verdict in failing[fail_on] else EXIT_OK


def _example(
    question: str | None, references: list[str], answer: str | None, row: str | None, *, against_corpus: bool
) -> "Example":
    from ragcortex.example import Example

    inputs = Inputs()
    if row is not None:
        if question is not None or references or answer is not None:
            raise InputError("input", "holds the question, references and answer; give either --input or those options")
        return Example.from_row(inputs.row("input", row), without_references=against_corpus)
    if answer is None:
        raise InputError("answer", "is missing; give --answer FILE|TEXT|- or --input ROW.json")
    texts = [inputs.text("reference", value) for value in references]
    return Example.of(question, texts, inputs.text("answer", answer))


def _format_of(out: Path | None) -> Format:
    endings: dict[str, Format] = {".json": "json", ".html": "html", ".htm": "html"}
    return "text" if out is None else endings.get(out.suffix.lower(), "text")


def _write(report: "Report", format: Format, out: Path | None, *, explain: bool) -> None:
    if format == "text" and out is None:
        report.print(explain=explain)
        return
    if format == "json":
        text = report.to_json(indent=2) + "\n"
    else:
        text = report.to_html(explain=explain) if format == "html" else report.to_text(explain=explain)
    if out is None:
        write_data(text)
        return
    save_text(out, text)
    score = "" if report.score is None else f" (score {report.score:.2f})"
    say(f"{report.verdict}{score}: report written to {out}")
