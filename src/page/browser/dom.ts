type Child = Node | string | false | undefined;

/** An element with its class and children. A text is a text: no cell is ever read as HTML. */
export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  className = "",
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  element.className = className;
  for (const child of children) if (child) element.append(child);
  return element;
}

export function button(label: string, onclick: () => void, ariaLabel = label): HTMLButtonElement {
  return Object.assign(h("button", "", label), { type: "button", onclick, ariaLabel });
}

/** A text that does not wrap, which the keyboard can scroll. */
export function block(text: string): HTMLElement {
  return Object.assign(h("pre", "", text), { tabIndex: 0 });
}

/** A part of index.html. */
export function byId<Kind extends HTMLElement = HTMLElement>(id: string): Kind {
  return document.getElementById(id) as Kind;
}

/** A copy of a template of index.html. */
export function copyOf<Kind extends HTMLElement>(template: string): Kind {
  const { content } = byId<HTMLTemplateElement>(template);
  return content.firstElementChild!.cloneNode(true) as Kind;
}

/** Replaces what an element holds. The focus stays on the button of the same name or place, or else near it. */
export function replace(parent: HTMLElement, ...children: readonly Node[]): void {
  const { activeElement: focused } = document;
  const at = [...parent.querySelectorAll("button")].indexOf(focused as HTMLButtonElement);
  parent.replaceChildren(...children);
  if (at < 0) return;
  const buttons = [...parent.querySelectorAll("button")];
  const same = buttons.find(({ ariaLabel }) => ariaLabel === focused?.ariaLabel);
  (same ?? buttons[at] ?? parent).focus();
}

/** Shows a choice; its options are made anew only where they differ. */
export function setOptions(
  select: HTMLSelectElement,
  options: readonly (readonly [value: string, label: string])[],
  value: string,
): void {
  const key = JSON.stringify(options);
  if (select.dataset.options !== key) {
    select.dataset.options = key;
    select.replaceChildren(...options.map(([value, label]) => new Option(label, value)));
  }
  select.value = value;
}

/** Opens the dialog, which the last of its buttons or Escape closes. */
export function openDialog(title: string, content: HTMLElement, close = "Done"): void {
  const dialog = byId<HTMLDialogElement>("dialog");
  const heading = Object.assign(h("h2", "", title), { id: "dialog-title" });
  dialog.replaceChildren(
    heading,
    content,
    button(close, () => dialog.close()),
  );
  if (!dialog.open) dialog.showModal();
}
