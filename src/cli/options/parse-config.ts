import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  type YAMLError,
  type YAMLMap,
} from "yaml";
import type { MappingProblem } from "../../model/mapping-problem.ts";

/** Parses the text of a configuration file. What is no YAML is told, and then nothing else. */
export function parseConfig(text: string): ConfigText {
  const lines = new LineCounter();
  const placeOf = (offset: number): ConfigPlace => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const problems = firstOfEachLine(
    document.errors.map((error) => {
      const [at] = error.pos;
      const path = error.code === "DUPLICATE_KEY" ? (pathOfKeyAt(document.contents, at) ?? "") : "";
      return { ...placeOf(at), path, message: whatIsWrong(error) };
    }),
  );
  // A key that is there twice leaves the rest as it is meant.
  if (document.errors.some(({ code }) => code !== "DUPLICATE_KEY")) {
    return { entries: [], problems };
  }
  const { contents } = document;
  if (contents === null || (isScalar(contents) && contents.value === null)) {
    return { entries: [], problems };
  }
  if (!isMap(contents)) {
    const message =
      "it has to hold keys and values with a space after the colon, such as rate: 50/s";
    const problem = { ...placeOf(contents.range?.[0] ?? 0), path: "", message };
    return { entries: [], problems: [problem] };
  }
  return { entries: entriesOf(contents, { document, placeOf }, 1), problems };
}

interface Around {
  readonly document: Document.Parsed;
  placeOf(offset: number): ConfigPlace;
}

/** Deeper than this there is no setting; an alias may lead round in a circle. */
const deepest = 4;

function entriesOf({ items }: YAMLMap, around: Around, depth: number): ConfigEntry[] {
  return items.map(({ key, value }) => {
    const keyAt = startOf(key) ?? 0;
    const isBlank = isScalar(value) && value.value === null;
    return {
      key: isScalar(key) ? String(key.value) : "",
      keyAt: around.placeOf(keyAt),
      value: configValue(value, around, depth),
      valueAt: around.placeOf((isBlank ? undefined : startOf(value)) ?? keyAt),
    };
  });
}

function startOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}

function configValue(value: unknown, around: Around, depth: number): ConfigValue {
  const node = isAlias(value) ? value.resolve(around.document) : value;
  if (depth > deepest) return { kind: "nested" };
  if (isMap(node)) return { kind: "map", entries: entriesOf(node, around, depth + 1) };
  if (node === null || node === undefined) return { kind: "blank" };
  if (isSeq(node)) {
    const items = node.items.map((item) => configValue(item, around, depth + 1));
    const texts = items.flatMap((item) => (item.kind === "text" ? [item.text] : []));
    if (texts.length < items.length) return { kind: "nested" };
    return texts.length === 0 ? { kind: "blank" } : { kind: "list", items: texts };
  }
  if (!isScalar(node)) return { kind: "nested" };
  if (node.value === null) return { kind: "blank" };
  // As it is written: a file called 007 is not file 7.
  const text = node.source ?? String(node.value);
  return text.trim() === "" ? { kind: "blank" } : { kind: "text", text };
}

/** The path of the key that begins at an offset. */
function pathOfKeyAt(node: unknown, offset: number): string | undefined {
  if (!isMap(node)) return undefined;
  for (const { key, value } of node.items) {
    if (!isScalar(key)) continue;
    if (startOf(key) === offset) return String(key.value);
    const within = pathOfKeyAt(value, offset);
    if (within !== undefined) return `${String(key.value)}.${within}`;
  }
  return undefined;
}

/** One slip often gives the parser several reasons to complain. */
function firstOfEachLine(problems: readonly ConfigProblem[]): ConfigProblem[] {
  return problems.filter(
    ({ line }, at) => problems.findIndex((other) => other.line === line) === at,
  );
}

/** In our words: those of the parser may repeat the line, and that may hold a secret. */
function whatIsWrong({ code }: YAMLError): string {
  switch (code) {
    case "DUPLICATE_KEY":
      return "is there already: give it once";
    case "TAB_AS_INDENT":
      return "a tab, where only spaces may indent";
    case "BAD_INDENT":
      return "indented otherwise than its neighbours";
    case "MISSING_CHAR":
      return "not valid YAML: a quote or a bracket is opened above and never closed";
    case "BLOCK_AS_IMPLICIT_KEY":
      return "not valid YAML: a second colon; put the value in quotes";
    case "MULTIPLE_DOCS":
      return "a second document begins here (---): a configuration file holds one";
    default:
      return "not valid YAML";
  }
}

/** A problem of a configuration file: it has the form of a mapping's, but never an excerpt. */
export type ConfigProblem = Omit<MappingProblem, "excerpt">;

/** A place in the file, both from 1. */
export interface ConfigPlace {
  readonly line: number;
  readonly column: number;
}

/** A key and what stands under it. */
export interface ConfigEntry {
  readonly key: string;
  readonly keyAt: ConfigPlace;
  readonly value: ConfigValue;
  readonly valueAt: ConfigPlace;
}

/** What stands under a key: text as it is written, a list, further keys, nothing, or none of these. */
export type ConfigValue =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "list"; readonly items: readonly string[] }
  | { readonly kind: "map"; readonly entries: readonly ConfigEntry[] }
  | { readonly kind: "blank" }
  | { readonly kind: "nested" };

/** Keys and values in the order of the file, and what is wrong with its form. */
export interface ConfigText {
  readonly entries: readonly ConfigEntry[];
  readonly problems: readonly ConfigProblem[];
}
