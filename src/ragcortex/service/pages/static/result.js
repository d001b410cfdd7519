// The result of a check: a marked passage that the mouse is on, or that has the focus, is explained beside the answer.

import { evidencePanel, isWide } from "./evidence.js";

const panel = evidencePanel();
const marks = Array.from(document.querySelectorAll(".answer a.mark"));

function look(number) {
  panel.show(number);
  for (const mark of marks) mark.classList.toggle("here", mark.dataset.passage === number);
}

for (const mark of marks) {
  const number = mark.dataset.passage;
  mark.addEventListener("mouseenter", () => look(number));
  mark.addEventListener("focus", () => look(number));
  mark.addEventListener("click", (event) => {
    look(number);
    // By mouse or finger the panel is enough; Enter goes on to the passage in the list.
    if (event.detail > 0) event.preventDefault();
  });
}
// There from the start where there is room beside the answer, so that nothing moves when the first one is looked at.
if (isWide() && marks.length) look(marks[0].dataset.passage);
