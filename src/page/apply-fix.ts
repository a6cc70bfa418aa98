import type { Fix } from "./cards.ts";
import {
  addItems,
  type Edited,
  type Path,
  readText,
  removeItem,
  restoreAt,
  setAt,
} from "./edit-yaml.ts";

/** What a fix makes of a text, and how to take it back, whatever has been edited since. */
export interface Applied {
  readonly edited: Edited;
  /** Whether a text still has it as it was made. */
  holds(text: string): boolean;
  undo(text: string): Edited;
}

export function applyFix(before: string, fix: Fix): Applied {
  switch (fix.kind) {
    case "keys": {
      const { path, keys } = fix;
      const edited = setAt(before, path, keys);
      const after = edited && valueAt(edited, path);
      return {
        edited,
        holds: (text) => valueAt(text, path) === after,
        undo: (text) => restoreAt(text, path, before),
      };
    }
    case "items": {
      const { path, items } = fix;
      const isThere = (text: string) => (item: unknown) =>
        valueAt(text, path)?.includes(JSON.stringify(item));
      return {
        edited: addItems(before, path, items),
        holds: (text) => items.every(isThere(text)),
        undo: (text) =>
          items.reduce<Edited>((edited, item) => edited && removeItem(edited, path, item), text),
      };
    }
    case "keep":
    case "open":
      return { edited: before, holds: () => true, undo: (text) => text };
    default:
      return fix satisfies never;
  }
}

/** As JSON, to compare it. */
function valueAt(text: string, path: Path): string | undefined {
  return JSON.stringify(path.reduce((content, key) => Object(content)[key], readText(text)));
}
