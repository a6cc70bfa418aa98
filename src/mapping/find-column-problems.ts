import { type ColumnLookup, createColumns } from "./columns.ts";
import { compileTemplate } from "./template.ts";
import type { YamlPath } from "./yaml-path.ts";

interface Finding {
  readonly path: YamlPath;
  readonly message: string;
}

/**
 * Looks up the columns that a mapping file names although its form is wrong, so that those which the
 * input does not have are told together with the rest. A mapping of the right form is compiled
 * instead, which finds the same and more.
 */
export function findColumnProblems(content: unknown, columns: readonly string[]): Finding[] {
  const known = createColumns(columns);
  const column = known.find;
  const inText = (text: unknown, path: YamlPath, find: (text: string) => Lookup): Finding[] => {
    const found = typeof text === "string" && text !== "" ? find(text) : undefined;
    return found?.kind === "problem" ? [{ path, message: found.message }] : [];
  };
  const inList = (list: unknown, path: YamlPath): Finding[] =>
    listOf(list).flatMap((name, at) => inText(name, [...path, at], column));
  /** A member, the kind of event or a condition: whatever says where a cell is. */
  const inCell = (cell: unknown, path: YamlPath): Finding[] => {
    if (!isRecord(cell)) return [];
    const fill = (template: string) => compileTemplate(template, known);
    return [
      ...inText(cell.column, [...path, "column"], column),
      ...inList(cell.columns, [...path, "columns"]),
      ...inText(cell.template, [...path, "template"], fill),
    ];
  };
  const inCondition = (condition: unknown, path: YamlPath): Finding[] => {
    if (!isRecord(condition)) return [];
    const several = ["all", "any"].flatMap((key) =>
      listOf(condition[key]).flatMap((one, at) => inCondition(one, [...path, key, at])),
    );
    return [
      ...inCell(condition, path),
      ...several,
      ...inCondition(condition.not, [...path, "not"]),
    ];
  };
  const inBlock = (block: unknown, path: YamlPath): Finding[] => {
    if (!isRecord(block)) return [];
    const members = isRecord(block.members) ? Object.entries(block.members) : [];
    return [
      ...inCondition(block.only_when, [...path, "only_when"]),
      ...inCell(block.event, [...path, "event"]),
      ...members.flatMap(([name, member]) => {
        const place = [...path, "members", name];
        return typeof member === "string" ? inText(member, place, column) : inCell(member, place);
      }),
    ];
  };
  if (!isRecord(content)) return [];
  return [
    ...inList(content.order_by, ["order_by"]),
    ...inBlock(content, []),
    ...listOf(content.events).flatMap((block, at) => inBlock(block, ["events", at])),
  ];
}

type Lookup = ColumnLookup | { readonly kind: "compiled" };

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
