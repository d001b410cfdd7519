// Buttons that copy a text of the page.

for (const button of document.querySelectorAll("[data-copy]")) {
  const text = document.getElementById(button.dataset.copy);
  button.hidden = false;
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text.textContent);
      document.getElementById("copied").textContent = button.dataset.done;
    } catch {
      // Not allowed here: selected, it can be copied by hand.
      getSelection().selectAllChildren(text);
    }
  });
}
