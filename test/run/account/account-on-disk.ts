import { claimJournal, type Journal, openJournal } from "../../../src/journal/journal.ts";
import type { JournalRecord } from "../../../src/journal/read-journal.ts";
import type { RunIdentity } from "../../../src/journal/run-identity.ts";
import { type Disk, writeAll } from "../../../src/model/disk/disk.ts";
import type { Manifest, ManifestPart } from "../../../src/model/manifest.ts";
import { runFiles } from "../../../src/model/run-files.ts";
import { createFakeClock } from "../../fake-clock.ts";
import { beginOf, givenRun as run } from "../../journal/given-import.ts";
import type { SimulatedDisk } from "../../journal/simulated-disk.ts";
import { givenManifest } from "../../results/given-manifest.ts";
import { fingerprintOf } from "../../results/written-results.ts";

export const files = runFiles("out/people.results.csv");
export { run };

export const retry: RunIdentity = {
  ...run,
  ...{ kind: "retry", part: 2, given: "people.failed.csv", account: fingerprintOf("old results") },
};

/** The manifest of an account whose parts have ended, or of which the last one has not. */
export function manifestOf(results: string | null, isOver = true, part = 1): Manifest {
  const [first] = givenManifest.parts as [ManifestPart];
  const own = { ...first, part, is_over: isOver, rows: results?.length ?? 0 };
  return {
    ...givenManifest,
    parts: part === 1 ? [own] : [{ ...first, is_over: true }, own],
    results: "/x/out/people.results.csv",
    results_file: results === null ? null : fingerprintOf(results),
  };
}

export async function put(disk: Disk, path: string, text: string): Promise<void> {
  await disk.remove(path);
  const file = await disk.create(path);
  await writeAll(file, Buffer.from(text), 0);
  await file.datasync();
  await file.close();
  await disk.syncFolder(path);
}

export async function textOn(disk: SimulatedDisk, path: string): Promise<string | undefined> {
  return (await disk.read(path))?.toString();
}

/** The journal of the next process of a part, with these records behind its first. */
export async function journalOn(
  disk: Disk,
  of: RunIdentity = run,
  ...records: readonly JournalRecord[]
): Promise<Journal> {
  const clock = createFakeClock();
  const claimed = await claimJournal(disk, files, 0, clock, false);
  const settings = { disk, path: files.journal, clock, reserveBytes: 0, onFailure: () => {} };
  const journal = openJournal(settings, claimed);
  for (const record of [beginOf(of), ...records]) journal.add(record);
  if (!(await journal.write(true))) throw new Error("it cannot be written");
  return journal;
}
