"""The stylesheet, the script and the template of the map's page.

The script is given no data: it reads the points' places from the drawing and their texts from the list under it, which
the template has escaped, and shows them as text only.
"""

from typing import Final

STYLE: Final = """
:root { --paper: #ffffff; --ink: #1d2127; --soft: #59616d; --line: #d9dde3; --panel: #f6f7f9; --here: #fff3c4;
  color-scheme: light dark; }
@media (prefers-color-scheme: dark) { :root { --paper: #16191e; --ink: #e7eaee; --soft: #a7afba; --line: #373d46;
  --panel: #1f242b; --here: #4a3d12; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); overflow-wrap: anywhere;
  font: 1rem/1.5 system-ui, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
main { max-width: 68rem; margin: 0 auto; padding: 1.5rem; }
h1 { font-size: 1.375rem; line-height: 1.25; margin: 0; }
h2, summary { font-size: 1rem; font-weight: 600; margin: 1.75rem 0 .5rem; }
summary { cursor: pointer; }
.caption { margin: .5rem 0 1rem; color: var(--soft); }
.caption strong { color: var(--ink); }
fieldset { border: 0; margin: 0 0 .5rem; padding: 0; display: flex; flex-wrap: wrap; gap: .25rem 1.25rem;
  align-items: center; }
legend { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
label, .tools { display: inline-flex; gap: .375rem; align-items: center; font-size: .9375rem; }
.tools { margin-left: auto; }
button { font: inherit; min-width: 2.25rem; border: 1px solid var(--line); border-radius: .375rem; cursor: pointer;
  background: var(--panel); color: var(--ink); }
.key { width: 1.125rem; height: 1.125rem; flex: none; }
.stage { position: relative; border: 1px solid var(--line); border-radius: .5rem; overflow: hidden; }
.stage:focus-visible, button:focus-visible, input:focus-visible, summary:focus-visible {
  outline: 3px solid #0072B2; outline-offset: 2px; }
.plane { display: block; width: 100%; height: auto; touch-action: pan-y; cursor: crosshair; }
.plane.moved { touch-action: none; cursor: grab; }
.shape { transform: scale(var(--shrink, 1)); stroke: var(--ink); stroke-width: 1; vector-effect: non-scaling-stroke; }
.shape.hollow { fill: var(--paper); stroke-width: 1.75; }
.shape.reference { stroke: none; fill-opacity: .6; }
.ring { fill: none; stroke: var(--ink); stroke-width: 2.5; vector-effect: non-scaling-stroke; visibility: hidden;
  pointer-events: none; }
.ring.on { visibility: visible; }
.hidden { display: none; }
.axes { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 1rem; font-size: .875rem;
  color: var(--soft); margin: .25rem 0 0; }
.tip { position: absolute; left: 0; top: 0; max-width: min(28rem, 90%); padding: .5rem .75rem; visibility: hidden;
  background: var(--paper); border: 1px solid var(--soft); border-radius: .5rem; pointer-events: none;
  font-size: .9375rem; box-shadow: 0 2px 10px rgb(0 0 0 / .25); }
.tip.on { visibility: visible; }
.tip b { display: block; font-size: .8125rem; }
.tip div { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 8; overflow: hidden; }
.foreign { white-space: pre-wrap; unicode-bidi: isolate; text-align: start; }
table { width: 100%; border-collapse: collapse; font-size: .9375rem; }
th { text-align: left; font-size: .8125rem; color: var(--soft); }
th, td { vertical-align: top; padding: .375rem .75rem .375rem 0; border-bottom: 1px solid var(--line); }
td.kind { white-space: nowrap; width: 1%; }
td.source { width: 20%; color: var(--soft); }
tr:target { background: var(--here); scroll-margin-top: 1rem; }
@media print { .tools, .tip { display: none; } }
"""

SCRIPT: Final = """
"use strict";
(() => {
  const find = (name) => document.querySelector(name);
  const stage = find(".stage"), plane = find(".plane"), ring = find(".ring"), tip = find(".tip");
  const whole = plane.viewBox.baseVal, width = whole.width, height = whole.height;
  const points = Array.from(plane.querySelectorAll(".point"), (link) => {
    const use = link.firstElementChild;
    return { link, x: Number(use.getAttribute("x")), y: Number(use.getAttribute("y")) };
  });
  let view = { x: 0, y: 0, width: width }, current = null, drag = null;
  const scale = () => view.width / width;
  const visible = () => points.filter((point) => !point.link.parentNode.classList.contains("hidden"));

  function show(point) {
    current = point;
    ring.classList.toggle("on", point !== null);
    tip.classList.toggle("on", point !== null);
    if (point === null) { tip.replaceChildren(); return; }
    ring.setAttribute("cx", point.x);
    ring.setAttribute("cy", point.y);
    ring.setAttribute("r", 10 * scale());
    const row = document.getElementById(point.link.getAttribute("href").slice(1));
    const head = document.createElement("b"), text = document.createElement("div");
    const source = row.querySelector(".source").textContent;
    head.className = text.className = "foreign";
    head.dir = text.dir = "auto";
    head.textContent = row.querySelector(".kind").textContent.trim() + (source ? " · " + source : "");
    text.textContent = row.querySelector(".text").textContent;
    tip.replaceChildren(head, text);
    const ratio = plane.clientWidth / view.width;
    const left = (point.x - view.x) * ratio, top = (point.y - view.y) * ratio;
    const beside = left + 16 + tip.offsetWidth > stage.clientWidth ? left - 16 - tip.offsetWidth : left + 16;
    tip.style.left = Math.max(4, Math.min(beside, stage.clientWidth - tip.offsetWidth - 4)) + "px";
    tip.style.top = Math.max(4, Math.min(top + 12, stage.clientHeight - tip.offsetHeight - 4)) + "px";
  }

  function look(x, y, wide) {
    const size = Math.min(width, Math.max(width / 64, wide)), tall = (size * height) / width;
    view = { x: Math.min(Math.max(x, 0), width - size), y: Math.min(Math.max(y, 0), height - tall), width: size };
    plane.setAttribute("viewBox", [view.x, view.y, size, tall].join(" "));
    plane.style.setProperty("--shrink", String(scale()));
    plane.classList.toggle("moved", size < width);
    show(current);
  }

  function zoom(factor, at) {
    const wide = Math.min(width, Math.max(width / 64, view.width * factor)), kept = wide / view.width;
    look(at.x - (at.x - view.x) * kept, at.y - (at.y - view.y) * kept, wide);
  }

  function place(event) {
    const box = plane.getBoundingClientRect(), ratio = view.width / box.width;
    return { x: view.x + (event.clientX - box.left) * ratio, y: view.y + (event.clientY - box.top) * ratio, ratio };
  }

  const middle = () => current || { x: view.x + view.width / 2, y: view.y + (view.width * height) / width / 2 };
  const commands = { in: () => zoom(0.5, middle()), out: () => zoom(2, middle()), all: () => look(0, 0, width) };

  function nearest(from, reach, allowed) {
    let best = null, least = reach;
    for (const point of visible()) {
      const distance = Math.hypot(point.x - from.x, point.y - from.y);
      if (distance <= least && allowed(point)) { best = point; least = distance; }
    }
    return best;
  }

  function step(across, down) {
    if (current === null) { show(visible().at(-1) || null); return; }
    const from = current;
    const next = nearest(from, Infinity, (point) => {
      const x = point.x - from.x, y = point.y - from.y, ahead = x * across + y * down;
      return point !== from && ahead > 0 && ahead >= Math.abs(x * down + y * across);
    });
    if (next === null) return;
    current = next;
    const tall = (view.width * height) / width;
    const inside = next.x >= view.x && next.x <= view.x + view.width && next.y >= view.y && next.y <= view.y + tall;
    if (inside) show(next); else look(next.x - view.width / 2, next.y - tall / 2, view.width);
  }

  plane.addEventListener("pointermove", (event) => {
    const at = place(event);
    if (drag) { look(view.x + drag.x - at.x, view.y + drag.y - at.y, view.width); return; }
    show(nearest(at, 14 * at.ratio, () => true));
  });
  plane.addEventListener("pointerdown", (event) => {
    if (view.width < width && event.button === 0) { drag = place(event); }
  });
  addEventListener("pointerup", () => { drag = null; });
  plane.addEventListener("dragstart", (event) => event.preventDefault());
  plane.addEventListener("pointerleave", () => { if (!drag && document.activeElement !== stage) show(null); });
  plane.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    zoom(event.deltaY > 0 ? 1.25 : 0.8, place(event));
  }, { passive: false });
  stage.addEventListener("blur", () => show(null));
  stage.addEventListener("keydown", (event) => {
    const keys = {
      ArrowLeft: () => step(-1, 0), ArrowRight: () => step(1, 0),
      ArrowUp: () => step(0, -1), ArrowDown: () => step(0, 1),
      "+": commands.in, "-": commands.out, 0: commands.all, Escape: () => show(null),
      Enter: () => { if (current) location.hash = current.link.getAttribute("href"); },
    };
    if (event.target !== stage || event.altKey || event.ctrlKey || event.metaKey || !keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });
  for (const button of document.querySelectorAll("button")) {
    button.addEventListener("click", () => commands[button.value]());
  }
  for (const box of document.querySelectorAll("input")) {
    box.addEventListener("change", () => {
      plane.querySelector(".layer." + box.value).classList.toggle("hidden", !box.checked);
      show(null);
    });
  }
})();
"""

TEMPLATE: Final = """
{%- macro key(kind) -%}
<svg class="key" viewBox="-9 -9 18 18" aria-hidden="true"><use href="#shape-{{ kind }}"/></svg>
{%- endmacro -%}
{%- macro listing(rows) -%}
<table>
<thead><tr><th scope="col">Kind</th><th scope="col">Text</th><th scope="col">From</th></tr></thead>
<tbody>
{%- for row in rows %}
<tr id="p{{ row.index }}"><td class="kind">{{ key(row.kind) }} {{ row.name }}</td>
<td class="text foreign" lang="" dir="auto">{{ row.text }}</td>
<td class="source foreign" lang="" dir="auto">{{ row.source }}</td></tr>
{%- endfor %}
</tbody>
</table>
{%- endmacro -%}
<main>
<h1>{{ title }}</h1>
<p class="caption"><strong>{{ caption[0] }}</strong>{% for sentence in caption[1:] %} {{ sentence }}{% endfor %}</p>
<fieldset><legend>Shown</legend>
{%- for kind, label in legend.items() %}
<label><input type="checkbox" value="{{ kind }}" checked> {{ key(kind) }} {{ label }}</label>
{%- endfor %}
<span class="tools"><button value="in" aria-label="Zoom in">+</button>
<button value="out" aria-label="Zoom out">−</button>
<button value="all">All</button></span>
</fieldset>
<div class="stage" tabindex="0" role="application" aria-label="Map of {{ n_points }} points. Arrow keys go from point to
 point, Enter to its place in the list below, plus and minus zoom, 0 shows all, Escape closes.">
<svg class="plane" viewBox="0 0 {{ width }} {{ height }}" aria-hidden="true">
<defs>
{%- for kind, look in looks.items() %}
<g id="shape-{{ kind }}">
{%- if look.outline %}<path class="shape {{ kind }}{% if not look.colour %} hollow{% endif %}" d="{{ look.outline }}"
{%- else %}<circle class="shape {{ kind }}{% if not look.colour %} hollow{% endif %}" r="{{ look.size }}"{% endif %}
{%- if look.colour %} fill="{{ look.colour }}"{% endif %}/></g>
{%- endfor %}
</defs>
{%- for kind, places in layers.items() %}
<g class="layer {{ kind }}">
{%- for place in places %}
<a class="point" href="#p{{ place.index }}" tabindex="-1"><use href="#shape-{{ kind }}"
 x="{{ place.x }}" y="{{ place.y }}"/></a>
{%- endfor %}
</g>
{%- endfor %}
<circle class="ring" r="10"/>
</svg>
<div class="tip" role="status"></div>
</div>
<p class="axes"><span>→ {{ axes[0] }}</span><span>↑ {{ axes[1] }}</span></p>
{%- if answers %}
<h2>Answers</h2>
{{ listing(answers) }}
{%- endif %}
{%- if references %}
<details><summary>Reference chunks ({{ "{:,}".format(references|length) }})</summary>
{{ listing(references) }}
</details>
{%- endif %}
</main>
"""
