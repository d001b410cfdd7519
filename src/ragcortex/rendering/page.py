"""The stylesheet and the template of the HTML report. Every rule is inside `.ragcortex`: a notebook keeps its own."""

from typing import Final

STYLE: Final = """
.ragcortex {
  --paper: #ffffff; --ink: #1d2127; --soft: #59616d; --line: #d9dde3; --panel: #f6f7f9;
  --good: #17693a; --warn: #7a5200; --bad: #a3201a;
  --good-wash: #e2f3e8; --warn-wash: #fdf0d0; --bad-wash: #fde3e0; --mark: #ffd5d0; --mark-ink: #5f0f0a;
  --zone-good: #3f9b63; --zone-warn: #d9a02b; --zone-bad: #cf4a40;
  color-scheme: light dark; box-sizing: border-box; max-width: 60rem; margin: 0 auto; padding: 1.5rem;
  background: var(--paper); color: var(--ink); font: 1rem/1.55 system-ui, "Segoe UI", Roboto, "Noto Sans", sans-serif;
  overflow-wrap: anywhere;
}
@media (prefers-color-scheme: dark) { .ragcortex {
  --paper: #16191e; --ink: #e7eaee; --soft: #a7afba; --line: #373d46; --panel: #1f242b;
  --good: #7fd6a0; --warn: #f0c46a; --bad: #ff9d95;
  --good-wash: #173524; --warn-wash: #3a2e10; --bad-wash: #451d1a; --mark: #6b201a; --mark-ink: #ffe6e3;
} }
.ragcortex * { box-sizing: border-box; }
.ragcortex h1, .ragcortex h2, .ragcortex p, .ragcortex dl, .ragcortex dd, .ragcortex ul { margin: 0; }
.ragcortex h2 { font-size: .8125rem; font-weight: 600; letter-spacing: .05em; text-transform: uppercase;
  color: var(--soft); margin: 1.75rem 0 .5rem; }
.ragcortex .verdict { border: 1px solid var(--line); border-left: .375rem solid var(--tone, var(--soft));
  border-radius: .5rem; background: var(--wash, var(--panel)); padding: 1rem 1.25rem; }
.ragcortex .verdict h1 { font-size: 1.375rem; line-height: 1.25; color: var(--tone, var(--ink)); background: none;
  display: flex; flex-wrap: wrap; gap: 0 1rem; justify-content: space-between; align-items: baseline; }
.ragcortex .verdict h1 small { font-size: 1rem; font-weight: 600; font-variant-numeric: tabular-nums; }
.ragcortex .verdict p { margin-top: .375rem; }
.ragcortex .grounded, .ragcortex .supported { --tone: var(--good); --wash: var(--good-wash); }
.ragcortex .review { --tone: var(--warn); --wash: var(--warn-wash); }
.ragcortex .hallucinated, .ragcortex .unsupported, .ragcortex .contradicted {
  --tone: var(--bad); --wash: var(--bad-wash); }
.ragcortex svg { display: block; }
.ragcortex .scale { width: 100%; height: 2.125rem; margin-top: .75rem; overflow: visible; }
.ragcortex .scale text { font-size: .75rem; fill: var(--ink); font-variant-numeric: tabular-nums; }
.ragcortex .zone-good { fill: var(--zone-good); }
.ragcortex .zone-warn { fill: var(--zone-warn); }
.ragcortex .zone-bad { fill: var(--zone-bad); }
.ragcortex .needle { fill: var(--ink); stroke: var(--wash, var(--paper)); }
.ragcortex .foreign { white-space: pre-wrap; unicode-bidi: plaintext; text-align: start; }
.ragcortex .question { color: var(--soft); }
.ragcortex .answer { border: 1px solid var(--line); border-radius: .5rem; padding: 1rem 1.25rem; font-size: 1.0625rem;
  line-height: 1.75; }
.ragcortex mark { background: var(--mark); color: var(--mark-ink); border-bottom: 2px solid var(--bad);
  border-radius: .1875rem .1875rem 0 0; padding: .0625rem .125rem; -webkit-box-decoration-break: clone;
  box-decoration-break: clone; }
.ragcortex mark + sup { user-select: none; font-size: .6875rem; font-weight: 700; color: var(--bad); line-height: 1;
  padding-left: .125rem; unicode-bidi: isolate; }
.ragcortex .legend { color: var(--soft); font-size: .875rem; margin-top: .5rem; }
.ragcortex td .legend { margin-top: 0; }
.ragcortex table { width: 100%; border-collapse: collapse; background: none; }
.ragcortex th { text-align: left; white-space: nowrap; font-size: .8125rem; font-weight: 600; color: var(--soft);
  padding: .25rem .75rem .25rem 0; border: 0; border-bottom: 1px solid var(--line); background: none; }
.ragcortex td { text-align: left; vertical-align: top; padding: .5rem .75rem .5rem 0; border: 0;
  border-bottom: 1px solid var(--line); color: var(--ink); background: none; }
.ragcortex td.number, .ragcortex td.state { white-space: nowrap; width: 1%; font-variant-numeric: tabular-nums; }
.ragcortex td.state { color: var(--tone, var(--soft)); font-weight: 600; }
.ragcortex .bar { width: 5rem; height: .5rem; margin-top: .25rem; border-radius: .25rem; }
.ragcortex .bar .rail { fill: var(--line); } .ragcortex .bar .fill { fill: var(--tone, var(--soft)); }
.ragcortex .evidence { margin-top: .25rem; padding-left: .75rem; border-left: 2px solid var(--line);
  color: var(--soft); font-size: .9375rem; }
.ragcortex .evidence strong { color: var(--ink); font-weight: 600; }
.ragcortex .source, .ragcortex .signals { margin-top: .125rem; color: var(--soft); font-size: .8125rem; }
.ragcortex .signals { font-variant-numeric: tabular-nums; }
.ragcortex .notes { padding-left: 1.25rem; }
.ragcortex dl { display: grid; grid-template-columns: max-content 1fr; gap: .125rem 1rem; font-size: .875rem;
  color: var(--soft); border-top: 1px solid var(--line); margin-top: 1.75rem; padding-top: 1rem; }
.ragcortex dt { font-weight: 600; }
@media (max-width: 36rem) {
  .ragcortex { padding: 1rem; } .ragcortex thead { display: none; }
  .ragcortex tr { display: flex; flex-wrap: wrap; gap: 0 1rem; border-bottom: 1px solid var(--line); padding: .5rem 0; }
  .ragcortex td, .ragcortex td.number, .ragcortex td.state { border: 0; padding: 0; width: auto; }
  .ragcortex td.wide { flex-basis: 100%; }
}
@media print {
  .ragcortex { --paper: #ffffff; --ink: #000000; --soft: #444444; --line: #bbbbbb; --panel: #ffffff; --good: #17693a;
    --warn: #7a5200; --bad: #a3201a; --good-wash: #ffffff; --warn-wash: #ffffff; --bad-wash: #ffffff; --mark: #ffe3df;
    --mark-ink: #000000; max-width: none; padding: 0; font-size: 10.5pt; print-color-adjust: exact;
    -webkit-print-color-adjust: exact; }
  .ragcortex tr, .ragcortex .verdict { break-inside: avoid; } .ragcortex h2 { break-after: avoid; }
}
"""

PAGE_STYLE: Final = """
html { background: #ffffff; } body { margin: 0; }
@media (prefers-color-scheme: dark) { html { background: #16191e; } }
@media print { html { background: #ffffff; } }
"""

TEMPLATE: Final = """
{%- macro pieces(parts) -%}
{%- for part in parts -%}
{%- if part.number -%}
<mark title="unsupported, score {{ part.score }}">{{ part.text }}</mark>
{%- if part.last %}<sup aria-label="passage {{ part.number }}">{{ part.number }}</sup>{% endif -%}
{%- else -%}{{ part.text }}{%- endif -%}
{%- endfor -%}
{%- endmacro -%}
{%- macro bar(score) -%}
<svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
<rect class="rail" width="100" height="10"/><rect class="fill" width="{{ '%.1f' % (score * 100) }}" height="10"/></svg>
{%- endmacro -%}
{%- macro reference(evidence) -%}
{{ evidence.name }}: <bdi class="foreign" lang="" dir="auto">
{%- for one in evidence.fragments -%}
{%- if one.is_piece %}<strong>{{ one.text }}</strong>{% else %}{{ one.text }}{% endif -%}
{%- endfor -%}
</bdi>
{%- endmacro -%}
<article class="ragcortex" lang="en" dir="ltr">
<header class="verdict {{ report.verdict }}">
<h1>{{ verdict }}{% if report.score is not none %} <small>score {{ score }}</small>{% endif %}</h1>
<p>{{ explanation }}</p>
{%- if scale %}
<svg class="scale" role="img" aria-label="{{ scale.spoken }}">
{%- for zone in scale.zones %}
<rect class="zone-{{ zone.tone }}" x="{{ zone.left }}%" y="8" width="{{ zone.width }}%" height="8"/>
{%- endfor %}
<svg x="{{ scale.needle }}%" y="0" width="1" height="24" overflow="visible">
<rect class="needle" x="-3" y="2" width="6" height="20" rx="2" stroke-width="2"/></svg>
{%- for tick in scale.ticks %}
<text x="{{ tick.left }}%" y="33" text-anchor="{{ tick.anchor }}">{{ tick.label }}</text>
{%- endfor %}
</svg>
{%- endif %}
</header>
{%- if report.question is not none %}
<h2>Question</h2>
<p class="foreign question" lang="" dir="auto">{{ question }}</p>
{%- endif %}
<h2>Answer</h2>
<div class="foreign answer" lang="" dir="auto">
{%- if report.answer %}{{ pieces(answer) }}{% else %}(empty){% endif -%}
</div>
{%- if legend %}
<p class="legend">
{%- if spans %}<mark>Like this</mark>: {% endif -%}
{{ legend }} Scores run from 0, grounded, to 1, hallucinated.{% if explained %} {{ explained }}{% endif %}</p>
{%- endif %}
{%- if spans %}
<h2>Marked passages</h2>
<table>
<thead><tr><th scope="col">No.</th><th scope="col">Score</th><th scope="col">Passage and reason</th></tr></thead>
<tbody>
{%- for span in spans %}
<tr><td class="number">{{ loop.index }}</td><td class="number unsupported">{{ span.score }}</td><td class="wide">
<div class="foreign" lang="" dir="auto">{{ span.text }}</div><div class="legend">{{ span.reasons }}</div>
{%- for evidence in span.evidence %}
<div class="evidence">{{ reference(evidence) }}</div>
{%- endfor %}
{%- if span.contributions %}<div class="signals">{{ span.contributions }}</div>{% endif %}</td></tr>
{%- endfor %}
</tbody>
</table>
{%- endif %}
{%- if sentences %}
<h2>Sentences</h2>
<table>
<thead><tr><th scope="col">Score</th><th scope="col">State</th><th scope="col">Sentence</th></tr></thead>
<tbody>
{%- for sentence in sentences %}
<tr class="{{ sentence.state }}"><td class="number">
{%- if sentence.score is none %}–{% else %}{{ sentence.label }}{{ bar(sentence.score) }}{% endif -%}
</td><td class="state">{{ sentence.state_label }}</td>
<td class="wide"><div class="foreign" lang="" dir="auto">{{ pieces(sentence.parts) }}</div>
{%- for source in sentence.sources %}<div class="source">{{ reference(source) }}</div>{% endfor %}
{%- if sentence.contributions %}<div class="signals">{{ sentence.contributions }}</div>{% endif %}</td></tr>
{%- endfor %}
</tbody>
</table>
{%- endif %}
{%- if notes %}
<h2>Notes</h2>
<ul class="notes">{% for note in notes %}<li>{{ note }}</li>{% endfor %}</ul>
{%- endif %}
<dl><dt>Detector</dt><dd>{{ detector }}</dd>
{%- for model in models %}<dt>{{ model.role }}</dt><dd>{{ model.name }}</dd>{% endfor %}
{%- if report.id is not none %}<dt>Answer id</dt><dd><bdi>{{ id }}</bdi></dd>{% endif %}</dl>
</article>
"""
