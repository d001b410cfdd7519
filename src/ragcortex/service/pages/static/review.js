// Reviewing: mark by selecting, correct what the detector marked, decide; by mouse, finger or keyboard.

import { answerIn } from "./answer.js";
import { evidencePanel, isWide } from "./evidence.js";
import { joined, trimmed, without, words } from "./marks.js";

const find = (id) => document.getElementById(id);
const data = JSON.parse(find("data").textContent);
const texts = data.texts;
const element = find("answer"), form = find("review"), list = find("marked-list");
const answer = answerIn(element, data.segments, data.length);
const panel = evidencePanel();
const allWords = words(answer.characters);
let marks = joined(data.marks);
let history = [];
let anchor = null, head = null;

const say = (text) => { find("spoken").textContent = text; };
const fill = (text, values) => text.replace(/\{(\w+)\}/g, (whole, name) => String(values[name] ?? whole));
const drawn = () => Array.from(element.querySelectorAll("mark"));
const current = () => drawn().indexOf(document.activeElement?.closest?.("#answer mark"));

function look(start, end) {
  const own = data.passages.find(([first, last]) => first < end && start < last);
  if (own) panel.show(own[2]);
}

function decorate(mark, index) {
  const [start, end] = marks[index];
  mark.tabIndex = 0;
  mark.setAttribute("role", "group");
  mark.setAttribute("aria-label", fill(texts.mark_label, { n: index + 1, text: answer.shownText(start, end) }));
  const seen = () => { drawn().forEach((one) => one.classList.toggle("here", one === mark)); look(start, end); };
  mark.addEventListener("focus", seen);
  mark.addEventListener("mouseenter", seen);
}

function row([start, end], index) {
  const item = document.createElement("li"), text = document.createElement("span");
  text.className = "foreign";
  text.dir = "auto";
  text.lang = "";
  text.textContent = answer.shownText(start, end);
  const button = document.createElement("button");
  button.type = "button";
  button.className = "quiet";
  button.textContent = texts.remove;
  button.setAttribute("aria-label", fill(texts.remove_label, { n: index + 1 }));
  button.addEventListener("click", () => remove(index));
  item.append(text, " ", button);
  return item;
}

function draw() {
  answer.draw(marks, decorate);
  find("marks").value = JSON.stringify(marks);
  list.replaceChildren(...marks.map(row));
  find("marked-count").textContent = String(marks.length);
}

function change(next, spoken) {
  history.push(marks);
  marks = next;
  draw();
  say(spoken);
}

function mark() {
  const chosen = answer.selected(), range = chosen && trimmed(answer.characters, ...chosen);
  if (!range) { say(texts.nothing_selected); return; }
  if (marks.some(([start, end]) => start <= range[0] && range[1] <= end)) { say(texts.marked_already); return; }
  change(joined([...marks, range]), fill(texts.marked, { text: answer.shownText(...range) }));
  getSelection().removeAllRanges();
}

function unmark() {
  const chosen = answer.selected();
  if (!chosen) { say(texts.nothing_selected); return; }
  change(without(marks, ...chosen), texts.unmarked);
  getSelection().removeAllRanges();
}

function remove(index) {
  if (index < 0 || index >= marks.length) { say(texts.no_mark); return; }
  change(marks.filter((_, place) => place !== index), texts.removed);
  (drawn()[Math.min(index, marks.length - 1)] ?? element).focus();
}

function undo() {
  if (!history.length) { say(texts.nothing_to_undo); return; }
  marks = history.pop();
  draw();
  say(texts.undone);
}

function step(by) {
  const all = drawn();
  if (!all.length) { say(texts.no_mark); return; }
  const place = current();
  all[place < 0 ? (by > 0 ? 0 : all.length - 1) : (place + by + all.length) % all.length].focus();
}

function move(by, extend) {
  if (!allWords.length) return;
  if (head === null) {
    const place = current();
    const from = place < 0 ? 0 : allWords.findIndex(([, end]) => end > marks[place][0]);
    head = anchor = Math.max(0, from);
  } else {
    head = Math.min(allWords.length - 1, Math.max(0, head + by));
    if (!extend) anchor = head;
  }
  const start = allWords[Math.min(anchor, head)][0], end = allWords[Math.max(anchor, head)][1];
  if (document.activeElement !== element) element.focus();
  answer.select(start, end);
  say(answer.shownText(start, end));
}

const decide = (key) => form.querySelector(`[data-key="${key}"]`).click();
const commands = { mark, unmark, undo, remove: () => remove(current()) };
const keys = {
  a: () => decide("a"), g: () => decide("g"), n: () => decide("n"), m: mark, u: unmark, z: undo,
  x: commands.remove, Delete: commands.remove, Backspace: commands.remove,
  j: () => step(1), k: () => step(-1), "?": () => find("help").showModal(),
};
const arrows = { ArrowRight: 1, ArrowLeft: -1 };
const stored = "ragcortex.shortcuts";
const box = find("shortcuts");
box.checked = localStorage.getItem(stored) !== "off";
box.addEventListener("change", () => localStorage.setItem(stored, box.checked ? "on" : "off"));

element.addEventListener("keydown", (event) => {
  if (!arrows[event.key] || event.altKey || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  move(arrows[event.key], event.shiftKey);
});
element.addEventListener("pointerdown", () => { head = anchor = null; });
// Where the mouse was let go a selection is meant to be marked; a finger still moves its ends, so that has a button.
document.addEventListener("pointerup", (event) => {
  if (event.pointerType !== "mouse" || event.target.closest?.("button, a, input, textarea")) return;
  const chosen = answer.selected();
  if (chosen && trimmed(answer.characters, ...chosen)) mark();
});
document.addEventListener("keydown", (event) => {
  const writes = event.target.closest?.("input:not([type=checkbox]), textarea, select, dialog");
  if (!box.checked || writes || event.altKey || event.ctrlKey || event.metaKey || !keys[event.key]) return;
  event.preventDefault();
  keys[event.key]();
});
for (const button of document.querySelectorAll("[data-do]")) {
  // The selection must outlive the press of the button, and so must the focus on a mark.
  button.addEventListener("pointerdown", (event) => event.preventDefault());
  button.addEventListener("click", () => commands[button.dataset.do]());
}
find("help-button").addEventListener("click", () => find("help").showModal());
form.addEventListener("submit", () => { find("marks").value = JSON.stringify(marks); });

find("offsets").remove();
for (const id of ["tools", "marked", "help-button"]) find(id).hidden = false;
draw();
if (isWide() && data.passages.length) panel.show(data.passages[0][2]);
