import {
  type Document,
  isMap,
  isScalar,
  type Node,
  Pair,
  parseDocument,
  stringify,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";
import { isRecord } from "../model/yaml-document.ts";

/**
 * Edits of a YAML text by its nodes: comments and the order of keys stay.
 *
 * Each returns the new text, or undefined where only a person can make the edit: at a place that is not there, behind
 * an alias, or in a text that is no YAML.
 */
export type Edited = string | undefined;

export type Path = readonly string[];

/** The values of a text, all as it writes them; undefined if it is no YAML, or a value is within itself. */
export function yamlContent(text: string): unknown {
  try {
    return JSON.parse(JSON.stringify(parseText(text).toJS()));
  } catch {
    return undefined;
  }
}

/**
 * Sets a value; undefined removes its key. Of an object that is there, an object sets or removes the keys that it has,
 * and a member that stands as its column alone gets its long form.
 */
export function setAt(text: string, path: Path, value: unknown): Edited {
  return change(text, (document) => {
    const map = document.getIn(path.slice(0, -1), true) as YAMLMap;
    const pair = pairOf(map, path.at(-1) ?? "");
    if (pair !== undefined && isRecord(value)) pair.value = withKeys(pair.value as Node, value);
    else setIn(map, path.at(-1) ?? "", value);
  });
}

function setIn(map: YAMLMap, key: string, value: unknown): void {
  const pair = pairOf(map, key);
  if (value === undefined) map.delete(key);
  else if (pair !== undefined) pair.value = inPlaceOf(pair.value, value);
  else {
    if (map.items.length === 0) map.flow = false;
    map.add(new Pair(nodeOf(key), nodeOf(value)));
  }
}

function withKeys(before: Node | undefined, keys: Readonly<Record<string, unknown>>): Node {
  const all = Object.entries(keys);
  const isShort = isScalar(before);
  if (isShort && all.every(([, value]) => value === undefined)) return before;
  const long = isShort ? { column: before.value } : {};
  const map = isMap(before) ? before : (inPlaceOf(before, long) as YAMLMap);
  for (const [key, value] of all) setIn(map, key, value);
  return map;
}

/** Puts back what stood at a place in an earlier text, however it was written. */
export function restoreAt(text: string, path: Path, earlier: string): Edited {
  return change(text, (document) => {
    const before = parseText(earlier).getIn(path, true);
    if (before === undefined) document.deleteIn(path);
    else document.setIn(path, before);
  });
}

/** Adds items to a list, which begins with them where there is none: of `when` they are conditions beside what is there. */
export function addItems(text: string, path: Path, items: readonly unknown[]): Edited {
  return change(text, (document) => {
    const list = document.getIn(path, true) as YAMLSeq | undefined;
    if (list !== undefined) {
      for (const item of items) list.add(nodeOf(item));
      return;
    }
    const [key = "", within] = path;
    const made = nodeOf(within === undefined ? items : { [within]: items });
    const there = document.get(key, true);
    document.set(key, made);
    if (there !== undefined) (document.getIn(path, true) as YAMLSeq).items.unshift(there);
  });
}

/** Removes the items of a list that are equal to a value, and with the last one the list and what held nothing else. */
export function removeItem(text: string, path: Path, item: unknown): Edited {
  return change(text, (document) => {
    const list = document.getIn(path, true) as YAMLSeq<Node>;
    const wanted = JSON.stringify(nodeOf(item).toJS(document));
    list.items = list.items.filter((one) => JSON.stringify(one.toJS(document)) !== wanted);
    if (list.items.length > 0) return;
    document.deleteIn(path);
    const parent = document.getIn(path.slice(0, -1), true);
    if (isMap(parent) && parent.items.length === 0) document.deleteIn(path.slice(0, -1));
  });
}

/** Gives a key another name, which is not blank and which no other key of its map has. */
export function renameAt(text: string, path: Path, name: string): Edited {
  return change(text, (document) => {
    const map = document.getIn(path.slice(0, -1), true) as YAMLMap;
    const pair = pairOf(map, path.at(-1) ?? "");
    if (pair === undefined || name === "" || map.has(name)) throw new Error("no name for it");
    pair.key = inPlaceOf(pair.key, name);
  });
}

function change(text: string, edit: (document: Document) => unknown): Edited {
  try {
    const document = parseText(text);
    edit(document);
    return document.toString({ lineWidth: 0 });
  } catch {
    return undefined;
  }
}

function parseText(text: string): Document {
  const options = { schema: "failsafe", uniqueKeys: false, logLevel: "silent" } as const;
  const document = parseDocument(text, options);
  if (document.errors[0] !== undefined) throw document.errors[0];
  return document;
}

function pairOf(map: YAMLMap, key: string): Pair | undefined {
  return map.items.find((pair) => isScalar(pair.key) && pair.key.value === key);
}

/** A value as it can stand within a line: quoted where a bare text would be something else. */
function nodeOf(value: unknown): Node {
  const list = parseText(stringify([value], { collectionStyle: "flow", lineWidth: 0 }));
  return list.get(0, true) as Node;
}

/** A value with the comments of the one before. */
function inPlaceOf(before: unknown, value: unknown): Node {
  const { comment, commentBefore, spaceBefore } = (before ?? {}) as Node;
  return Object.assign(nodeOf(value), { comment, commentBefore, spaceBefore });
}

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
    holds: (text, made) => yamlAt(text, path) === yamlAt(made, path),
    undo: (text, before) => restoreAt(text, path, before),
  };
}

export function addingItems(path: Path, items: readonly unknown[]): Change {
  return {
    apply: (text) => addItems(text, path, items),
    holds: (text) => items.every((item) => yamlAt(text, path)?.includes(JSON.stringify(item))),
    undo: (text) =>
      items.reduce<Edited>((edited, item) => edited && removeItem(edited, path, item), text),
  };
}

function yamlAt(text: string, path: Path): string | undefined {
  return JSON.stringify(path.reduce((content, key) => Object(content)[key], yamlContent(text)));
}
