// Thresholds by slider: what they do on the reviewed answers is counted at once.

const data = JSON.parse(document.getElementById("data").textContent);
const form = document.getElementById("try");

if (form) {
  const names = ["hallucinated", "review"];
  const number = (name) => document.getElementById(name);
  const range = (name) => form.querySelector(`[data-for="${name}"]`);
  const kept = (name) => document.querySelector(`#keep [name="${name}"]`);
  const show = (name, value) => { document.querySelector(`#effect [data-value="${name}"]`).textContent = value; };
  const figure = (above, below) => (below ? (above / below).toFixed(3) : "–");

  // A score at a threshold is flagged.
  function count(review, hallucinated) {
    const counts = { 0: { flagged: 0, between: 0, passed: 0 }, 1: { flagged: 0, between: 0, passed: 0 } };
    for (const [score, label] of data.scores) {
      counts[label][score >= hallucinated ? "flagged" : score >= review ? "between" : "passed"] += 1;
    }
    return counts;
  }

  function draw() {
    const hallucinated = Number(number("hallucinated").value), review = Number(number("review").value);
    const { 0: grounded, 1: wrong } = count(review, hallucinated);
    const missed = wrong.between + wrong.passed;
    show("true_positives", wrong.flagged);
    show("n_review_hallucinated", wrong.between);
    show("passed_hallucinated", wrong.passed);
    show("false_positives", grounded.flagged);
    show("n_review_grounded", grounded.between);
    show("passed_grounded", grounded.passed);
    show("precision", figure(wrong.flagged, wrong.flagged + grounded.flagged));
    show("recall", figure(wrong.flagged, wrong.flagged + missed));
    show("f1", figure(2 * wrong.flagged, 2 * wrong.flagged + grounded.flagged + missed));
    for (const name of names) {
      const value = Number(number(name).value);
      if (kept(name)) kept(name).value = number(name).value;
      for (const line of document.querySelectorAll(`[data-limit="${name}"]`)) {
        for (const end of ["x1", "x2"]) line.setAttribute(end, (data.left + data.width * value).toFixed(1));
      }
    }
  }

  function set(name, text) {
    const value = Math.min(1, Math.max(0, Number(text)));
    if (text === "" || Number.isNaN(value)) return;
    number(name).value = String(text === String(value) ? text : value);
    range(name).value = String(value);
    // The review threshold never lies above the other one.
    const other = name === "review" ? "hallucinated" : "review";
    const limit = Number(number(other).value);
    if (name === "review" ? value > limit : value < limit) {
      number(other).value = number(name).value;
      range(other).value = String(value);
    }
    draw();
  }

  for (const name of names) {
    range(name).hidden = false;
    range(name).addEventListener("input", () => set(name, range(name).value));
    number(name).addEventListener("change", () => set(name, number(name).value));
    kept(name)?.addEventListener("change", () => set(name, kept(name).value));
  }
  document.getElementById("recount").hidden = true;
  form.addEventListener("submit", (event) => event.preventDefault());
  document.getElementById("take")?.addEventListener("click", (event) => {
    event.preventDefault();
    set("hallucinated", event.currentTarget.dataset.hallucinated);
    set("review", event.currentTarget.dataset.review);
  });
  draw();
}
