import {
  type Document,
  isMap,
  isNode,
  isScalar,
  Pair,
  type ParsedNode,
  parseDocument,
  stringify,
  YAMLMap,
  type YAMLSeq,
} from "yaml";

/**
 * Edits of a YAML text that change the lines of one key, and leave all others as they are written.
 *
 * Each returns the new text, or undefined where only a person can make the edit: behind an alias, at a place that is
 * not there, or in a text that is no YAML.
 */
type Edited = string | undefined;

/** Keys and indexes that lead to a place. */
export type Path = readonly (string | number)[];

/** The values of a text, all as it writes them; undefined if it is no YAML. */
export function readText(text: string): unknown {
  try {
    return parseText(text)?.toJS({ maxAliasCount: 100 });
  } catch {
    return undefined; // its aliases stand for too much
  }
}

/** Sets a value, which may be a list or an object; undefined removes its key. */
export function setAt(text: string, path: Path, value: unknown): Edited {
  const key = String(path.at(-1));
  const parent = path.slice(0, -1);
  const map = parseText(text)?.getIn(parent, true) ?? new YAMLMap();
  const isEmpty = isMap(map) ? map.items.length === 0 : isScalar(map) && map.value === "";
  if (isEmpty && parent.length > 0) return setAt(text, parent, { [key]: value });
  if (isEmpty || !isMap(map)) return undefined;
  if (value === undefined) return change(text, parent, (part, at) => part.deleteIn([...at, key]));
  // A new key of the whole mapping stands near its top, and any other is the last.
  const beside = map.items.at(parent.length === 0 ? 0 : -1)?.key;
  const near = isScalar(beside) && !map.has(key) ? String(beside.value) : key;
  return change(text, [...parent, near], (part, at) => {
    const place = [...at.slice(0, -1), key];
    const pair = pairAt(part, place);
    if (pair === undefined)
      return part.addIn(place.slice(0, -1), new Pair(nodeOf(key), nodeOf(value)));
    const { comment, commentBefore, spaceBefore } = isNode(pair.value) ? pair.value : {};
    pair.value = Object.assign(nodeOf(value), { comment, commentBefore, spaceBefore });
  });
}

/** Adds an item to the end of a list. */
export function addItem(text: string, path: Path, item: unknown): Edited {
  return change(text, path, (part, at) => (part.getIn(at, true) as YAMLSeq).add(nodeOf(item)));
}

/** Makes a comment of a key and its value; in braces, where it has no line of its own, it goes. */
export function commentOutAt(text: string, path: Path): Edited {
  const parent = path.slice(0, -1);
  const lines = linesAt(text, path);
  if (lines?.depth !== parent.length) return setAt(text, path, undefined);
  const comment = text.slice(lines.from, lines.to).replaceAll(/^( *)(?=\S)/gm, "$1# ");
  const left = text.slice(0, lines.from) + comment + text.slice(lines.to);
  const isLast = parent.length > 0 && !isMap(parseText(left)?.getIn(parent, true));
  return isLast ? setAt(left, parent, {}) : sound(left);
}

/** Gives a key another name, which no other key of its map has. */
export function renameAt(text: string, path: Path, name: string): Edited {
  if (parseText(text)?.hasIn([...path.slice(0, -1), name])) return undefined;
  return change(text, path, (part, at) => Object.assign(pairAt(part, at)!, { key: nodeOf(name) }));
}

/** A value as it can stand within a line. */
export function flow(value: unknown): string {
  const list = stringify([value], { collectionStyle: "flow", lineWidth: 0 }).trim();
  return list.slice(1, -1).trim();
}

/** The text as nodes, each scalar a string; undefined if it is no YAML. */
function parseText(text: string): Document | undefined {
  const options = { schema: "failsafe", uniqueKeys: false, logLevel: "silent" } as const;
  const document = parseDocument(text, options);
  return document.errors.length > 0 ? undefined : document;
}

function sound(text: string): Edited {
  return parseText(text) && text;
}

/** Quoted where a bare text would be something else. */
function nodeOf(value: unknown) {
  return parseDocument(flow(value), { schema: "failsafe" }).contents as ParsedNode;
}

/** Changes the lines of the innermost key on the way to a place that has lines of its own. */
function change(
  text: string,
  path: Path,
  edit: (part: Document, path: Path) => unknown,
): string | undefined {
  const lines = linesAt(text, path);
  if (lines === undefined) return undefined;
  const { from, to, indent, depth } = lines;
  const given = text.slice(from, to).replaceAll(new RegExp(`^ {${indent}}`, "gm"), "");
  const part = parseText(given);
  if (part === undefined) return undefined;
  try {
    edit(part, path.slice(depth));
    const written = part.toString({ lineWidth: 0 }).trimEnd();
    const indented = written.replaceAll(/^(?=.)/gm, " ".repeat(indent));
    return sound(text.slice(0, from) + indented + text.slice(to));
  } catch {
    return undefined; // an alias, or no such place
  }
}

/** Where the innermost key on the way to a place stands, of those that begin a line. */
function linesAt(text: string, path: Path) {
  let node: unknown = parseText(text)?.contents;
  let found: { from: number; to: number; indent: number; depth: number } | undefined;
  for (const [depth, name] of path.entries()) {
    if (!isMap(node) || node.flow) break;
    const pair = node.items.find(({ key }) => isScalar(key) && key.value === name);
    const [start] = (isScalar(pair?.key) && pair.key.range) || [];
    if (pair === undefined || start === undefined) break;
    const from = text.lastIndexOf("\n", start - 1) + 1;
    if (text.slice(from, start).trim() !== "") break; // after the dash of a list
    found = { from, to: endOfLines(text, start, start - from), indent: start - from, depth };
    node = pair.value;
  }
  return found;
}

/** Where the last line of a key ends: the lines below it stand further right. What follows may have comments above. */
function endOfLines(text: string, start: number, indent: number): number {
  const [first = "", ...below] = text.slice(start).split("\n");
  let to = start + first.length;
  let at = to;
  for (const line of below) {
    at += 1 + line.length;
    const content = line.trimStart();
    if (content === "" || content.startsWith("#")) continue;
    const right = line.length - content.length;
    if (right < indent || (right === indent && !/^[-}\]]/.test(content))) break;
    to = at;
  }
  return to;
}

function pairAt(part: Document, path: Path): Pair<unknown, unknown> | undefined {
  const map = part.getIn(path.slice(0, -1), true);
  const isOf = ({ key }: Pair) => isScalar(key) && key.value === path.at(-1);
  return isMap(map) ? map.items.find(isOf) : undefined;
}
