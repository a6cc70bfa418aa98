type Child = Node | string | undefined | false;

/** An element with its properties and children. Texts are texts: nothing is ever parsed as HTML. */
export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  properties: Partial<HTMLElementTagNameMap[Tag]> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const element = Object.assign(document.createElement(tag), properties);
  for (const child of children) if (child !== undefined && child !== false) element.append(child);
  return element;
}

export function button(label: string, onclick: () => void, ariaLabel = label): HTMLButtonElement {
  return h("button", { type: "button", onclick, ariaLabel, textContent: label });
}

export function byId(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no #${id}`);
  return found;
}

/** A choice whose options are the same as before, or are made anew. */
export function setOptions(
  select: HTMLSelectElement,
  options: readonly (readonly [value: string, label: string])[],
  value: string,
): void {
  const key = JSON.stringify(options);
  if (select.dataset.options !== key) {
    select.dataset.options = key;
    select.replaceChildren(
      ...options.map(([value, textContent]) => h("option", { value, textContent })),
    );
  }
  select.value = value;
}

/** Opens the dialog with a title and some content; what it returns closes it. */
export function openDialog(title: string, ...content: readonly Child[]): () => void {
  const dialog = byId("dialog") as HTMLDialogElement;
  const close = () => dialog.close();
  dialog.replaceChildren(h("h2", { id: "dialog-title", textContent: title }));
  for (const child of content) if (child) dialog.append(child);
  if (!dialog.open) dialog.showModal();
  return close;
}
