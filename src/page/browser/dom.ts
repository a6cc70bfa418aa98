import { type Content, type Html, html } from "../../model/look/html.ts";

/** What a control does; a field is handed in with what a person has entered. */
type Handler = (field: HTMLInputElement) => void;

/** What the controls of the page as it is shown do, each at the number that it has there. */
let handlers: Handler[] = [];

for (const kind of ["click", "change"]) {
  document.addEventListener(kind, ({ target }) => {
    const control = (target as Element).closest<HTMLInputElement>("[data-on]");
    const isField = control?.matches("input, select");
    // A text that is as it was says nothing, as behind Escape.
    const isAsBefore =
      isField && control?.type !== "checkbox" && control?.defaultValue === control?.value;
    if (!control || isField !== (kind === "change") || isAsBefore) return;
    handlers[Number(control.dataset.on)]?.(control);
  });
}

type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

function attributes(given: Attributes): Content {
  return Object.entries(given).map(
    ([name, value]) =>
      value !== undefined && value !== false && html` ${name}="${value === true ? "" : value}"`,
  );
}

export function button(text: Content, does: () => void, more: Attributes = {}): Html {
  const all = { type: "button", class: "button", ...more, "data-on": handlers.push(does) - 1 };
  return html`<button${attributes(all)}>${text}</button>`;
}

/** A button that leads to another place of the page. */
export function link(text: string, does: () => void, label?: string): Html {
  return button(text, does, { class: "link", "aria-label": label });
}

export function field(label: string, value: string, change: Handler, more: Attributes = {}): Html {
  const all = { "aria-label": label, value, ...more, "data-on": handlers.push(change) - 1 };
  return html`<input${attributes(all)}>`;
}

/** @param options pairs of what is chosen and what it is called, or of what cannot be chosen, with `disabled` behind */
export function select(
  label: string,
  now: string,
  options: readonly (readonly [value: string, name: string, disabled?: boolean])[],
  change: Handler,
): Html {
  const all = { "aria-label": label, value: now, "data-on": handlers.push(change) - 1 };
  return html`<select${attributes(all)}>${options.map(
    ([value, name, disabled]) =>
      html`<option${attributes({ value, selected: value === now, disabled })}>${name}</option>`,
  )}</select>`;
}

export function byId<Kind extends HTMLElement = HTMLElement>(id: string): Kind {
  return document.getElementById(id) as Kind;
}

/**
 * Shows the page anew: what has these ids holds these parts. What is there already stays, and changes only where it
 * differs from what was shown last: so the focus stays where it is, a click arrives where it began, and what a person
 * is typing is not lost.
 */
export function show(partsOf: () => Readonly<Record<string, Html>>): void {
  handlers = [];
  const focused = document.activeElement?.id;
  for (const [id, part] of Object.entries(partsOf())) {
    const fresh = document.createElement("template");
    fresh.innerHTML = part.html;
    becomeChildren(byId(id), fresh.content);
  }
  // What stood above it may have come or gone.
  if (focused && document.activeElement?.id !== focused) byId(focused)?.focus();
}

function becomeChildren(parent: Node, fresh: Node): void {
  const wanted = [...fresh.childNodes];
  for (const [at, child] of wanted.entries()) {
    const old = parent.childNodes[at];
    if (old === undefined) parent.appendChild(child);
    else if (old.isEqualNode(child)) continue;
    else if (old.nodeName !== child.nodeName) old.replaceWith(child);
    else if (!(old instanceof Element)) old.nodeValue = child.nodeValue;
    else {
      // The options of a list come first, as its value is one of them.
      becomeChildren(old, child);
      becomeAttributes(old, child as Element);
    }
  }
  while (parent.childNodes.length > wanted.length) parent.lastChild?.remove();
}

function becomeAttributes(old: Element, fresh: Element): void {
  for (const name of old.getAttributeNames()) if (!fresh.hasAttribute(name)) change(name, null);
  for (const name of fresh.getAttributeNames()) change(name, fresh.getAttribute(name));

  function change(name: string, value: string | null): void {
    if (old.getAttribute(name) === value) return;
    if (value === null) old.removeAttribute(name);
    else old.setAttribute(name, value);
    // What a person has entered or ticked hides these.
    if (name === "value") Object.assign(old, { value: value ?? "" });
    if (name === "checked") Object.assign(old, { checked: value !== null });
  }
}
