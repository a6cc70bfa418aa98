import type { Json } from "../model/event.ts";
import type { MemberPath } from "./member-path.ts";

/** Writes a body as JSON text. */
export type WriteBody = (event: string, values: MemberValues) => string;
/** One for each member; undefined if it is left out. */
export type MemberValues = (Json | undefined)[];

/**
 * Compiles the places of members to a function that writes a body as JSON text.
 *
 * Event ids are hashes of the text, so it must not change from one version to the next. The order of
 * members is the one that JavaScript's objects give. That is nearly always the order of the mapping, and
 * then the text is written without building objects.
 */
export function compileBody(paths: readonly MemberPath[]): WriteBody {
  const root = treeOf(paths);
  if (root === undefined) return writeByObject(paths);
  const write = compileMembers(root.members);
  return (event, values) => {
    const members = write(values);
    const kind = `{"event":${jsonOf(event)}`;
    return members === "" ? `${kind}}` : `${kind},${members}}`;
  };
}

type Tree =
  | { readonly kind: "value"; readonly member: number }
  | { readonly kind: "list"; readonly items: Tree[] }
  | ObjectTree;

interface ObjectTree {
  readonly kind: "object";
  readonly members: [name: string, tree: Tree][];
  readonly names: Set<string>;
}

function createObject(): ObjectTree {
  return { kind: "object", members: [], names: new Set() };
}

/** The body as a tree; undefined if a JavaScript object would order its members differently. */
function treeOf(paths: readonly MemberPath[]): ObjectTree | undefined {
  const root = createObject();
  for (const [member, path] of paths.entries()) {
    let tree = root as Tree;
    for (const [at, step] of path.entries()) {
      const below = path[at + 1];
      const fresh: Tree =
        below === undefined
          ? { kind: "value", member }
          : typeof below === "number"
            ? { kind: "list", items: [] }
            : createObject();
      if (tree.kind === "list" && typeof step === "number") {
        tree = tree.items[step] ??= fresh;
      } else if (tree.kind === "object" && typeof step === "string") {
        // JavaScript puts integer keys before all others.
        if (/^\d+$/.test(step)) return undefined;
        const last: [string, Tree] | undefined = tree.members.at(-1);
        if (last?.[0] === step) {
          tree = last[1];
        } else {
          if (tree.names.has(step)) return undefined;
          tree.names.add(step);
          tree.members.push([step, fresh]);
          tree = fresh;
        }
      } else return undefined;
    }
  }
  return root;
}

type Write = (values: MemberValues) => string;

/** The text between the braces; empty if no member has a value. */
function compileMembers(members: ObjectTree["members"]): Write {
  const parts = members.map(([name, tree]) => ({
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
      const write = compileMembers(tree.members);
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

type Made = { [key: string]: Json };

/** Writes a body by building it: JavaScript's objects decide the order of its members. */
function writeByObject(paths: readonly MemberPath[]): WriteBody {
  const places = paths.map(compilePlace);
  const hasLists = paths.some((path) => path.some((step) => typeof step === "number"));
  return (event, values) => {
    const body: Made = { event };
    for (let at = 0; at < places.length; at++) {
      const value = values[at];
      if (value !== undefined) places[at]?.(body, value);
    }
    if (hasLists) removeGapsInMembers(body);
    return JSON.stringify(body);
  };
}

type Place = (body: Made, value: Json) => void;

function compilePlace(path: MemberPath): Place {
  const [first] = path;
  if (path.length === 1) {
    return (body, value) => {
      body[first] = value;
    };
  }
  const above = path.slice(0, -1);
  const last = path.at(-1) as keyof Made;
  return (body, value) => {
    let target = body;
    for (let at = 0; at < above.length; at++) {
      const step = above[at] as keyof Made;
      // Only own members, never those of a prototype: a member may be called "constructor".
      if (!Object.hasOwn(target, step)) {
        target[step] =
          typeof path[at + 1] === "number" ? new Items() : (Object.create(null) as Made);
      }
      target = target[step] as Made;
    }
    target[last] = value;
  };
}

/** A list made by member paths; its empty places are removed. A list that is a value stays as it is. */
class Items extends Array<Json> {}

/** Removes the items in which no member has a value. */
function removeGaps(value: Json): Json {
  if (value instanceof Items)
    return Array.from(
      value.filter(() => true),
      removeGaps,
    );
  const isOfMapping =
    typeof value === "object" && value !== null && Object.getPrototypeOf(value) === null;
  if (isOfMapping) removeGapsInMembers(value as Made);
  return value;
}

function removeGapsInMembers(tree: Made): void {
  for (const [key, value] of Object.entries(tree)) tree[key] = removeGaps(value);
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
