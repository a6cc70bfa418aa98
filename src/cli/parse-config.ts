import { basename } from "node:path";
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
import { cannotStart } from "../domain/errors.ts";
import type { ConfigEntry, ConfigValue } from "./config-file.ts";

/**
 * Parses the text of a configuration file.
 *
 * @throws CannotStartError where it is no YAML, or holds something else than keys and values
 */
export function parseConfig(path: string, text: string): readonly ConfigEntry[] {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const [error] = document.errors;
  if (error !== undefined) {
    const { line, col } = lines.linePos(error.pos[0]);
    throw cannotStart("config_invalid", `${basename(path)}:${line}:${col}`, whatIsWrong(error));
  }
  const { contents } = document;
  if (contents === null || (isScalar(contents) && contents.value === null)) return [];
  if (!isMap(contents)) {
    throw cannotStart("config_invalid", basename(path), "it has to hold keys and values.");
  }
  return entriesOf(contents, document, 1);
}

/** Deeper than this there is no setting; an alias may lead round in a circle. */
const deepest = 4;

function entriesOf({ items }: YAMLMap, document: Document.Parsed, depth: number): ConfigEntry[] {
  return items.map(({ key, value }) => [
    isScalar(key) ? String(key.value) : "",
    configValue(value, document, depth),
  ]);
}

function configValue(value: unknown, document: Document.Parsed, depth: number): ConfigValue {
  const node = isAlias(value) ? value.resolve(document) : value;
  if (depth > deepest) return { kind: "nested" };
  if (isMap(node)) return { kind: "map", entries: entriesOf(node, document, depth + 1) };
  if (node === null || node === undefined) return { kind: "blank" };
  if (isSeq(node)) {
    const items = node.items.map((item) => configValue(item, document, depth + 1));
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

/** In our words: those of the parser may repeat the line, and that may hold a secret. */
function whatIsWrong({ code }: YAMLError): string {
  switch (code) {
    case "DUPLICATE_KEY":
      return "a key that is there already.";
    case "TAB_AS_INDENT":
      return "a tab, where only spaces may indent.";
    case "BAD_INDENT":
      return "indented otherwise than its neighbours.";
    case "MULTIPLE_DOCS":
      return "a second document: a configuration file holds one.";
    default:
      return "not valid YAML.";
  }
}
