type Properties<Tag extends keyof HTMLElementTagNameMap> = Partial<
  Omit<HTMLElementTagNameMap[Tag], "style">
>;
type Child = Node | string | false | undefined;

/** What was set on an element, so that a later picture of it changes only what differs. */
const set = new WeakMap<Node, object>();

/** An element with its properties and children. A text is a text: no cell is ever read as HTML. */
export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  properties: Properties<Tag> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const element = Object.assign(document.createElement(tag), properties);
  set.set(element, properties);
  for (const child of children) if (child) element.append(child);
  return element;
}

export function button(
  label: string,
  onclick: () => void,
  properties: Properties<"button"> = {},
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
  const [before, after] = [set.get(old), set.get(fresh)];
  const isSame = old.nodeName === fresh.nodeName && before !== undefined && after !== undefined;
  if (old instanceof Text && fresh instanceof Text) {
    if (old.data !== fresh.data) old.data = fresh.data;
    return;
  }
  if (!isSame) return old.replaceWith(fresh);
  // The options of a list come first, as its value is one of them.
  show(old, ...fresh.childNodes);
  const values = {
    ...Object.fromEntries(Object.keys(before).map((key) => [key, blank(key)])),
    ...after,
  };
  for (const [key, value] of Object.entries(values)) {
    if ((before as Record<string, unknown>)[key] !== value) Object.assign(old, { [key]: value });
  }
  set.set(old, after);
}

/** A property that is not set any more. */
function blank(key: string): unknown {
  return key.startsWith("aria") || key.startsWith("on")
    ? null
    : key === "disabled" || key === "hidden"
      ? false
      : "";
}
