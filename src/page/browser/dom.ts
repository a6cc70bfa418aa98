/** An element with its properties and children. A text is a text: no cell is ever read as HTML. */
export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  properties: Partial<Omit<HTMLElementTagNameMap[Tag], "style">> = {},
  ...children: readonly (Node | string | false | undefined)[]
): HTMLElementTagNameMap[Tag] {
  const element = Object.assign(document.createElement(tag), properties);
  for (const child of children) if (child) element.append(child);
  return element;
}

export function button(label: string, onclick: () => void, ariaLabel = label): HTMLButtonElement {
  return h("button", { type: "button", onclick, ariaLabel }, label);
}

/** A text as it is, which the keyboard can scroll. */
export function block(text: string): HTMLElement {
  return h("pre", { tabIndex: 0 }, text);
}

/** A part of index.html. */
export function byId<Kind extends HTMLElement = HTMLElement>(id: string): Kind {
  return document.getElementById(id) as Kind;
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
