// The panel beside an answer: the passage that is looked at, and where its evidence lies in the references.

const numbers = (element, name) => element.dataset[name].split(" ");

// Scroll what holds an element, up to `.beside`, so that it is seen; the page itself stays where it is.
function reveal(element) {
  const outermost = element.closest(".beside");
  for (let box = element.parentElement; box && outermost && outermost.contains(box); box = box.parentElement) {
    if (box.scrollHeight <= box.clientHeight + 1) continue;
    const inside = element.getBoundingClientRect(), around = box.getBoundingClientRect();
    const covered = box === outermost ? (box.querySelector(".detail")?.offsetHeight ?? 0) : 0;
    if (inside.top < around.top + covered || inside.bottom > around.bottom) {
      box.scrollTop += inside.top - around.top - covered - 12;
    }
  }
}

export function evidencePanel() {
  const detail = document.getElementById("detail");
  if (!detail) return { show() {}, hide() {} };
  const content = detail.querySelector("[data-content]");
  const stretches = Array.from(document.querySelectorAll(".stretch"));
  let shown = 0;

  function show(number) {
    const card = document.getElementById("passage-" + number);
    if (number === shown || !card) return;
    shown = number;
    const copy = card.cloneNode(true);
    for (const element of [copy, ...copy.querySelectorAll("[id]")]) element.removeAttribute("id");
    for (const name of ["tabindex", "aria-labelledby"]) copy.removeAttribute(name);
    content.replaceChildren(copy);
    detail.hidden = false;
    for (const stretch of stretches) {
      stretch.classList.toggle("here", numbers(stretch, "spans").includes(String(number)));
      stretch.classList.toggle("differs", numbers(stretch, "differs").includes(String(number)));
    }
    const first = stretches.find((stretch) => stretch.classList.contains("differs"))
      ?? stretches.find((stretch) => stretch.classList.contains("here"));
    if (first) reveal(first);
  }

  function hide() {
    shown = 0;
    detail.hidden = true;
    content.replaceChildren();
    for (const stretch of stretches) stretch.classList.remove("here", "differs");
  }

  detail.querySelector("[data-close]").addEventListener("click", hide);
  document.addEventListener("keydown", (event) => { if (event.key === "Escape" && !detail.hidden) hide(); });
  return { show, hide };
}

export const isWide = () => matchMedia("(min-width: 60rem)").matches;
