import type { Json } from "../model/event.ts";

export type WriteBody = (event: string, values: MemberValues) => string;
/** A value for each member; undefined if it is left out. */
export type MemberValues = (Json | undefined)[];

/**
 * Compiles the names of members to a function that writes a body as JSON text.
 *
 * Event ids are hashes of the text, so it must not change from one version to the next. Members stand in the
 * order of the mapping, those of one object where the first of them does, and names that are whole numbers
 * before others: so the text stays the same if JavaScript parses it and writes it again.
 */
export function compileBody(names: readonly string[]): WriteBody {
  const members = inOrder(bodyTree(names).tree);
  const writeIndexes = compileMembers(members.filter(([name]) => isIndex(name)));
  const writeNames = compileMembers(members.filter(([name]) => !isIndex(name)));
  return (event, values) => {
    const indexes = writeIndexes(values);
    const names = writeNames(values);
    const kind = `${indexes === "" ? "" : `${indexes},`}"event":${jsonOf(event)}`;
    return names === "" ? `{${kind}}` : `{${kind},${names}}`;
  };
}

function inOrder({ members }: ObjectTree): [string, Tree][] {
  const all = [...members];
  const indexes = all.filter(([name]) => isIndex(name));
  return [
    ...indexes.sort(([one], [other]) => Number(one) - Number(other)),
    ...all.filter(([name]) => !isIndex(name)),
  ];
}

/** Whether JavaScript's objects have a name before all others, by its number. */
function isIndex(name: string): boolean {
  return /^(0|[1-9]\d{0,9})$/.test(name) && Number(name) < 2 ** 32 - 1;
}

type Write = (values: MemberValues) => string;

/** The text between the braces; empty if no member has a value. */
function compileMembers(members: readonly [string, Tree][]): Write {
  const parts = members.map(([name, tree]) => {
    const first = `${JSON.stringify(name)}:`;
    return { first, next: `,${first}`, write: compileTree(tree) };
  });
  return (values) => {
    let text = "";
    for (let at = 0; at < parts.length; at++) {
      const part = parts[at] as (typeof parts)[number];
      const value = part.write(values);
      if (value !== "") text += (text === "" ? part.first : part.next) + value;
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
      const write = compileMembers(inOrder(tree));
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

/** A place of the body: what one member gives, or what several make. */
type Tree =
  | { readonly kind: "value"; readonly name: string; readonly member: number }
  | { readonly kind: "list"; readonly name: string; readonly items: Tree[] }
  | ObjectTree;

interface ObjectTree {
  readonly kind: "object";
  /** The first member that has a place in it. */
  readonly name: string;
  readonly members: Map<string, Tree>;
}

/** The body that members make by their names, in their order, and which names are invalid or conflict. */
export function bodyTree(names: readonly string[]) {
  const tree: ObjectTree = { kind: "object", name: "", members: new Map() };
  const problems = names.flatMap((name, member) => {
    // readYaml has reported __proto__ alone.
    if (name === "__proto__") return [];
    const message = problemOfForm(name) ?? placeMember(name, member, tree);
    return message === undefined ? [] : [{ name, message }];
  });
  return { tree, problems };
}

/** Puts a member into the tree; returns why that cannot be. */
function placeMember(name: string, member: number, root: Tree): string | undefined {
  const path = parseMemberPath(name);
  let tree = root;
  for (const [at, step] of path.entries()) {
    if (tree.kind === "value") {
      return `${tree.name} is a value already and cannot hold ${name}: rename one`;
    }
    if ((tree.kind === "list") !== (typeof step === "number")) {
      const [is, other] = tree.kind === "list" ? ["a list", "an object"] : ["an object", "a list"];
      return `${tree.name} makes ${is} of what this takes for ${other}: rename one`;
    }
    if (tree.kind === "list" && Number(step) > tree.items.length) {
      return `there is no [${Number(step) - 1}] before its [${step}]: count from 0 without gaps`;
    }
    const known: Tree | undefined =
      tree.kind === "list" ? tree.items[Number(step)] : tree.members.get(String(step));
    const below = path[at + 1];
    if (below === undefined && known !== undefined) {
      return `${known.name} has this place already: remove or rename one`;
    }
    const inner: Tree =
      known ??
      (below === undefined
        ? { kind: "value", name, member }
        : typeof below === "number"
          ? { kind: "list", name, items: [] }
          : { kind: "object", name, members: new Map() });
    if (tree.kind === "list") tree.items[Number(step)] = inner;
    else tree.members.set(String(step), inner);
    tree = inner;
  }
  return undefined;
}

/**
 * What is wrong with the form of a name: parts with dots between, each perhaps with places in lists. A backslash
 * before a dot, a bracket or a backslash makes it a part of the name.
 */
function problemOfForm(name: string): string | undefined {
  const unescaped = name.replaceAll(/\\./gsu, "x");
  const parts = unescaped.replaceAll(/\[\d{1,3}\]/g, "").split(".");
  if (parts.length > maxPathParts) return `has more than ${maxPathParts} parts: nest less deeply`;
  if (/[[\]]/.test(unescaped.replaceAll(/(?<=[^.])(\[\d{1,3}\]){1,9}(?=\.|$)/gu, ""))) {
    return "has a bracket that is no place in a list, from items[0] to items[999]: write \\[ and \\] for the brackets themselves";
  }
  if (parts.includes("")) return "has an empty part: write parent.child";
  if (unescaped.endsWith("\\")) return "ends with a backslash: write \\\\ for the backslash itself";
  if (parts.includes("__proto__")) {
    return "__proto__ cannot be the name of a member: use another";
  }
  return parts[0] === "event"
    ? "the member event names the kind of event: use the key event of the mapping"
    : undefined;
}

/** Deeper than any useful JSON, and far below where JSON.stringify overflows the stack. */
const maxPathParts = 100;

/** Where in the body a member goes: names of members, and places in lists; of a name of the right form. */
export function parseMemberPath(name: string): (string | number)[] {
  return Array.from(name.matchAll(/\[(\d+)\]|((?:\\.|[^.[\]\\])+)/gsu), ([, at, names = ""]) =>
    at === undefined ? names.replaceAll(/\\([.[\]\\])/g, "$1") : Number(at),
  );
}
