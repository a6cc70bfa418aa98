import type { Disk } from "../model/disk/disk.ts";
import { closedCode, isDone } from "../model/outcome.ts";
import { createOutcomeGroups } from "../model/outcome-groups.ts";
import type { RunFiles } from "../model/run-files.ts";
import { createHashedFile, type HashedFile } from "./hashed-file.ts";
import { endedLineOf } from "./result-line.ts";
import { type RefuseResults, ResultsReader } from "./results-reader.ts";
import { createTally } from "./tally.ts";

export interface MergeSource {
  /** What people call the file. */
  readonly name: string;
  readonly chunks: AsyncIterable<Buffer>;
  /** What the hash has to be; undefined if nobody knows yet. */
  readonly sha256?: string | undefined;
  /** Makes the error if they are something else. */
  readonly refuse: RefuseResults;
}

/** New results and failed rows, on the disk beside those that they will replace. */
export type MergedResults = Awaited<ReturnType<typeof mergeResults>>;

/**
 * Merges results in the order of their rows, and writes their failed rows. The lines of a row are copied as they are,
 * and all from one file.
 *
 * What it has written is gone if it throws.
 *
 * @param columnOfMember what a service calls the cells of columns
 * @param mayReplace whether the rows of a file replace those of the files before it; else they must have other rows
 * @throws DiskError, or what the sources say
 */
export async function mergeResults(
  disk: Disk,
  { newResults, newFailed }: Pick<RunFiles, "newResults" | "newFailed">,
  sources: readonly MergeSource[],
  columnOfMember: (columns: readonly string[]) => Promise<ReadonlyMap<string, string>>,
  mayReplace: boolean,
) {
  const readers: ResultsReader[] = [];
  const created: HashedFile[] = [];
  const create = async (path: string) => {
    const file = await createHashedFile(disk, path);
    created.push(file);
    return file;
  };
  const tally = createTally();
  const tallies = sources.map(() => createTally());
  let groups = createOutcomeGroups([], new Map());
  let [rows, lastRow, superseded, closed] = [0, 0, 0, 0];
  let failed: HashedFile | undefined;
  let notDone: Buffer[] = [];
  const see = (of: number) => (line: ResultsReader) => {
    const { counted: said } = line;
    const { status, errorCode } = said.outcome;
    if (line.row !== lastRow) rows++;
    lastRow = line.row ?? lastRow;
    for (const one of [tally, tallies[of]]) one?.add(said.outcome);
    if (isDone(status)) return;
    groups.add(endedLineOf(said));
    if (errorCode === "superseded") superseded++;
    if (errorCode === closedCode) closed++;
    notDone.push(Buffer.from(line.bytes()));
  };
  const writeFailed = async () => {
    const lines = Buffer.concat(notDone);
    notDone = [];
    if (failed === undefined) {
      failed = await create(newFailed);
      await failed.add(readers[0]?.header ?? lines);
    }
    await failed.add(lines);
  };
  try {
    for (const { name, chunks, refuse } of sources) {
      const reader = await ResultsReader.open(chunks, name, refuse);
      readers.push(reader);
      if (readers[0]?.header.equals(reader.header) === false) {
        throw refuse(`its columns are not those of ${readers[0].name}`);
      }
    }
    const columns = readers[0]?.inputColumns ?? [];
    groups = createOutcomeGroups(columns, await columnOfMember(columns));
    const results = await create(newResults);
    await results.add(readers[0]?.header ?? Buffer.alloc(0));
    /** In pieces, so that what did not succeed does not pile up. */
    const take = async (lines: Buffer) => {
      await results.add(lines);
      if (notDone.length > 0) await writeFailed();
    };
    for (let [at, until] = lowestOf(readers); at >= 0; [at, until] = lowestOf(readers)) {
      const reader = readers[at] as ResultsReader;
      if (reader.row !== until) {
        await reader.copyUntil(until, take, see(at));
        continue;
      }
      const by = readers.findLastIndex((other) => other.row === until);
      if (!mayReplace) throw sources[by]?.refuse(`it has row ${until}, as ${reader.name} has`);
      while (reader.row === until) await reader.next();
    }
    const read = readers.map((reader) => reader.fingerprint());
    for (const [at, { sha256, refuse }] of sources.entries()) {
      if (sha256 !== undefined && read[at]?.sha256 !== sha256) {
        throw refuse("it was changed");
      }
    }
    return {
      rows,
      tally: tally.tally,
      superseded,
      closed,
      /** What did not succeed. */
      problems: { problems: groups.groups(), ungroupedProblems: groups.ungrouped },
      /** What the lines of each source add up to. */
      tallies: tallies.map((one) => one.tally),
      results: await results.finish(),
      /** Undefined if every line succeeded or was skipped. */
      failed: await (failed as HashedFile | undefined)?.finish(),
    };
  } catch (error) {
    for (const file of created) await file.discard();
    throw error;
  } finally {
    for (const reader of readers) await reader.close();
  }
}

/** The first of the readers that has the lowest row, and the lowest of the others; -1 if all are at their end. */
function lowestOf(readers: readonly ResultsReader[]): [at: number, until: number] {
  let [at, lowest, until] = [-1, Infinity, Infinity];
  for (let index = 0; index < readers.length; index++) {
    const { row = Infinity } = readers[index] ?? {};
    if (row < lowest) [at, lowest, until] = [index, row, lowest];
    else until = Math.min(until, row);
  }
  return [at, until];
}
