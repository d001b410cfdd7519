"""Tables as Markdown, CSV, LaTeX and on a terminal: whatever a name holds, it is shown as it is and breaks nothing."""

import csv
import io
import re

import made_document as made
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from rich.console import Console
from selectolax.lexbor import LexborHTMLParser
from test_result_document import words

from ragcortex.benchmark.results.published import beside_published
from ragcortex.benchmark.results.table import Cell, Column, Row, Table, missing_cell, section, text_cell
from ragcortex.benchmark.results.table_files import run_tables
from ragcortex.benchmark.results.table_latex import latex_text, to_latex
from ragcortex.benchmark.results.table_text import markdown_text, plain_cell, to_csv, to_markdown, to_rich
from ragcortex.errors import InputError
from ragcortex.rendering.inert import inert_line

ODD = "50 % of $x_1 & <b>#2</b> {a|b} ~^\\`*'\"[c]"


def table(*rows, **changes):
    columns = (Column("name", "method", numeric=False), Column("value", "AP", "token", interval=True))
    fields = {"name": "t", "title": "A table", "columns": columns, "rows": rows, "notes": ("A note.",)}
    return Table(**{**fields, **changes})


def shown(markdown):
    """Return the cells of a Markdown table as a reader sees them."""
    page = LexborHTMLParser(MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(markdown))
    return [[cell.text() for cell in row.css("th, td")] for row in page.css("tr")]


@given(words)
@example(ODD)
@example("*a* **b** __c__ ~~d~~ &amp; <i> [x](y) ![z](w) `q` a|b \\| \\")
def test_any_name_is_shown_as_it_is_in_markdown(text):
    cells = shown(to_markdown(table(Row("method", (text_cell(text), Cell(".5", 0.5))))))
    assert cells == [["method", "token AP"], [inert_line(text), ".5"]]


def test_footnotes_are_numbered_in_the_order_they_are_met_and_shared():
    first, second = missing_cell("no spans"), missing_cell("failed: a | b")
    made_table = table(
        Row("method", (text_cell("a"), first)), section("more"), Row("method", (text_cell("b"), second)),
        Row("method", (text_cell("c"), first)),
    )  # fmt: skip
    assert to_markdown(made_table) == (
        "| method | token AP |\n| --- | ---: |\n| a | –¹ |\n| *more* |  |\n| b | –² |\n| c | –¹ |\n\n"
        "* ¹ No spans.\n* ² Failed: a \\| b.\n* A note.\n"
    )


def test_bold_and_an_arrow_both_survive_markdown():
    cell = Cell(".5", 0.5, best=True, mark="↑", reason="why")
    text = to_markdown(table(Row("method", (text_cell("a"), cell))))
    assert "| **.5**↑¹ |" in text
    assert "<strong>.5</strong>↑¹" in MarkdownIt("commonmark").enable("table").render(text)


@given(st.lists(st.tuples(words, st.floats(0, 1)), max_size=4))
def test_csv_read_again_has_the_text_and_the_number_to_the_last_bit(rows):
    made_table = table(*(Row("method", (text_cell(name), Cell("x", value, value, value))) for name, value in rows))
    lines = list(csv.reader(io.StringIO(to_csv(made_table), newline="")))
    assert lines[0] == ["kind", "name", "value", "value_low", "value_high"]
    assert [(line[1], *map(float, line[2:])) for line in lines[1:]] == [(name, *[value] * 3) for name, value in rows]


def test_latex_escapes_every_character_that_acts():
    assert latex_text("a & b % c $ d # e _ f { g } h") == r"a \& b \% c \$ d \# e \_ f \{ g \} h"
    assert latex_text("~ ^ \\") == r"\textasciitilde{} \textasciicircum{} \textbackslash{}"
    assert latex_text("[a] <b> |c| \"d\" 'e' `f`") == (
        r"{[}a{]} \textless{}b\textgreater{} \textbar{}c\textbar{} \textquotedbl{}d\textquotedbl{} "
        r"\textquotesingle{}e\textquotesingle{} \textasciigrave{}f\textasciigrave{}"
    )
    assert latex_text("Δh – 5 × σ ≥ ½") == r"$\Delta$h -- 5 $\times$ $\sigma$ $\geq$ $\frac{1}{2}$"
    assert latex_text("línea 語\x07") == "línea 語\\textless{}U+0007\\textgreater{}"


def strict_latex(text):
    """Return the text with its commands read away, refusing what TeX would stop at or take for a command of its own."""
    known = {
        "textbackslash": "\\", "textasciitilde": "~", "textasciicircum": "^", "textless": "<", "textgreater": ">",
        "textbar": "|", "textquotedbl": '"', "textquotesingle": "'", "textasciigrave": "`",
    }  # fmt: skip
    out, at = "", 0
    while at < len(text):
        rest = text[at:]
        command = re.match(r"\\([A-Za-z]+)\{\}", rest)
        if command:
            out, at = out + known[command[1]], at + len(command[0])
        elif rest[:2] in ("\\{", "\\}", "\\$", "\\&", "\\#", "\\%", "\\_"):
            out, at = out + rest[1], at + 2
        elif rest[:3] in ("{[}", "{]}"):
            out, at = out + rest[1], at + 3
        else:
            assert rest[0] not in "\\{}$&#%_~^", rest
            out, at = out + rest[0], at + 1
    return out


@given(st.text(st.characters(min_codepoint=32, max_codepoint=126)))
@example(ODD)
@example("\\textbackslash{} \\\\ {}{")
def test_any_ascii_text_can_be_read_back_from_latex(text):
    assert strict_latex(latex_text(text)) == inert_line(text)


def check_structure(text):
    """Refuse LaTeX whose groups, environments or numbers of columns do not match."""
    bare = re.sub(r"\\[\\{}$&#%_]", lambda found: " \n " if found[0] == "\\\\" else "", text.split("\n", 1)[1])
    depth = 0
    for one in bare:
        depth += {"{": 1, "}": -1}.get(one, 0)
        assert depth >= 0
    assert depth == 0
    assert bare.count("$") % 2 == 0
    opened = []
    for kind, name in re.findall(r"\\(begin|end)\{(\w+)\}", bare):
        if kind == "begin":
            opened.append(name)
        else:
            assert opened.pop() == name
    assert not opened
    alignment = re.search(r"\\begin\{tabular\}\{@\{\}([lr]+)@\{\}\}", text)[1]
    body = text.split("\\toprule\n")[1].split("\\bottomrule")[0]
    for line in body.splitlines():
        if line.endswith(r"\\"):
            cells = re.sub(r"\\&", "", line).split("&")
            spanned = [int(found[1]) if (found := re.search(r"\\multicolumn\{(\d+)\}", cell)) else 1 for cell in cells]
            assert sum(spanned) == len(alignment), line


@pytest.mark.parametrize("made_table", [*run_tables(made.whole()), *beside_published(made.whole())],
                         ids=lambda one: one.name)  # fmt: skip
def test_every_table_of_a_run_is_sound_latex_and_markdown(made_table):
    text = to_latex(made_table)
    check_structure(text)
    for line in text.splitlines()[1:]:
        assert not re.search(r"(?<!\\)%", line)
    rows = shown(to_markdown(made_table))
    assert {len(row) for row in rows} == {len(made_table.columns)}
    assert len(rows) == len(made_table.rows) + 1
    assert [row[0] for row in rows[1:]] == [plain_cell(made_table, row.cells[0]) for row in made_table.rows]


def test_a_latex_table_to_the_letter():
    odd = Cell(".500", 0.5, 0.4, 0.6, "[.400, .600]", best=True, mark="↑")
    rows = (
        Row("method", (text_cell("Δ & c"), odd)),
        section("more"),
        Row("control", (text_cell("b"), missing_cell("none"))),
    )
    assert to_latex(table(*rows, name="by task", notes=("100 %.",))) == (
        "% In the preamble: \\usepackage[T1]{fontenc} \\usepackage{adjustbox,booktabs,textcomp}\n"
        "\\begin{table}[tp]\n\\centering\n\\caption{A table}\n\\label{tab:by-task}\n"
        "\\begin{adjustbox}{max width=\\textwidth, max totalheight=.8\\textheight}\n"
        "\\begin{tabular}{@{}lr@{}}\n\\toprule\n"
        "\\multicolumn{1}{c}{} & \\multicolumn{1}{c}{token} \\\\\n\\cmidrule(lr){2-2}\n"
        "method & AP \\\\\n\\midrule\n"
        "$\\Delta$ \\& c & \\textbf{.500$\\uparrow$}\\,{\\scriptsize {[}.400, .600{]}} \\\\\n"
        "\\midrule\n\\multicolumn{2}{@{}l}{\\emph{more}} \\\\\n"
        "b & --\\textsuperscript{1} \\\\\n"
        "\\bottomrule\n\\end{tabular}\n\\end{adjustbox}\n"
        "\\begin{flushleft}\n\\footnotesize\n\\textsuperscript{1} none.\\\\\n100 \\%.\n\\end{flushleft}\n\\end{table}\n"
    )


def test_a_terminal_shows_names_as_text_and_never_as_markup():
    rows = (Row("method", (text_cell("[red]a[/red]"), Cell(".500", 0.5, interval="[.400, .600]"))), section("more"))
    console = Console(file=io.StringIO(), width=100, color_system=None)
    console.print(to_rich(table(*rows)))
    text = console.file.getvalue()
    assert "[red]a[/red]" in text
    assert ".500 [.400, .600]" in text
    assert "A note." in text


def test_a_row_of_the_wrong_length_is_refused():
    with pytest.raises(InputError) as caught:
        table(Row("method", (text_cell("a"),)))
    assert str(caught.value) == "rows[0]: must have 2 cells, got 1"


def test_markdown_text_leaves_plain_words_alone():
    assert markdown_text("CORTEX, p = .05; 5-fold (by source) Δh") == "CORTEX, p = .05; 5-fold (by source) Δh"
