import {
  isCollection,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type Pair,
  parseDocument,
  stringify,
} from "yaml";

/**
 * Edits of a YAML text that change nothing but the place they are about: its comments, its order and its spaces stay.
 * The library says where a place is, and the text around it is left alone.
 *
 * Each edit returns the new text, or undefined where the text has no such place or the place is out of reach: behind
 * an alias, or in a text that is no YAML.
 */

/** Keys and indexes that lead to a place. */
export type Path = readonly (string | number)[];

type YamlPair = Pair & {
  readonly srcToken?: {
    readonly sep?: readonly { readonly type: string; readonly offset: number }[];
  };
};

/** A value of the text: as a node, with the pair and the map that it stands in. */
interface Place {
  readonly node: unknown;
  readonly pair?: YamlPair;
  readonly map?: Place;
}

/** The values of a text, all as it writes them; undefined if it is no YAML. */
export function readText(text: string): unknown {
  try {
    return parseText(text)?.toJS({ maxAliasCount: 100 });
  } catch {
    return undefined; // its aliases stand for too much
  }
}

/** Sets a value, which may be a list or an object; of an object that is missing, too. */
export function setAt(text: string, path: Path, value: unknown): string | undefined {
  const place = find(text, path);
  if (place?.pair !== undefined) return replaceValue(text, place.pair, value);
  if (place?.node !== undefined && path.length > 0) {
    const [from, to] = rangeOf(place.node);
    return splice(text, from, to, flow(value));
  }
  const key = path.at(-1);
  if (typeof key !== "string") return undefined;
  const around = find(text, path.slice(0, -1));
  if (around === undefined) return setAt(text, path.slice(0, -1), { [key]: value });
  return addPair(text, around, key, value);
}

/** Adds an item to the end of a list. */
export function addItem(text: string, path: Path, item: unknown): string | undefined {
  const { node } = find(text, path) ?? {};
  if (!isSeq(node)) return undefined;
  const last = node.items.at(-1);
  if (node.flow === true) {
    const end = last === undefined ? rangeOf(node)[0] + 1 : endOfNode(text, last);
    return splice(text, end, end, last === undefined ? flow(item) : `, ${flow(item)}`);
  }
  const lineEnd = endOfLine(text, endOfNode(text, last));
  return splice(text, lineEnd, lineEnd, `\n${indentOf(text, node)}- ${flow(item)}`);
}

/** Makes what stands in braces the first item of a list under a key, and adds a second. */
export function listAt(text: string, path: Path, key: string, item: unknown): string | undefined {
  const { node } = find(text, path) ?? {};
  if (!isMap(node) || isBlock(node)) return undefined;
  const [from, to] = rangeOf(node);
  return splice(text, from, to, `{ ${key}: [ ${text.slice(from, to)}, ${flow(item)} ] }`);
}

/** Removes a key with its value. */
export function removeAt(text: string, path: Path): string | undefined {
  return dropPair(text, find(text, path), () => "");
}

/** Makes a comment of a key and its value, so that what is said of it above still stands above it. */
export function commentOutAt(text: string, path: Path): string | undefined {
  return dropPair(text, find(text, path), (lines) => lines.replaceAll(/^( *)(?=\S)/gm, "$1# "));
}

/** Gives a key another name, which no other key of its map has. */
export function renameAt(text: string, path: Path, name: string): string | undefined {
  const { pair, map } = find(text, path) ?? {};
  if (pair === undefined || find(text, [...path.slice(0, -1), name]) !== undefined)
    return undefined;
  if (!isMap(map?.node)) return undefined;
  return splice(text, ...rangeOf(pair.key), pairText(name, "").slice(0, -': ""'.length));
}

function parseText(text: string) {
  const options = { schema: "failsafe", uniqueKeys: false, keepSourceTokens: true } as const;
  const document = parseDocument(text, { ...options, logLevel: "silent" });
  return document.errors.length > 0 ? undefined : document;
}

function find(text: string, path: Path): Place | undefined {
  const document = parseText(text);
  if (document === undefined) return undefined;
  let place: Place = { node: document.contents };
  for (const key of path) {
    const { node } = place;
    if (isMap(node)) {
      const pair = node.items.find((one) => isScalar(one.key) && one.key.value === String(key));
      if (pair === undefined) return undefined;
      place = { node: pair.value, pair, map: place };
    } else if (isSeq(node) && typeof key === "number" && key < node.items.length) {
      place = { node: node.items[key] };
    } else return undefined;
  }
  return place;
}

/** Where a node stands, without the blanks after it. */
function rangeOf(node: unknown): [from: number, to: number] {
  const [from = 0, to = 0] = (isNode(node) && node.range) || [];
  return [from, to];
}

/** Where the value of a pair begins, with the blanks before it. */
function valueStart({ key, srcToken }: YamlPair): number {
  const colon = srcToken?.sep?.find(({ type }) => type === "map-value-ind");
  return colon === undefined ? rangeOf(key)[1] : colon.offset + 1;
}

/** Where a pair ends, without the blanks and comments after it. */
function endOf(text: string, pair: YamlPair): number {
  return isBlank(text, pair.value) ? valueStart(pair) : endOfNode(text, pair.value);
}

function endOfNode(text: string, node: unknown): number {
  if (isMap(node) && node.flow !== true) return endOf(text, node.items.at(-1) as YamlPair);
  const [from, to] = rangeOf(node);
  return from + text.slice(from, to).trimEnd().length;
}

function isBlank(text: string, node: unknown): boolean {
  return text.slice(...rangeOf(node)).trim() === "";
}

/** Whether a value has lines of its own, below its key. */
function isBlock(node: unknown): boolean {
  if (isCollection(node)) return node.flow !== true;
  return isScalar(node) && (node.type === "BLOCK_FOLDED" || node.type === "BLOCK_LITERAL");
}

function replaceValue(text: string, pair: YamlPair, value: unknown): string {
  const { value: node } = pair;
  if (!isBlank(text, node) && !isBlock(node)) return splice(text, ...rangeOf(node), flow(value));
  return splice(text, valueStart(pair), endOf(text, pair), ` ${flow(value)}`);
}

function addPair(text: string, around: Place, key: string, value: unknown): string | undefined {
  const { node: map, pair, map: outer } = around;
  const isEmpty = isMap(map) ? map.items.length === 0 : isBlank(text, map);
  if (isEmpty && pair !== undefined) {
    if (!isBlock(outer?.node)) return replaceValue(text, pair, { [key]: value });
    const line = `\n${indentOf(text, pair.key)}  ${pairText(key, value)}`;
    return splice(text, valueStart(pair), endOf(text, pair), line);
  }
  if (!isMap(map) || isEmpty) return undefined;
  const end = endOf(text, map.items.at(-1) as YamlPair);
  if (map.flow === true) return splice(text, end, end, `, ${pairText(key, value)}`);
  const lineEnd = endOfLine(text, end);
  const line = `\n${indentOf(text, map)}${pairText(key, value)}`;
  return splice(text, lineEnd, lineEnd, line);
}

function dropPair(
  text: string,
  place: Place | undefined,
  rest: (lines: string) => string,
): string | undefined {
  const { pair, map: around } = place ?? {};
  const map = around?.node;
  if (pair === undefined || !isMap(map)) return undefined;
  const at = map.items.indexOf(pair);
  const next = map.items[at + 1];
  const [start] = rangeOf(pair.key);
  const end = endOf(text, pair);
  if (map.flow === true) {
    if (map.items.length === 1) return splice(text, ...rangeOf(map), "{}");
    const [comma = ""] = /^\s*,[ \t]*/.exec(text.slice(end)) ?? [];
    if (next !== undefined) return splice(text, start, end + comma.length, "");
    const before = endOf(text, map.items[at - 1] as YamlPair);
    const isPlain = /^\s*,\s*$/.test(text.slice(before, start));
    return splice(text, isPlain ? before : start, end, "");
  }
  const lineStart = text.lastIndexOf("\n", start - 1) + 1;
  const outer = around?.pair;
  const isAfterDash = text.slice(lineStart, start).trim() !== "";
  const isLast = map.items.length === 1;
  if (isAfterDash || (isLast && outer === undefined)) return undefined;
  const lines = rest(text.slice(lineStart, endOfLine(text, end)));
  const to = endOfLine(text, end) + (lines === "" ? 1 : 0);
  const left = splice(text, lineStart, to, lines);
  if (!isLast || outer === undefined) return left;
  return splice(left, valueStart(outer), valueStart(outer), " {}");
}

function indentOf(text: string, node: unknown): string {
  const [start] = rangeOf(node);
  return " ".repeat(start - (text.lastIndexOf("\n", start - 1) + 1));
}

function endOfLine(text: string, offset: number): number {
  const end = text.indexOf("\n", offset);
  return end < 0 ? text.length : end;
}

function splice(text: string, from: number, to: number, insert: string): string {
  return text.slice(0, from) + insert + text.slice(to);
}

/** A value as it can stand within a line. */
export function flow(value: unknown): string {
  const list = stringify([value], { collectionStyle: "flow", lineWidth: 0 }).trim();
  return list.slice(1, -1).trim();
}

function pairText(key: string, value: unknown): string {
  return flow(new Map([[key, value]]))
    .slice(1, -1)
    .trim();
}
