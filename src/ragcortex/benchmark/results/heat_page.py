"""Heat-maps of example answers as one HTML page: each method's scores as the ground of the text, no scripts.

The ground goes from none to orange in even steps of lightness, so that it needs no colour vision; what annotators
marked is underlined; each method's highest score stands beside its title in figures.
"""

from dataclasses import dataclass
from functools import cache
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

import regex

from ragcortex.benchmark.results.cells import short
from ragcortex.benchmark.results.heat_map import AnswerHeatMap, ExampleAnswers, HeatRow, Range
from ragcortex.benchmark.results.page_shell import page
from ragcortex.rendering.inert import inert, inert_line

if TYPE_CHECKING:
    from jinja2 import Template

N_STEPS: Final = 10
# Grounds in light and in dark: ink on the darkest has a contrast of 7 and 5 to 1 at least.
_LIGHT: Final = ((255, 255, 255), (240, 140, 40))
_DARK: Final = ((22, 25, 30), (150, 74, 0))
_HIGHEST_CHARACTERS: Final = 40
# Scores as large as this are printed without decimals.
_WHOLE_FROM: Final = 1000


def _ground(step: int, ends: tuple[tuple[int, int, int], tuple[int, int, int]]) -> str:
    low, high = ends
    return "#" + "".join(f"{round(a + (b - a) * step / N_STEPS):02x}" for a, b in zip(low, high, strict=True))


_RULES: Final = "\n".join(f".ragcortex .h{n} {{ background: {_ground(n, _LIGHT)}; }}" for n in range(1, N_STEPS + 1))
_DARK_RULES: Final = " ".join(f".ragcortex .h{n} {{ background: {_ground(n, _DARK)}; }}" for n in range(1, N_STEPS + 1))
HEAT_STYLE: Final = f"""
{_RULES}
@media screen and (prefers-color-scheme: dark) {{ {_DARK_RULES} }}
.ragcortex .heat {{ border: 1px solid var(--line); border-radius: .5rem; padding: .75rem 1rem; line-height: 1.9;
  color: var(--ink); }}
.ragcortex .heat span, .ragcortex .heat u, .ragcortex .scale-bar span {{ -webkit-box-decoration-break: clone;
  box-decoration-break: clone; padding: .0625rem 0; }}
.ragcortex u {{ text-decoration: underline solid var(--bad) .1875rem; text-underline-offset: .25rem;
  text-decoration-skip-ink: none; }}
.ragcortex .who {{ display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 1rem;
  margin: 1rem 0 .25rem; font-size: .875rem; }}
.ragcortex .who strong {{ font-weight: 600; }} .ragcortex .who span {{ color: var(--soft); }}
.ragcortex .scale-bar {{ display: flex; flex-wrap: wrap; align-items: center; font-size: .8125rem; margin: .75rem 0;
  font-variant-numeric: tabular-nums; }}
.ragcortex .scale-bar span {{ padding: .25rem .5rem; border-block: 1px solid var(--line); }}
.ragcortex details {{ margin: .5rem 0; font-size: .875rem; }} .ragcortex summary {{ cursor: pointer; }}
.ragcortex .reference {{ white-space: pre-wrap; overflow-wrap: anywhere; padding-inline-start: .75rem;
  border-inline-start: .1875rem solid var(--line); }}
.ragcortex .example {{ border-top: 1px solid var(--line); margin-top: 2rem; }}
@media print {{ .ragcortex .who {{ break-after: avoid; }} .ragcortex .heat span {{ print-color-adjust: exact;
  -webkit-print-color-adjust: exact; }} }}
"""

_TEMPLATE: Final = """
{%- macro text(pieces) -%}
{%- for one in pieces -%}
{%- if one.gold %}<u{% if one.ground %} class="h{{ one.ground }}"{% endif %}{% if one.score %} title="{{ one.score }}"
{%- endif %}>{{ one.text }}</u>
{%- elif one.ground %}<span class="h{{ one.ground }}" title="{{ one.score }}">{{ one.text }}</span>
{%- else %}{{ one.text }}{% endif -%}
{%- endfor -%}
{%- endmacro -%}
<h1>{{ title }}: example answers</h1>
<p>{{ chosen }}</p>
<div class="scale-bar" role="img" aria-label="Grounds from 0, grounded, to 1, hallucinated">score&nbsp;
{%- for step in steps %}<span class="{{ step.ground }}">{{ step.label }}</span>{% endfor %}
&emsp;<u>underlined</u>&nbsp;: annotated as hallucinated</div>
<p class="legend">The ground of a text is the score a method gives it, after smoothing.
Point at a text to read its score.</p>
{%- for answer in answers %}
<section class="example">
<h2>{{ answer.id }}</h2>
<p class="legend">{{ answer.facts }}</p>
{%- if answer.question %}
<p class="foreign question" lang="" dir="auto">{{ answer.question }}</p>
{%- endif %}
{%- if answer.references %}
<details><summary>{{ answer.n_references }}</summary>
{%- for reference in answer.references %}
<p class="foreign reference" lang="" dir="auto">{{ reference }}</p>
{%- endfor %}
</details>
{%- endif %}
{%- for row in answer.rows %}
<div class="who"><strong>{{ row.title }}</strong><span>{{ row.facts }}</span></div>
{%- if row.pieces %}
<div class="foreign heat" lang="" dir="auto">{{ text(row.pieces) }}</div>
{%- endif %}
{%- endfor %}
</section>
{%- endfor %}
"""


@dataclass(frozen=True, slots=True)
class _Piece:
    """A stretch of the answer: the step of its ground (0 for none), its highest score, and whether it is annotated."""

    text: str
    ground: int
    score: str
    gold: bool


def render_examples(examples: ExampleAnswers) -> str:
    """Return the page; all text of others is escaped, and characters that could reorder it are shown as such."""
    steps = [
        {"ground": f"h{n}", "label": f"{n / N_STEPS:.1f}".lstrip("0") if n < N_STEPS else "1"}
        for n in range(N_STEPS + 1)
    ]
    steps[0]["label"] = "0"
    body = _template().render(
        title=inert_line(examples.title),
        chosen=inert_line(examples.chosen),
        steps=steps,
        answers=[_answer(one) for one in examples.answers],
    )
    return page(f"{examples.title}: example answers", body, style=HEAT_STYLE)


def _answer(one: AnswerHeatMap) -> dict[str, Any]:
    known = (
        "not annotated" if one.gold is None else f"{len(one.gold)} annotated span{'s' if len(one.gold) != 1 else ''}"
    )
    facts = [known, f"{len(one.tokens)} tokens"]
    if one.generator is not None:
        facts.insert(0, f"written by {inert_line(one.generator)}")
    return {
        "id": inert_line(one.id),
        "facts": "; ".join(facts),
        "question": inert(one.question or ""),
        "references": [inert(reference) for reference in one.references],
        "n_references": "1 reference" if len(one.references) == 1 else f"{len(one.references)} references",
        "rows": [_row(one, row) for row in one.rows],
    }


def _row(answer: AnswerHeatMap, row: HeatRow) -> dict[str, Any]:
    facts = [] if row.answer is None else [_answer_score(row.answer)]
    pieces: list[_Piece] = []
    if row.scores is None:
        facts.append(f"no token scores: {inert_line(row.reason or '')}")
    elif row.scores:
        pieces = _pieces(answer, row.scores)
        facts.append(_highest(answer, row.scores))
    else:
        facts.append("the answer has no tokens")
    return {"title": inert_line(row.title), "facts": "; ".join(facts), "pieces": pieces}


def _answer_score(score: float) -> str:
    """Return the score of the whole answer; one that is no probability is said to be of its method's own scale."""
    if 0 <= score <= 1:
        return f"answer {short(score)}"
    digits = f"{score:,.0f}" if abs(score) >= _WHOLE_FROM else f"{score:.3g}"
    return f"answer score {digits.replace('-', '−')}, of its own scale"


def _highest(answer: AnswerHeatMap, scores: tuple[float, ...]) -> str:
    """Return the highest token score and where it stands; where the token is white space, what comes after it."""
    highest = max(range(len(scores)), key=lambda index: scores[index])
    for index in range(highest, len(scores)):
        start, end = answer.tokens[index]
        shown = inert_line(answer.answer[start:end])[:_HIGHEST_CHARACTERS]
        if shown:
            place = "at" if index == highest else "at the white space before"
            return f"highest {short(scores[highest])} {place} “{shown}”"
    return f"highest {short(scores[highest])}"


def _pieces(answer: AnswerHeatMap, scores: tuple[float, ...]) -> list[_Piece]:
    """Return the answer in stretches of one ground; no stretch ends inside a character that people see as one."""
    by_character: list[float | None] = [None] * len(answer.answer)
    for (start, end), score in zip(answer.tokens, scores, strict=True):
        for place in range(start, end):
            before = by_character[place]
            by_character[place] = score if before is None else max(before, score)
    marked = _inside(answer.gold or (), len(answer.answer))
    stretches = []
    for match in regex.finditer(r"\X", answer.answer):
        known = [one for one in by_character[match.start() : match.end()] if one is not None]
        highest = max(known) if known else None
        ground = 0 if highest is None else round(highest * N_STEPS)
        stretches.append((ground, any(marked[match.start() : match.end()]), highest, match.group()))
    pieces = []
    for (ground, gold), run in groupby(stretches, key=lambda one: one[:2]):
        members = list(run)
        found = [score for _, _, score, _ in members if score is not None]
        text = inert("".join(text for _, _, _, text in members))
        pieces.append(_Piece(text, ground, short(max(found)) if found else "", gold))
    return pieces


def _inside(ranges: tuple[Range, ...], length: int) -> list[bool]:
    marked = [False] * length
    for start, end in ranges:
        marked[start:end] = [True] * (end - start)
    return marked


@cache
def _template() -> "Template":
    from jinja2 import Environment, StrictUndefined

    return Environment(autoescape=True, undefined=StrictUndefined).from_string(_TEMPLATE)
