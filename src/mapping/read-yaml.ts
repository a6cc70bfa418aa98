import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  type YAMLError,
  type YAMLMap,
} from "yaml";
import type { z } from "zod";
import type { MappingProblem } from "../model/mapping-problem.ts";
import {
  checkNodes,
  findOddNodes,
  keyText,
  offsetOf,
  type YamlPart,
  type YamlPath,
} from "./check-yaml.ts";
import { mappingFile } from "./schema.ts";
import { isAsWritten, isNullWritten } from "./schema-parts.ts";

/** A YAML (or JSON, which is YAML too) file read, with the means to name places in it. */
export interface YamlFile {
  /** As JavaScript has it; of a key that stands twice, the last counts. */
  readonly content: unknown;
  /** What is wrong with it, and yet leaves its content worth looking at. */
  readonly problems: readonly MappingProblem[];
  /** Makes a problem of something found at a place in the file. */
  problemAt(path: YamlPath, message: string, part?: YamlPart): MappingProblem;
}

export type YamlResult =
  | { readonly kind: "read"; readonly file: YamlFile }
  | { readonly kind: "invalid"; readonly problems: readonly MappingProblem[] };

/** Many aliases that stand for one another unfold to more than any memory holds. */
const maxAliasCount = 100;

/** Each takes time and memory several times over: they are checked before they are compiled. */
const mostEntries = 50_000;
/** To resolve one, the library goes over all that is before it. */
const mostAliases = 1000;

export function readYaml(text: string): YamlResult {
  const lineCounter = new LineCounter();
  // The library compares each key with all before it; checkNodes does so once.
  const document = parseDocument(text, { lineCounter, prettyErrors: false, uniqueKeys: false });
  const problemOn = (offset: number | undefined, path: YamlPath, message: string) => {
    const shown = path.map(String).join(".");
    if (offset === undefined) return { path: shown, message };
    const { line, col } = lineCounter.linePos(offset);
    const excerpt = excerptOf(text, line, lineCounter.lineStarts[line - 1] ?? 0, offset);
    return { line, column: col, path: shown, message, excerpt };
  };
  if (document.errors.length > 0) {
    const problems = firstOfEach(document.errors).map((error) =>
      problemOn(error.pos[0], [], describeSyntax(error)),
    );
    return { kind: "invalid", problems };
  }

  const root = document.contents;
  const odd = findOddNodes(root);
  if (odd.length > 0) {
    const problems = odd.map(({ offset, path, message }) => problemOn(offset, path, message));
    return { kind: "invalid", problems };
  }
  const problemAt: YamlFile["problemAt"] = (path, message, part) =>
    problemOn(offsetOf(root, path, part), path, message);
  if (!isMap(root)) {
    const message = "is not a mapping: it needs version, resource, event and members";
    return { kind: "invalid", problems: [problemAt([], message)] };
  }
  const entries = countEntries(root);
  if (entries.all > mostEntries || entries.aliases > mostAliases) {
    return { kind: "invalid", problems: [problemAt([], describeExcess(entries))] };
  }
  keepAsWritten(root, mappingFile);
  const findings = checkNodes(document);
  const problems = findings.map(({ offset, path, message }) => problemOn(offset, path, message));
  if (findings.some(({ kind }) => kind === "alias")) return { kind: "invalid", problems };
  const content = toContent(document);
  if (content === undefined) {
    const message = "its aliases (*name) stand for too much: write out what is meant";
    return { kind: "invalid", problems: [...problems, problemAt([], message)] };
  }
  return { kind: "read", file: { content, problemAt, problems } };
}

interface Entries {
  all: number;
  aliases: number;
}

/** The values of keys and the items of lists. */
function countEntries(root: YAMLMap): Entries {
  const entries = { all: 0, aliases: 0 };
  const count = (node: unknown): void => {
    entries.all++;
    if (isAlias(node)) entries.aliases++;
    else if (isMap(node)) for (const { value } of node.items) count(value);
    else if (isSeq(node)) for (const item of node.items) count(item);
  };
  count(root);
  return entries;
}

function describeExcess({ all, aliases }: Entries): string {
  return all > mostEntries
    ? `holds ${all} keys and items, more than ${mostEntries}: put long lists of values into a CSV file, and look them up there (lookup)`
    : `holds ${aliases} aliases (*name), more than ${mostAliases}: write out what is meant`;
}

function toContent(document: Document): unknown {
  try {
    return document.toJS({ maxAliasCount });
  } catch (error) {
    if (error instanceof ReferenceError) return undefined;
    throw error;
  }
}

/** What is nested too deeply is reported once for every level. */
function firstOfEach(errors: readonly YAMLError[]): YAMLError[] {
  const tooDeep = errors.find(({ code }) => code === "RESOURCE_EXHAUSTION");
  return tooDeep === undefined ? [...errors] : [tooDeep];
}

function describeSyntax({ code, message }: YAMLError): string {
  switch (code) {
    case "TAB_AS_INDENT":
      return "not valid YAML: indented with a tab; use spaces";
    case "MULTIPLE_DOCS":
      return "not valid YAML: a second document begins here (---); write one mapping a file";
    case "RESOURCE_EXHAUSTION":
      return "not valid YAML: nested too deeply; a mapping needs a few levels";
    default:
      return `not valid YAML: ${message}`;
  }
}

const widest = 96;
const before = 60;

/**
 * A line of a file and, below it, a caret that points at a place in it. Of a long line, the part around
 * the place.
 *
 * @param line from 1
 * @param offset of the place in the text
 * @param lineStart offset of the line in the text
 */
function excerptOf(
  text: string,
  line: number,
  lineStart: number,
  offset: number,
): readonly string[] {
  const start = offset - lineStart > before ? offset - before : lineStart;
  const [whole = ""] = /^[^\r\n]*/.exec(text.slice(start, start + widest + 1)) ?? [];
  const cut = start > lineStart ? "…" : "";
  const isLonger = whole.length > widest;
  const shown = `${cut}${visible(whole.slice(0, widest))}${isLonger ? "…" : ""}`;
  const lead = `${cut}${visible(text.slice(start, offset))}`.replaceAll(/./gsu, " ");
  const margin = String(line);
  return [`${margin} | ${shown}`.trimEnd(), `${" ".repeat(margin.length)} | ${lead}^`];
}

/** What a terminal would not show as one character takes the place of one. */
function visible(text: string): string {
  return text.replaceAll("\t", " ").replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, "�");
}

/**
 * YAML makes a number of an unquoted `0123` and a boolean of `true`. Where a mapping names columns
 * and cells, which are text, and in `empty: null`, what the file says is what is meant; this puts
 * it back, wherever the schema says so.
 */
function keepAsWritten(node: unknown, schema: z.core.$ZodType): void {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case "optional":
      keepAsWritten(node, def.innerType);
      return;
    case "union":
      for (const option of def.options) keepAsWritten(node, option);
      return;
    case "array":
      if (isSeq(node)) for (const item of node.items) keepAsWritten(item, def.element);
      return;
    case "record":
      if (!isMap(node)) return;
      for (const { key, value } of node.items) {
        keepText(key);
        keepAsWritten(value, def.valueType);
      }
      return;
    case "object":
      if (!isMap(node)) return;
      for (const { key, value } of node.items) {
        const name = keyText(key);
        const inner = Object.hasOwn(def.shape, name) ? def.shape[name] : undefined;
        if (inner !== undefined) keepAsWritten(value, inner);
      }
      return;
    default:
      if (!isAsWritten(schema)) return;
      // Of `empty: ~` and `empty:` YAML makes the same as of `empty: null`.
      if (def.type === "enum" && isScalar(node) && node.value === null) node.value = "null";
      else if (isNullWritten(schema) || !isNullWord(node)) keepText(node);
  }
}

function keepText(node: unknown): void {
  if (isScalar(node) && typeof node.value !== "string" && node.source !== undefined) {
    node.value = node.source;
  }
}

/** Whether it is a word for nothing, such as `null`. A blank value is none: it has a message of its own. */
function isNullWord(node: unknown): boolean {
  return isScalar(node) && node.value === null && node.source !== "";
}
