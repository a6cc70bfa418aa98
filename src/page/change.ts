import {
  addItems,
  type Edited,
  type Path,
  readText,
  removeItem,
  restoreAt,
  setAt,
} from "./edit-yaml.ts";

/** A change of a text that can be taken back, whatever has been edited elsewhere since. */
export interface Change {
  apply(text: string): Edited;
  /** Whether a text still has it as it was made. */
  holds(text: string, made: string): boolean;
  undo(text: string, before: string): Edited;
}

export function settingKeys(path: Path, keys: Readonly<Record<string, unknown>>): Change {
  return {
    apply: (text) => setAt(text, path, keys),
    holds: (text, made) => valueAt(text, path) === valueAt(made, path),
    undo: (text, before) => restoreAt(text, path, before),
  };
}

export function addingItems(path: Path, items: readonly unknown[]): Change {
  return {
    apply: (text) => addItems(text, path, items),
    holds: (text) => items.every((item) => valueAt(text, path)?.includes(JSON.stringify(item))),
    undo: (text) =>
      items.reduce<Edited>((edited, item) => edited && removeItem(edited, path, item), text),
  };
}

/** As JSON, to compare it. */
function valueAt(text: string, path: Path): string | undefined {
  return JSON.stringify(path.reduce((content, key) => Object(content)[key], readText(text)));
}
