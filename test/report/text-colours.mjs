// Runs in the page, so it can use nothing from around it.

/** Every piece of text on the page, in the colours in which it stands there. */
export function textColours() {
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const text = node.textContent?.trim() ?? "";
    const element = node.parentElement;
    if (text === "" || element === null || element.closest("svg") !== null) continue;
    const backgrounds = [];
    for (let over = element; over !== null; over = over.parentElement) {
      backgrounds.push(getComputedStyle(over).backgroundColor);
    }
    const behind = backgrounds.find((colour) => !colour.endsWith(", 0)")) ?? "rgb(255, 255, 255)";
    found.push({ text, colour: getComputedStyle(element).color, behind });
  }
  return found;
}
