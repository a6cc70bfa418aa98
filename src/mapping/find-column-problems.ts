import { isRecord, type YamlFinding, type YamlPath } from "../model/yaml-document.ts";
import { type ColumnLookup, createColumns } from "./columns.ts";
import { type CompiledTemplate, compileTemplate } from "./compile-cell.ts";
import { withFixedTextHint } from "./compile-member.ts";
import { listOf, partsOf } from "./mapping-parts.ts";

/**
 * Looks up the columns of a mapping file whose form is wrong, so that missing columns are reported
 * together with the rest. A mapping of the right form is compiled instead, which finds the same and more.
 */
export function findColumnProblems(
  content: Readonly<Record<string, unknown>>,
  columns: readonly string[],
): YamlFinding[] {
  const known = createColumns(columns);
  const inText = (text: unknown, path: YamlPath, find: (text: string) => Lookup): YamlFinding[] => {
    const found = typeof text === "string" && text !== "" ? find(text) : undefined;
    return found?.kind === "problem" ? [{ path, message: found.message }] : [];
  };
  const inList = (list: unknown, path: YamlPath): YamlFinding[] =>
    listOf(list).flatMap((name, at) => inText(name, [...path, at], known.find));
  const inParts = partsOf(content).flatMap(({ kind, path, given }) => {
    if (kind === "member" && typeof given === "string") {
      const found = inText(given, path, known.find);
      return found.map((one) => ({ ...one, message: withFixedTextHint(one.message, given) }));
    }
    if (!isRecord(given)) return [];
    return [
      ...inText(given.column, [...path, "column"], known.find),
      ...inList(given.columns, [...path, "columns"]),
      ...inText(given.template, [...path, "template"], (text) => compileTemplate(text, known)),
    ];
  });
  return [...inList(content.ordering_key, ["ordering_key"]), ...inParts];
}

type Lookup = ColumnLookup | CompiledTemplate;
