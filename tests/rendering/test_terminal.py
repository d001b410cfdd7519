"""The printed report, read as a person or a pipe would: what is marked, where lines break, what is inert."""

import io
import re
from collections.abc import Callable
from dataclasses import replace

import pyte
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from ragcortex.rendering.inert import inert
from ragcortex.rendering.terminal import TerminalStyle, print_report, render_text, style_for
from ragcortex.report import DetectorInfo, Note, Report, unjudged_report

ESCAPE = re.compile(r"\x1b\[[0-9;]*m")


class Terminal(io.TextIOWrapper):
    """A text stream that says it is a terminal, or not, and keeps what was written."""

    def __init__(self, encoding: str = "utf-8", *, terminal: bool = True) -> None:
        super().__init__(io.BytesIO(), encoding=encoding, newline="")
        self._terminal = terminal

    def isatty(self) -> bool:
        return self._terminal

    def written(self) -> str:
        self.flush()
        return self.buffer.getvalue().decode(self.encoding)  # type: ignore[attr-defined]


def test_the_whole_page(tower: Report) -> None:
    assert tower.to_text(width=72) == (
        "Question\n"
        "  Where is it?\n"
        "\n"
        "Answer\n"
        "  The tower stands in ⟦Berlin⟧, France. It is 330 metres tall.\n"
        "\n"
        "  - Smoking is not allowed.\n"
        "\n"
        "Sentences\n"
        "  0.90 ███████░ contradicted  The tower stands in ⟦Berlin⟧, France.\n"
        "  0.10 █░░░░░░░ supported     It is 330 metres tall.\n"
        "  0.10 █░░░░░░░ supported     - Smoking is not allowed.\n"
        "\n"
        "Why\n"
        "  0.90 ⟦Berlin⟧\n"
        "       a name differs: «Berlin» in the answer, «Paris» in the reference\n"
        "       reference 1: The tower stands in Paris (France).\n"
        "\n"
        "Verdict: Hallucinated, score 0.90\n"
        "  From 0.80 on, an answer counts as hallucinated: it says what the\n"
        "  references do not support.\n"
        "  1 passage is marked as unsupported: words that score 0.50 or more.\n"
        "  They stand in ⟦ ⟧.\n"
        "\n"
        "Detector cortex 0.1.0, thresholds set on hand-written answers\n"
        "Reader   tiny-reader (sha256:0123456789abc…)\n"
        "Note     The references were read in 3 windows of 2,048 tokens.\n"
    )


def test_explained(tower: Report) -> None:
    text = tower.to_text(width=72, explain=True)
    assert text.partition("Sentences\n")[2].partition("\nDetector")[0] == (
        "  0.90 ███████░ contradicted  The tower stands in ⟦Berlin⟧, France.\n"
        "       name in no reference +2.25\n"
        "  0.10 █░░░░░░░ supported     It is 330 metres tall.\n"
        "       reference 2, guide.pdf: The tower stands in Paris (France).\n"
        "  0.10 █░░░░░░░ supported     - Smoking is not allowed.\n"
        "\n"
        "Why\n"
        "  0.90 ⟦Berlin⟧\n"
        "       a name differs: «Berlin» in the answer, «Paris» in the reference\n"
        "       reference 1: The tower stands in Paris (France).\n"
        "       reference gain +1.50, similarity to the nearest text −0.75,\n"
        "       others +0.01\n"
        "\n"
        "Verdict: Hallucinated, score 0.90\n"
        "  From 0.80 on, an answer counts as hallucinated: it says what the\n"
        "  references do not support.\n"
        "  1 passage is marked as unsupported: words that score 0.50 or more.\n"
        "  They stand in ⟦ ⟧.\n"
        "  Signed numbers say what each signal adds to the log-odds; above 0, it\n"
        "  speaks for a hallucination.\n"
    )


def test_a_span_of_a_reader_alone_is_explained_by_its_signals_only_when_asked_for(make: Callable[..., Report]) -> None:
    report = make("In Berlin.", ["Berlin"])
    signals = replace(report, spans=(replace(report.spans[0], contributions={"reference_gain": 2.0}),))
    assert "\nWhy\n" not in signals.to_text()
    assert "\nWhy\n" not in report.to_text(explain=True)
    assert "This detector does not say what each signal adds." in report.to_text(explain=True)
    assert (
        "Why\n  0.90 ⟦Berlin⟧\n       the references hardly influence these words\n       reference gain +2.00\n"
        in signals.to_text(explain=True)
    )
    assert "signal" not in unjudged_report("Hello!", "no_claim", (), INFO).to_text(explain=True)


def test_both_models_are_named(tower: Report) -> None:
    both = replace(tower.detector, witness="cascade", embedder="tiny-encoder", embedder_fingerprint="sha256:02")
    text = replace(tower, detector=both).to_text()
    assert "Reader   tiny-reader (sha256:0123456789abc…)\nEncoder  tiny-encoder (sha256:02)\n" in text


def test_the_piece_that_differs_is_bold_in_colour(tower: Report) -> None:
    assert "The tower stands in \x1b[1mParis\x1b[0m (France)." in tower.to_text(color=True)


def test_a_narrow_window_gets_every_word_of_every_sentence(tower: Report) -> None:
    text = tower.to_text(width=40)
    assert "  0.90 ███████░ contradicted\n    The tower stands in ⟦Berlin⟧,\n    France.\n" in text
    assert max(map(cell_len, text.splitlines())) <= 40
    assert "…" not in text.partition("Reader")[0]


def test_ascii_signs_for_a_stream_that_has_no_others(tower: Report) -> None:
    text = tower.to_text(unicode=False)
    assert text.isascii()
    assert "in [[Berlin]], France" in text
    assert "0.90 #######. contradicted" in text
    assert 'a name differs: "Berlin" in the answer, "Paris" in the reference' in text
    assert tower.to_text(unicode=False, explain=True).isascii()


def test_colour_repeats_what_underlining_says(tower: Report) -> None:
    text = tower.to_text(color=True)
    assert "\x1b[1;4;31mBerlin\x1b[0m" in text
    assert "⟦" not in text
    assert "\x1b" not in tower.to_text(color=False)
    screen = pyte.Screen(80, 40)
    pyte.Stream(screen).feed(text.replace("\n", "\r\n"))
    column = screen.display[4].index("Berlin")
    assert all(screen.buffer[4][column + offset].underscore for offset in range(6))
    assert not screen.buffer[4][column - 1].underscore
    assert not screen.buffer[4][column + 6].underscore


@pytest.mark.parametrize("color", [True, False])
@pytest.mark.parametrize("width", [24, 40, 63, 64, 80, 100])
def test_hostile_text_stays_text(hostile: Report, width: int, color: bool) -> None:
    text = ESCAPE.sub("", hostile.to_text(width=width, color=color))
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text)
    flat = re.sub(r"\s", "", text)
    for piece in ("<U+001B>[2J", "[boldred]x[/]", "<U+202E>txt<U+202C>", "<U+009B>5m", "<U+000D>over"):
        assert piece in flat
    assert max(map(cell_len, text.splitlines())) <= width


def test_no_answer_can_fake_a_mark(hostile: Report) -> None:
    """The answer holds ⟦⟧ and [[ ]], so other brackets are taken, and named below."""
    text = hostile.to_text(width=100)
    assert "⟦>>>fake<<<⟧ [[fake]]" in text
    assert "They stand in >>> <<<." in " ".join(text.split())


def test_a_score_is_shown_on_its_side_of_the_threshold(hostile: Report) -> None:
    assert hostile.verdict == "review"
    assert "Verdict: Needs review, score 0.7996\n" in hostile.to_text()


def test_a_long_sentence_is_cut_visibly_and_its_mark_is_seen(make: Callable[..., Report]) -> None:
    start = "According to the annual report of the company that runs it, the tower had"
    text = make(f"{start} nine visitors in that year, which is a record.", ["nine"]).to_text(width=80)
    row = next(line for line in text.splitlines() if "0.90" in line)
    assert row == "  0.90 ███████░ unsupported  … the tower had ⟦nine⟧ visitors in that year, whic…"
    assert cell_len(row) == 80


def test_a_cut_mark_is_closed(make: Callable[..., Report]) -> None:
    words = "the tower had very many visitors from all over the world in that one year and the next"
    text = make(f"So {words}.", [words]).to_text(width=80)
    row = next(line for line in text.splitlines() if "0.90" in line)
    assert row == "  0.90 ███████░ unsupported  So ⟦the tower had very many visitors from all ove…⟧"
    assert cell_len(row) == 80


@pytest.mark.parametrize("width", [24, 40, 80])
def test_wide_characters_take_two_columns(make: Callable[..., Report], width: int) -> None:
    text = make("埃菲尔铁塔位于柏林，高三百三十米。" * 4 + "👨\u200d👩\u200d👧 e\u0301t\u00e9", ["柏林"]).to_text(
        width=width
    )
    screen = pyte.Screen(width, 100)
    pyte.Stream(screen).feed(text.replace("\n", "\r\n"))
    shown = [line.rstrip() for line in screen.display]
    # No line was wrapped by the terminal itself: there are as many rows as lines.
    assert len(text.splitlines()) == next(row for row in range(99, -1, -1) if shown[row]) + 1
    assert max(map(cell_len, text.splitlines())) <= width


@settings(deadline=None, max_examples=60)
@given(st.text(min_size=1, max_size=80), st.integers(24, 110))
def test_nothing_of_the_answer_is_lost(make: Callable[..., Report], answer: str, width: int) -> None:
    text = make(answer, [], score=0.1).to_text(width=width)
    section = text.partition("Answer\n")[2].partition("\nVerdict: ")[0]
    wanted, found = "".join(inert(answer).split()), "".join(section.split())
    assert found.startswith(wanted)


@pytest.mark.parametrize(
    ("environ", "terminal", "color"),
    [
        ({"TERM": "xterm-256color"}, True, True),
        ({}, True, True),
        ({"TERM": "xterm", "NO_COLOR": "1"}, True, False),
        ({"TERM": "xterm", "NO_COLOR": ""}, True, True),
        ({"TERM": "dumb"}, True, False),
        ({"TERM": "xterm"}, False, False),
        ({"TERM": "xterm", "FORCE_COLOR": "1"}, False, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False, False),
    ],
)
def test_when_there_is_colour(environ: dict[str, str], terminal: bool, color: bool) -> None:
    assert style_for(Terminal(terminal=terminal), environ).color is color


def test_width_and_signs_come_from_the_stream() -> None:
    assert style_for(Terminal(terminal=False), {}) == TerminalStyle(width=80, color=False, unicode=True)
    assert style_for(Terminal(terminal=False), {"COLUMNS": "57"}).width == 57
    assert style_for(Terminal(terminal=False), {"COLUMNS": "wide"}).width == 80
    assert style_for(Terminal("cp1252"), {}).unicode is False
    assert style_for(io.StringIO(), {}) == TerminalStyle(width=80, color=False, unicode=True)


def test_printing_to_a_pipe_that_lacks_the_characters(
    make: Callable[..., Report], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    stream = Terminal("ascii", terminal=False)
    make("Die Höhe: 世界.", ["Höhe"]).print(stream)
    assert "Die [[H\\xf6he]]: \\u4e16\\u754c." in stream.written()


def test_printing_to_standard_output(tower: Report, capsys: pytest.CaptureFixture[str]) -> None:
    print_report(tower)
    assert "Verdict: Hallucinated" in capsys.readouterr().out


INFO = DetectorInfo("gain", "0.1.0", "tiny-reader", "sha256:01", None)


def test_without_a_judgement() -> None:
    report = unjudged_report("Hello!", "no_claim", [Note("greeting", "This is a greeting.")], INFO)
    assert report.to_text() == (
        "Answer\n  Hello!\n\nSentences\n    –           no claim  Hello!\n\nVerdict: No claim\n"
        "  The answer states nothing that could be checked against the references.\n\n"
        "Detector gain 0.1.0, thresholds not calibrated\nReader   tiny-reader (sha256:01)\n"
        "Note     This is a greeting.\n"
    )
    empty = unjudged_report("", "not_verifiable", (), INFO).to_text()
    assert empty.startswith("Answer\n  (empty)\n\nVerdict: Not verifiable\n  The answer could not be checked.\n")


def test_grounded_answer_with_a_marked_passage(make: Callable[..., Report]) -> None:
    text = " ".join(make("In Berlin.", ["Berlin"], score=0.2).to_text().split())
    assert "an answer counts as grounded in its references. What is marked may still be worth a look." in text
    assert "No passage is marked: no word scores 0.50 or more." in make("In Paris.", score=0.2).to_text()


def test_verdict_when_nothing_lies_between_the_thresholds(tower: Report) -> None:
    assert tower.thresholds is not None
    same = replace(tower, thresholds=replace(tower.thresholds, review=0.8))
    assert render_text(same, TerminalStyle()) == render_text(tower, TerminalStyle())
