import { createFindings, type RowFate } from "../../src/lint/create-findings.ts";
import { findColumnUses } from "../../src/mapping/column-uses.ts";
import { acceptsLine, loadMapping } from "../../src/mapping/load-mapping.ts";
import type { Finding } from "../../src/model/finding.ts";
import { head, mapper } from "../mapping/given-mapping.ts";

/** What is found in a table, whose first line names the columns, by a mapping of its own. */
export function findingsOf(
  mapping: string,
  [columns = [], ...lines]: readonly (readonly string[])[],
  options: {
    readonly accepts?: typeof acceptsLine;
    readonly fateOf?: (row: number) => RowFate;
  } = {},
): readonly Finding[] {
  const text = `${head}${mapping}`;
  const loaded = loadMapping(text);
  if (loaded.kind === "invalid") throw new Error("the mapping is wrong");
  const uses = findColumnUses(loaded.mapping.spec, columns);
  const findings = createFindings(uses, options.accepts ?? acceptsLine, 2026);
  const mapRow = mapper(text, columns);
  lines.forEach((cells, index) => {
    const row = { row: index + 1, line: index + 2, cells };
    findings.see(row, options.fateOf?.(row.row) ?? "sent", mapRow(row).orderingKey);
  });
  return findings.found();
}

/** The same for one column that becomes a member as the mapping says, without what is about rows. */
export function findingsIn(
  member: string,
  cells: readonly string[],
  options: Parameters<typeof findingsOf>[2] & { readonly column?: string } = {},
): readonly Finding[] {
  const { column = "A" } = options;
  const found = findingsOf(
    `members:\n  it: ${member}\n`,
    [[column], ...cells.map((cell) => [cell])],
    options,
  );
  return found.filter(({ column }) => column !== undefined);
}

/** What a test compares: the kind, how many, in which rows, and the line that is suggested. */
export function short(findings: readonly Finding[]) {
  return findings.map(({ kind, count, first, suggestion }) => [
    kind,
    count,
    first.map(({ row }) => row),
    ...(suggestion === undefined ? [] : [suggestion]),
  ]);
}
