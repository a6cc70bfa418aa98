/**
 * What a click does on every page: `.copy` copies the text of the `code` before it, and `.sheet-toggle` opens and
 * closes its pane, as Escape does.
 *
 * A browser that refuses to copy leaves the text selected, and the button says so.
 */
export const lookScript = `
document.addEventListener("click", async ({ target }) => {
  const button = target.closest("button");
  if (button?.matches(".copy")) {
    const code = button.parentElement.querySelector("code");
    getSelection().selectAllChildren(code);
    const copied = navigator.clipboard?.writeText(code.textContent) ?? Promise.reject();
    button.textContent = await copied.then(() => "Copied", () => "Selected");
  }
  if (button?.matches(".sheet-toggle")) {
    const isOpen = button.closest(".pane").classList.toggle("open");
    button.ariaExpanded = String(isOpen);
    button.textContent = isOpen ? "Hide" : "Show";
  }
});
document.addEventListener("keydown", ({ key }) => {
  if (key === "Escape") document.querySelector(".pane.open .sheet-toggle")?.click();
});
`;
