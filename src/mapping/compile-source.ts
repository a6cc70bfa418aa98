import type { Step } from "../model/event.ts";
import { type Columns, isBlank } from "./columns.ts";
import { compileTemplate } from "./compile-template.ts";
import { compileTransform } from "./transform.ts";
import type { TransformSpec } from "./value-schema.ts";

/** Where a text comes from: a column, the first of some columns that is not blank, all of them, or a template. */
export interface TextSource {
  /** The text; undefined if a cell is too long for a pattern. */
  read(cells: readonly string[]): string | undefined;
  /** The steps to the text. */
  told(cells: readonly string[]): readonly Step[];
  readonly columns: readonly string[];
  /** The column and the text that a problem names. */
  shown(cells: readonly string[]): readonly [column: string, text: string];
}

export interface SourceSpec {
  readonly column?: string | undefined;
  readonly columns?: readonly string[] | undefined;
  readonly template?: string | undefined;
  readonly transform?: TransformSpec | undefined;
  readonly lookup?: { readonly key: string | readonly string[] } | undefined;
}

export function compileSource(spec: SourceSpec, columns: Columns): TextSource {
  const { template, columns: names = [spec.column ?? ""] } = spec;
  if (template !== undefined) {
    const { fill, told, inserts } = compileTemplate(template, columns);
    const own = inserts.map(({ name }) => name);
    return { read: fill, told, columns: own, shown: (cells) => [own.join(", "), fill(cells)] };
  }
  const cells = names.map((name) => columns.cell(columns.indexOf(name)));
  if (areTogether(spec)) return allOf(names, cells, spec.transform);
  const [first] = cells;
  if (first !== undefined && cells.length === 1) {
    return { ...first, columns: names, shown: (row) => [names[0] ?? "", first.read(row)] };
  }
  const firstAt = (row: readonly string[]) => cells.findIndex(({ read }) => !isBlank(read(row)));
  const read = (row: readonly string[]) => cells[firstAt(row)]?.read(row) ?? "";
  return {
    read,
    told(row) {
      const at = firstAt(row);
      return cells.slice(0, at < 0 ? undefined : at + 1).flatMap((cell) => cell.told(row));
    },
    columns: names,
    shown: (row) => [names[firstAt(row)] ?? names.join(", "), read(row)],
  };
}

/** Whether the cells of several columns are looked up together: then the transforms apply to each of them. */
export function areTogether({ columns, lookup }: SourceSpec): boolean {
  return columns !== undefined && typeof lookup?.key === "object";
}

function allOf(
  names: readonly string[],
  cells: readonly ReturnType<Columns["cell"]>[],
  transform: TransformSpec | undefined,
): TextSource {
  const apply = compileTransform(transform) ?? ((cell: string) => cell);
  return {
    read(row) {
      const texts: string[] = [];
      for (const { read } of cells) {
        const text = apply(read(row));
        if (text === undefined) return undefined;
        texts.push(text);
      }
      return joinedKey(texts);
    },
    told: (row) => cells.flatMap((cell) => cell.told(row)),
    columns: names,
    shown(row) {
      const texts = cells.map(({ read }) => read(row));
      return [names.join(", "), texts.every(isBlank) ? "" : texts.join(", ")];
    },
  };
}

/** The cells of a key of several columns as one text; blank if all of them are. */
export function joinedKey(cells: readonly string[]): string {
  const texts = cells.map((cell) => cell.trim());
  return texts.every((text) => text === "") ? "" : JSON.stringify(texts);
}
