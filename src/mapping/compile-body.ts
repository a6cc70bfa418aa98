import type { Json } from "../model/json.ts";
import type { MemberPath } from "./member-path.ts";

/** Writes a body as JSON text. */
export type WriteBody = (event: string, values: MemberValues) => string;
/** By member; undefined if it is left out. */
export type MemberValues = (Json | undefined)[];

/**
 * Compiles the places of members to a function that writes a body as JSON text.
 *
 * Ids of events are made of the text, so it must not change from one version to the next: the order is
 * that in which JavaScript's objects keep members that are put into them one after another. Where that is
 * the order of the mapping, and it nearly always is, the text is written without making objects.
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

/** The body as a tree; undefined if an object would bring its members into another order. */
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
        // An item that is gone back to would come before those after it all the same.
        if (step < tree.items.length - 1) return undefined;
        tree = tree.items[step] ??= fresh;
      } else if (tree.kind === "object" && typeof step === "string") {
        // Objects have names that are whole numbers before all others.
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

/** Text without the brackets around it; undefined if no member has a value. */
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

/** Writes a body by making it: the order of its members is that of JavaScript's objects. */
function writeByObject(paths: readonly MemberPath[]): WriteBody {
  const places = paths.map(compilePlace);
  const hasLists = paths.some((path) => path.some((step) => typeof step === "number"));
  return (event, values) => {
    const body: Made = { event };
    for (let at = 0; at < places.length; at++) {
      const value = values[at];
      if (value !== undefined) places[at]?.(body, value);
    }
    if (hasLists) closeUpMembers(body);
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
      // Own members only, and no prototype to reach: a column may be called "constructor".
      if (!Object.hasOwn(target, step)) {
        target[step] =
          typeof path[at + 1] === "number" ? new Items() : (Object.create(null) as Made);
      }
      target = target[step] as Made;
    }
    target[last] = value;
  };
}

/** A list that the mapping makes; its empty places are closed up. Lists of values stay as they are. */
class Items extends Array<Json> {}

/** Leaves out the items in which no member has a value. */
function closeUp(value: Json): Json {
  if (value instanceof Items)
    return Array.from(
      value.filter(() => true),
      closeUp,
    );
  const isOfMapping =
    typeof value === "object" && value !== null && Object.getPrototypeOf(value) === null;
  if (isOfMapping) closeUpMembers(value as Made);
  return value;
}

function closeUpMembers(tree: Made): void {
  for (const [key, value] of Object.entries(tree)) tree[key] = closeUp(value);
}

/** What JSON (RFC 8259, section 7) or JSON.stringify writes otherwise than as it is. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are among it
const needsEscape = /["\\\u0000-\u001f\ud800-\udfff]/;

/** The JSON text of a value; blank where there is none. */
export function jsonOf(value: Json | undefined): string {
  if (value === undefined) return "";
  // Most values are plain text, for which this takes half the time.
  return typeof value === "string" && !needsEscape.test(value)
    ? `"${value}"`
    : JSON.stringify(value);
}
