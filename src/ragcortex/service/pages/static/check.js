// The form of a check: references are added and removed without a round trip; Ctrl or Command with Enter checks.

const form = document.getElementById("check");
const references = document.getElementById("references");
const busy = document.getElementById("busy");
const all = () => Array.from(references.querySelectorAll(".one-reference"));
const named = (text, n) => text.replace("{n}", String(n));

function renumber() {
  all().forEach((one, index) => {
    one.querySelector("label > span").textContent = named(references.dataset.label, index + 1);
    const button = one.querySelector("button");
    button.value = "remove-" + index;
    button.setAttribute("aria-label", named(references.dataset.remove, index + 1));
  });
}

references.addEventListener("click", (event) => {
  const button = event.target.closest("button[name=change]");
  if (!button) return;
  event.preventDefault();
  if (button.value === "add") {
    const last = all().at(-1), made = last.cloneNode(true);
    const text = made.querySelector("textarea");
    text.value = "";
    text.removeAttribute("aria-invalid");
    last.after(made);
    renumber();
    text.focus();
    return;
  }
  const one = button.closest(".one-reference"), others = all().filter((each) => each !== one);
  if (others.length) one.remove(); else one.querySelector("textarea").value = "";
  renumber();
  (others[0] ?? one).querySelector("textarea").focus();
});
form.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit(form.querySelector("button.main"));
});
form.addEventListener("submit", (event) => {
  if (event.submitter?.name === "change") return;
  if (form.dataset.sent) { event.preventDefault(); return; }
  form.dataset.sent = "1";
  busy.textContent = busy.dataset.text;
});
// A page that comes back out of the browser's memory can be sent again.
addEventListener("pageshow", () => { delete form.dataset.sent; busy.textContent = ""; });
