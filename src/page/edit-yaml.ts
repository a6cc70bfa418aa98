import {
  type Document,
  isScalar,
  type Node,
  Pair,
  parseDocument,
  stringify,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";

/**
 * Edits of a YAML text by its nodes: comments and the order of keys stay.
 *
 * Each returns the new text, or undefined where only a person can make the edit: at a place that is not there, behind
 * an alias, or in a text that is no YAML.
 */
export type Edited = string | undefined;

export type Path = readonly string[];

/** The values of a text, all as it writes them; undefined if it is no YAML, or a value is within itself. */
export function readText(text: string): unknown {
  try {
    return JSON.parse(JSON.stringify(parseText(text).toJS()));
  } catch {
    return undefined;
  }
}

/** Sets a value, which may be a list or an object; undefined removes its key. */
export function setAt(text: string, path: Path, value: unknown): Edited {
  return change(text, (document) => {
    const { map, key, pair } = placeIn(document, path);
    if (value === undefined) map.delete(key);
    else if (pair !== undefined) pair.value = inPlaceOf(pair.value, value);
    else {
      if (map.items.length === 0) map.flow = false;
      map.add(new Pair(nodeOf(key), nodeOf(value)));
    }
  });
}

export function addItem(text: string, path: Path, item: unknown): Edited {
  return change(text, (document) => (document.getIn(path, true) as YAMLSeq).add(nodeOf(item)));
}

/** Gives a key another name, which is not blank and which no other key of its map has. */
export function renameAt(text: string, path: Path, name: string): Edited {
  return change(text, (document) => {
    const { map, pair } = placeIn(document, path);
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

/** The text as nodes, each scalar a string. */
function parseText(text: string): Document {
  const options = { schema: "failsafe", uniqueKeys: false, logLevel: "silent" } as const;
  const document = parseDocument(text, options);
  if (document.errors[0] !== undefined) throw document.errors[0];
  return document;
}

function placeIn(document: Document, path: Path) {
  const key = path.at(-1) ?? "";
  const map = document.getIn(path.slice(0, -1), true) as YAMLMap;
  const isOfKey = (pair: Pair) => isScalar(pair.key) && pair.key.value === key;
  return { map, key, pair: map.items.find(isOfKey) };
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
