import { isRecord, type YamlFinding, type YamlPath } from "../model/yaml-document.ts";
import { createColumns } from "./columns.ts";
import { withFixedTextHint } from "./compile-member.ts";
import { compileTemplate } from "./compile-template.ts";
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
  const inName = (name: unknown, path: YamlPath): YamlFinding[] => {
    const found = typeof name === "string" && name !== "" ? known.find(name) : undefined;
    return found?.kind === "problem" ? [{ path, message: found.message }] : [];
  };
  const inTemplate = (template: unknown, path: YamlPath): YamlFinding[] => {
    if (typeof template !== "string" || template === "") return [];
    const compiled = compileTemplate(template, known);
    if (compiled.kind === "compiled") return [];
    return compiled.messages.map((message) => ({ path, message }));
  };
  const inList = (list: unknown, path: YamlPath): YamlFinding[] =>
    listOf(list).flatMap((name, at) => inName(name, [...path, at]));
  return partsOf(content).flatMap(({ kind, path, given }) => {
    if (kind === "key_part" && typeof given === "string") return inName(given, path);
    if (kind === "member" && typeof given === "string") {
      const found = inName(given, path);
      return found.map((one) => ({ ...one, message: withFixedTextHint(one.message, given) }));
    }
    if (!isRecord(given)) return [];
    return [
      ...(isRecord(given.equals) ? inName(given.equals.column, [...path, "equals", "column"]) : []),
      ...inName(given.column, [...path, "column"]),
      ...inList(given.columns, [...path, "columns"]),
      ...inTemplate(given.template, [...path, "template"]),
    ];
  });
}
