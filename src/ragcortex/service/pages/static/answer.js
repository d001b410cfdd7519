// The answer on the page: drawn from its segments and marks, and positions in it translated both ways.

import { pointsBefore, unitsBefore } from "./marks.js";

// `segments` are [start, end, shown, exact]: what is shown for each stretch, exact where that is the text itself.
export function answerIn(element, segments, length) {
  const parts = segments.map(([start, end, shown, exact]) => ({
    start, end, shown, exact, characters: exact ? Array.from(shown) : Array(end - start).fill(shown === "\n" ? "\n" : "?"),
  }));
  const characters = parts.flatMap((part) => part.characters);

  function run(start, end, shown, exact) {
    const made = document.createElement("span");
    made.dataset.start = start;
    if (!exact) made.dataset.end = end;
    if (!exact && shown !== "\n") made.className = "replaced-character";
    made.textContent = shown;
    return made;
  }

  // The runs that show start..end.
  function runs(start, end) {
    const found = [];
    for (const part of parts) {
      const from = Math.max(start, part.start), to = Math.min(end, part.end);
      if (from >= to) continue;
      if (part.exact) {
        found.push(run(from, to, part.characters.slice(from - part.start, to - part.start).join(""), true));
      } else if (from === part.start) {
        // What stands for a replaced character is shown once, where the character begins.
        found.push(run(part.start, part.end, part.shown, false));
      }
    }
    return found;
  }

  function draw(marks, decorate) {
    const drawn = [];
    let place = 0;
    marks.forEach(([start, end], index) => {
      drawn.push(...runs(place, start));
      const mark = document.createElement("mark");
      mark.append(...runs(start, end));
      decorate(mark, index);
      drawn.push(mark);
      place = end;
    });
    drawn.push(...runs(place, length));
    element.replaceChildren(...drawn);
  }

  // Which code point a position of the document is at.
  function offsetAt(node, offset) {
    if (node.nodeType === Node.TEXT_NODE) {
      const own = node.parentElement.closest("[data-start]");
      const start = Number(own.dataset.start);
      if (own.dataset.end !== undefined) return offset === 0 ? start : Number(own.dataset.end);
      return start + pointsBefore(node.data, offset);
    }
    const here = document.createRange();
    here.setStart(node, offset);
    for (const one of element.querySelectorAll("[data-start]")) {
      if (here.comparePoint(one, 0) >= 0) return Number(one.dataset.start);
    }
    return length;
  }

  // The selected stretch of the answer, null if nothing in it is selected.
  function selected() {
    const selection = getSelection();
    if (!selection.rangeCount || selection.isCollapsed) return null;
    const range = selection.getRangeAt(0);
    if (!range.intersectsNode(element)) return null;
    const start = element.contains(range.startContainer) ? offsetAt(range.startContainer, range.startOffset) : 0;
    const end = element.contains(range.endContainer) ? offsetAt(range.endContainer, range.endOffset) : length;
    return start < end ? [start, end] : null;
  }

  function positionAt(place) {
    const all = Array.from(element.querySelectorAll("[data-start]"));
    const own = all.findLast((one) => Number(one.dataset.start) <= place) ?? all[0];
    if (!own) return [element, 0];
    const text = own.firstChild, inside = place - Number(own.dataset.start);
    if (own.dataset.end !== undefined) return [text, inside > 0 ? text.data.length : 0];
    return [text, unitsBefore(text.data, inside)];
  }

  function select(start, end) {
    const [first, from] = positionAt(start), [last, to] = positionAt(end);
    getSelection().setBaseAndExtent(first, from, last, to);
  }

  const shownText = (start, end) => runs(start, end).map((one) => one.textContent).join("");
  return { characters, draw, selected, select, shownText };
}
