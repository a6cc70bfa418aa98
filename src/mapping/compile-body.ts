import type { Json } from "../model/event.ts";
import { bodyTree, type ObjectTree, type Tree } from "./member-path.ts";

/** Writes a body as JSON text. */
export type WriteBody = (event: string, values: MemberValues) => string;
/** One for each member; undefined if it is left out. */
export type MemberValues = (Json | undefined)[];

/**
 * Compiles the names of members to a function that writes a body as JSON text.
 *
 * Event ids are hashes of the text, so it must not change from one version to the next. Members stand in the
 * order of the mapping, those of one object where the first of them does.
 */
export function compileBody(names: readonly string[]): WriteBody {
  const write = compileMembers(bodyTree(names).tree);
  return (event, values) => {
    const members = write(values);
    const kind = `"event":${jsonOf(event)}`;
    return members === "" ? `{${kind}}` : `{${kind},${members}}`;
  };
}

type Write = (values: MemberValues) => string;

/** The text between the braces; empty if no member has a value. */
function compileMembers({ members }: ObjectTree): Write {
  const parts = [...members].map(([name, tree]) => ({
    name: `${JSON.stringify(name)}:`,
    write: compileTree(tree),
  }));
  return (values) => {
    let text = "";
    for (let at = 0; at < parts.length; at++) {
      const part = parts[at] as (typeof parts)[number];
      const value = part.write(values);
      if (value !== "") text += text === "" ? part.name + value : `,${part.name}${value}`;
    }
    return text;
  };
}

function compileTree(tree: Tree): Write {
  switch (tree.kind) {
    case "value": {
      const { member } = tree;
      return (values) => jsonOf(values[member]);
    }
    case "object": {
      const write = compileMembers(tree);
      return (values) => {
        const members = write(values);
        return members === "" ? "" : `{${members}}`;
      };
    }
    case "list": {
      const items = tree.items.map(compileTree);
      return (values) => {
        const texts = items.map((write) => write(values)).filter((text) => text !== "");
        return texts.length === 0 ? "" : `[${texts.join(",")}]`;
      };
    }
    default:
      return tree satisfies never;
  }
}

/** What JSON (RFC 8259, section 7) or JSON.stringify escapes. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are escaped too
const needsEscape = /["\\\u0000-\u001f\ud800-\udfff]/;

/** The JSON text of a value; empty if there is none. */
function jsonOf(value: Json | undefined): string {
  if (value === undefined) return "";
  // Most values are plain text, and this is twice as fast for them.
  return typeof value === "string" && !needsEscape.test(value)
    ? `"${value}"`
    : JSON.stringify(value);
}
