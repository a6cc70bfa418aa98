import { existsSync } from "node:fs";
import { readFile, realpath, stat } from "node:fs/promises";
import { basename } from "node:path";
import { parse } from "yaml";
import { writeAtomically } from "../model/disk/atomic-file.ts";
import { cannotStart, reasonOf } from "../model/errors.ts";
import type { GivenReading } from "../model/reading.ts";
import type { Row } from "../model/row.ts";
import type { StopSignal } from "../model/stop.ts";
import { isRecord } from "../model/yaml-document.ts";
import { checkImport } from "../run/check/check.ts";
import { type CellCounts, createCellCounts } from "../run/check/count-cells.ts";
import { createProblemGroups } from "../run/check/group-problems.ts";
import { previewRow } from "../run/check/preview.ts";
import { MappingInvalidError, readMapping } from "../run/prepare/read-mapping.ts";
import type {
  Answer,
  Checked,
  Counted,
  CountQuestion,
  RowQuestion,
  SaveAnswer,
  SaveRequest,
  Way,
} from "./contract.ts";
import { yamlContent } from "./edit-yaml.ts";

export type MappingDocument = Awaited<ReturnType<typeof openMappingDocument>>;

/**
 * Opens the mapping file that the page shows, and the only one that it writes.
 *
 * @throws CannotStartError if the page cannot edit it
 */
export async function openMappingDocument(given: string, input: string, reading: GivenReading) {
  // Through a link, so that a save replaces the file and not the link.
  const path = await realpath(given).catch(() => {
    throw cannotStart("mapping_not_found", given);
  });
  const draft = (text: string) => ({ path, text });
  /** The file's text; blank if it was removed meanwhile, so that a page can write it again. */
  const read = async () =>
    existsSync(path) ? (await readFile(path, "utf8")).replaceAll("\r\n", "\n") : "";
  // What is wrong with its content is shown on the page; what is no text would be damaged by a save.
  await readMapping(path, async () => undefined).catch((error: { readonly code?: string }) => {
    if (error.code !== "mapping_invalid") throw error;
  });
  return {
    name: basename(path),
    input: basename(input),
    read,
    async save({ text, before }: SaveRequest): Promise<SaveAnswer> {
      try {
        const found = await read();
        if (found !== before && found !== text) return { kind: "changed", text: found };
        const { mode } = existsSync(path) ? await stat(path) : { mode: 0o644 };
        await writeAtomically(path, text, mode & 0o777);
        return { kind: "saved" };
      } catch (error) {
        return { kind: "refused", message: `The mapping cannot be written: ${reasonOf(error)}` };
      }
    },
    /** What a text in its place makes of a row: by the code that sends it. */
    row({ text, row, onlyInvalid = false }: RowQuestion, stop: StopSignal) {
      const asked = { input, mapping: draft(text), reading, row, onlyInvalid, stop };
      return answerOrRefusal(() => previewRow({ ...asked, withoutIds: true }));
    },
    check(text: string, stop: StopSignal) {
      const nulls = [Object(yamlContent(text)).null_values ?? []].flat().map(String);
      let counts: CellCounts | undefined;
      const groups = createProblemGroups(maxCases);
      const warnings: string[] = [];
      let last: Row[] = [];
      const asked = { input, mapping: draft(text), reading, stop };
      return answerOrRefusal<Checked>(async () => {
        const report = await checkImport(
          { ...asked, onWarning: (warning) => warnings.push(warning) },
          async ({ columns }) => {
            const cells = createCellCounts(columns, nulls);
            counts = cells;
            return {
              see(row, { events, problems }) {
                if (events.length + problems.length > 0) cells.see(row);
                for (const problem of problems) groups.add(row, problem);
                if (last.push(row) > 2 * maxLastRows) last = last.slice(-maxLastRows);
              },
            };
          },
        );
        const { first = [] } = report.findings.find(({ kind }) => kind === "last_rows") ?? {};
        const numbers = new Set(first.map(({ row }) => row));
        const lastRows = last.filter(({ row }) => numbers.has(row)).map(({ cells }) => cells);
        const own = { columns: counts?.counted() ?? [], nulls: counts?.nulls() ?? [] };
        return { ...report, problemGroups: groups.grouped(), warnings, lastRows, ...own };
      });
    },
    /** How many cells each way could read: by the code that sends them, in a mapping of the ways alone. */
    count({ text, ways }: CountQuestion, stop: StopSignal) {
      return answerOrRefusal(() => countReads(ways));

      async function countReads(ways: readonly Way[]): Promise<Counted[]> {
        const tallies = ways.map(() => ({ reads: 0, misfits: 0 }));
        const asked = { input, mapping: draft(mappingOfWays(text, ways)), reading, stop };
        const check = checkImport(asked, async ({ explain }) => ({
          see(row) {
            const explained = row.problem === undefined ? explain?.(row, [], "") : undefined;
            const [, ...members] = explained?.[0]?.members ?? [];
            for (const [at, { problem, value }] of members.entries()) {
              const tally = tallies[at];
              if (tally === undefined) continue;
              if (problem !== undefined) tally.misfits++;
              else if (value !== undefined) tally.reads++;
            }
          },
        }));
        return check.then(
          () => tallies,
          async (error: unknown) => {
            const wrong = problemsOfWays(error, ways);
            const others = await countReads(ways.filter((_, at) => !wrong.has(at)));
            return ways.map((_, at) => wrong.get(at) ?? (others.shift() as Counted));
          },
        );
      }
    },
  };
}

/** A mapping of the same rows, in which each way is a member: a copy of the one at its path, with other keys. */
export function mappingOfWays(text: string, ways: readonly Way[]): string {
  const content = Object(parse(text, { uniqueKeys: false, logLevel: "error" }));
  const members = ways.map(({ path, keys }, at) => {
    const found = path?.reduce((part, key) => Object(part)[key], content);
    const member = isRecord(found) || found === undefined ? found : { column: found };
    const all = Object.entries({ ...member, ...keys }).filter(([, value]) => value !== null);
    return [`way${at}`, Object.fromEntries(all)];
  });
  const own = { resource: "users", event: { value: "any" }, members: Object.fromEntries(members) };
  const others = ["events", "ordering_key", "on_key_failure", "gone", "method"];
  const without = Object.fromEntries(others.map((key) => [key, undefined]));
  return JSON.stringify({ ...content, ...without, ...own });
}

/** The ways that no mapping may have, by their places. @throws any other error, of which a check says more */
function problemsOfWays(error: unknown, ways: readonly Way[]): Map<number, Counted> {
  if (!(error instanceof MappingInvalidError)) throw error;
  const wrong = new Map<number, Counted>();
  for (const { path, message } of error.problems) {
    const at = Number(/^members\.way(\d+)/.exec(path)?.[1] ?? ways.length);
    if (ways[at] === undefined) throw error;
    wrong.set(at, { problem: message });
  }
  return wrong;
}

/** A finding names no more rows. */
const maxLastRows = 10;

/** More different cells of a column are no slips, and nobody reads them one by one. */
const maxCases = 200;

async function answerOrRefusal<What>(work: () => Promise<What>): Promise<Answer<What>> {
  try {
    return { kind: "is", what: await work() };
  } catch (error) {
    return error instanceof MappingInvalidError
      ? { kind: "document_problems", problems: error.problems }
      : { kind: "refused", message: reasonOf(error) };
  }
}
