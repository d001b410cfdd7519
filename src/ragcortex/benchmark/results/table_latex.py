r"""A table as LaTeX for papers: booktabs, shrunk to the page where it is too large, all text escaped."""

import re
from typing import Final

from ragcortex.benchmark.results.table import Cell, Row, Table, group_ranges
from ragcortex.rendering.inert import inert_line

PREAMBLE: Final = r"\usepackage[T1]{fontenc} \usepackage{adjustbox,booktabs,textcomp}"
_ESCAPES: Final = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"\textquotedbl{}", "'": r"\textquotesingle{}", "`": r"\textasciigrave{}",
    "[": r"{[}", "]": r"{]}", "–": "--", "—": "---", "…": r"\ldots{}", "−": "$-$", "±": r"$\pm$", "×": r"$\times$",
    "·": r"$\cdot$", "≥": r"$\geq$", "≤": r"$\leq$", "≈": r"$\approx$", "→": r"$\rightarrow$", "∞": r"$\infty$",
    "↑": r"$\uparrow$", "↓": r"$\downarrow$", "α": r"$\alpha$", "β": r"$\beta$", "γ": r"$\gamma$", "δ": r"$\delta$",
    "ε": r"$\epsilon$", "λ": r"$\lambda$", "μ": r"$\mu$", "π": r"$\pi$", "ρ": r"$\rho$", "σ": r"$\sigma$",
    "τ": r"$\tau$", "φ": r"$\phi$", "ψ": r"$\psi$", "ω": r"$\omega$", "Δ": r"$\Delta$", "Σ": r"$\Sigma$",
    "Φ": r"$\Phi$", "Ω": r"$\Omega$", "Π": r"$\Pi$", "Λ": r"$\Lambda$", "\u00a0": "~", "“": "``", "”": "''",
    "‘": "`", "’": "'", "½": r"$\frac{1}{2}$", "²": r"\textsuperscript{2}", "³": r"\textsuperscript{3}",
}  # fmt: skip
_ALL: Final = re.compile("[" + re.escape("".join(_ESCAPES)) + "]")


def latex_text(text: str) -> str:
    r"""Return the text for LaTeX: shown as it is, no character acting as a command.

    Greek letters and signs that pdfLaTeX lacks become mathematics; other scripts stay and need LuaLaTeX or XeLaTeX.

    >>> latex_text("50 % of a_b")
    '50 \\% of a\\_b'
    """
    return _ALL.sub(lambda match: _ESCAPES[match[0]], inert_line(text))


def to_latex(table: Table) -> str:
    """Return a floating table with caption, label and notes; its first line says which packages it needs."""
    alignment = "".join("r" if column.numeric else "l" for column in table.columns)
    lines = [
        f"% In the preamble: {PREAMBLE}",
        r"\begin{table}[tp]",
        r"\centering",
        rf"\caption{{{latex_text(table.title)}}}",
        rf"\label{{tab:{re.sub('[^A-Za-z0-9]+', '-', table.name)}}}",
        r"\begin{adjustbox}{max width=\textwidth, max totalheight=.8\textheight}",
        rf"\begin{{tabular}}{{@{{}}{alignment}@{{}}}}",
        r"\toprule",
        *_headings(table),
        r"\midrule",
    ]
    for index, row in enumerate(table.rows):
        if index and _ruled(table.rows[index - 1], row):
            lines.append(r"\midrule")
        lines.append(_row(table, row))
    lines += [r"\bottomrule", r"\end{tabular}", r"\end{adjustbox}"]
    return "\n".join([*lines, *_notes(table), r"\end{table}"]) + "\n"


def _ruled(before: Row, row: Row) -> bool:
    return row.kind == "section" or (row.kind == "base rate" and before.kind != "base rate")


def _headings(table: Table) -> list[str]:
    lines = []
    ranges = group_ranges(table.columns)
    if any(name for name, _, _ in ranges):
        cells = [rf"\multicolumn{{{end - start}}}{{c}}{{{latex_text(name)}}}" for name, start, end in ranges]
        rules = [rf"\cmidrule(lr){{{start + 1}-{end}}}" for name, start, end in ranges if name]
        lines += [" & ".join(cells) + r" \\", " ".join(rules)]
    return [*lines, " & ".join(latex_text(column.heading) for column in table.columns) + r" \\"]


def _row(table: Table, row: Row) -> str:
    if row.kind == "section":
        return rf"\multicolumn{{{len(table.columns)}}}{{@{{}}l}}{{\emph{{{latex_text(row.cells[0].text)}}}}} \\"
    return " & ".join(_cell(table, cell) for cell in row.cells) + r" \\"


def _cell(table: Table, cell: Cell) -> str:
    value = latex_text(cell.text) + latex_text(cell.mark)
    value = rf"\textbf{{{value}}}" if cell.best else value
    interval = rf"\,{{\scriptsize {latex_text(cell.interval)}}}" if cell.interval else ""
    number = "" if cell.reason is None else rf"\textsuperscript{{{table.footnotes.index(cell.reason) + 1}}}"
    return value + interval + number


def _notes(table: Table) -> list[str]:
    numbered = [
        rf"\textsuperscript{{{number}}} {latex_text(reason)}." for number, reason in enumerate(table.footnotes, start=1)
    ]
    sentences = [*numbered, *(latex_text(note) for note in table.notes)]
    if not sentences:
        return []
    return [r"\begin{flushleft}", r"\footnotesize", "\\\\\n".join(sentences), r"\end{flushleft}"]
