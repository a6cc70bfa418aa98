type Child = Node | string | false | undefined;

/** What was set on an element, so that a later picture of it changes only what differs. */
const set = new WeakMap<Node, Readonly<Record<string, unknown>>>();

type TagOf<Name> = Name extends `${infer Tag}.${string}` ? Tag : Name;
type ElementOf<Name> = HTMLElementTagNameMap[TagOf<Name> & keyof HTMLElementTagNameMap];

/**
 * An element such as `p` or `p.quiet`, with its children and, before them, its properties. A text is a text: no cell is
 * ever read as HTML.
 */
export function h<Name extends string>(
  name: Name,
  ...parts: readonly (Child | Partial<Omit<ElementOf<Name>, "style">>)[]
): ElementOf<Name> {
  const [tag = "", ...classes] = name.split(".");
  const [first] = parts;
  const isChild = typeof first !== "object" || first instanceof Node;
  const properties = {
    ...(classes.length > 0 && { className: classes.join(" ") }),
    ...(isChild ? {} : first),
  };
  const element: Element = Object.assign(document.createElement(tag), properties);
  set.set(element, properties);
  for (const child of (isChild ? parts : parts.slice(1)) as readonly Child[]) {
    if (child) element.append(child);
  }
  return element as ElementOf<Name>;
}

export function button(
  label: string,
  onclick: () => void,
  properties: Partial<Omit<HTMLButtonElement, "style">> = {},
): HTMLButtonElement {
  return h("button", { type: "button", className: "button", onclick, ...properties }, label);
}

/** A part of index.html. */
export function byId<Kind extends HTMLElement = HTMLElement>(id: string): Kind {
  return document.getElementById(id) as Kind;
}

/**
 * Makes an element hold these children. What is there already stays, and changes only where it differs: so the focus
 * stays where it is, a click arrives where it began, and what a person is typing is not lost.
 */
export function show(parent: Node, ...children: readonly Child[]): void {
  const wanted = children.filter((child) => child !== false && child !== undefined);
  for (const [at, child] of wanted.entries()) {
    const fresh = typeof child === "string" ? document.createTextNode(child) : child;
    const old = parent.childNodes[at];
    if (old === undefined) parent.appendChild(fresh);
    else if (old !== fresh) become(old as ChildNode, fresh);
  }
  while (parent.childNodes.length > wanted.length) parent.lastChild?.remove();
}

function become(old: ChildNode, fresh: Node): void {
  if (old instanceof Text && fresh instanceof Text) {
    if (old.data !== fresh.data) old.data = fresh.data;
    return;
  }
  const [before, after] = [set.get(old), set.get(fresh)];
  const keysOf = (given: object = {}) => Object.keys(given).toString();
  // A property that was set cannot be taken back, so an element with others is another one.
  const isSame = old.nodeName === fresh.nodeName && before && keysOf(before) === keysOf(after);
  if (!isSame || after === undefined) {
    old.replaceWith(fresh);
    return;
  }
  // The options of a list come first, as its value is one of them.
  show(old, ...fresh.childNodes);
  for (const [key, value] of Object.entries(after)) {
    if (before[key] !== value) Object.assign(old, { [key]: value });
  }
  set.set(old, after);
}
