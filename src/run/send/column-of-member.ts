import { createHash } from "node:crypto";
import type { RunIdentity } from "../../journal/run-identity.ts";
import { findColumnUses } from "../../mapping/column-uses.ts";
import { loadMapping } from "../../mapping/load-mapping.ts";
import { isFileAt } from "../../model/disk/exists.ts";
import { readSmallFile } from "../../model/disk/read-small-file.ts";
import type { Manifest } from "../../model/manifest.ts";
import { createOutcomeGroups } from "../../model/outcome-groups.ts";
import { inputColumnsOf } from "../../model/results-columns.ts";
import { isModule } from "../../model/run-files.ts";

/** As much as a mapping may have. */
const maxMappingBytes = 1024 * 1024;

/** What does not succeed in a run is grouped as in its report. */
export async function outcomeGroupsOf(run: Pick<RunIdentity, "columns" | "imported"> | undefined) {
  const columns = inputColumnsOf(run?.columns ?? []);
  return createOutcomeGroups(columns, await columnOfMember(run?.imported.mapping, columns));
}

/** What a service calls the cells of each column: as the mapping that was used has it, or the column's own name. */
export async function columnOfMember(
  mapping: Manifest["mapping"] | undefined,
  columns: readonly string[],
) {
  const own = columns.flatMap((column) =>
    [column, column.toLowerCase()].map((name) => [name, column] as const),
  );
  const { path = "", sha256 } = mapping ?? {};
  // A journal from elsewhere may name another machine, to which Windows would log on.
  const isElsewhere = /^[\\/]{2}/.test(path);
  const isThere = !isModule(path) && !isElsewhere && (await isFileAt(path));
  const bytes = isThere
    ? await readSmallFile(path, maxMappingBytes).catch(() => undefined)
    : undefined;
  const now = bytes && createHash("sha256").update(bytes).digest("hex");
  const loaded = bytes && now === sha256 ? loadMapping(bytes.toString("utf8")) : undefined;
  if (loaded?.kind !== "loaded") return new Map(own);
  const members = findColumnUses(loaded.mapping.spec, columns).flatMap(({ column, member }) =>
    member === undefined ? [] : [{ column, path: member.name.split(".") }],
  );
  // A service may call it by the end of its path.
  const namesOf = (path: readonly string[], column: string) =>
    [path.at(-1) ?? "", path.join(".")].map((name) => [name, column] as const);
  const named = members.flatMap(({ column, path }) => namesOf(path, column));
  // It may also name an object, of which the first column is marked.
  const objects = members
    .toReversed()
    .flatMap(({ column, path }) =>
      path.slice(1).flatMap((_, at) => namesOf(path.slice(0, at + 1), column)),
    );
  return new Map([...objects, ...own, ...named]);
}
