import { type Journal, openJournal } from "../../../src/journal/journal.ts";
import { journalVersion, type RunIdentity } from "../../../src/journal/run-identity.ts";
import { type Disk, writeAll } from "../../../src/model/disk/disk.ts";
import type { Manifest, ManifestPart } from "../../../src/model/manifest.ts";
import { runFiles } from "../../../src/model/run-files.ts";
import type { Checkpoint } from "../../../src/model/run-record.ts";
import { beginning } from "../../../src/run/send/open-run.ts";
import { givenImport } from "../../journal/given-import.ts";
import type { SimulatedDisk } from "../../journal/simulated-disk.ts";
import { givenManifest } from "../../results/given-manifest.ts";
import { fingerprintOf } from "../../results/written-results.ts";

export const files = runFiles("out/people.results.csv");

export const run: RunIdentity = {
  ...{ version: journalVersion, kind: "import", part: 1 },
  imported: givenImport,
  parts: [],
  rowsTotal: null,
};

export const retry: RunIdentity = {
  ...run,
  ...{ kind: "retry", part: 2, given: "people.failed.csv", account: fingerprintOf("old results") },
};

/** The manifest of an account whose parts have ended, or of which the last one stopped. */
export function manifestOf(results: string | null, isOver = true): Manifest {
  const [part] = givenManifest.parts as [ManifestPart];
  return {
    ...givenManifest,
    parts: [{ ...part, is_over: isOver, rows: results?.length ?? 0 }],
    results: "/x/out/people.results.csv",
    results_file: results === null ? null : fingerprintOf(results),
  };
}

export async function put(disk: Disk, path: string, text: string): Promise<void> {
  await disk.remove(path);
  const file = await disk.create(path);
  await writeAll(file, Buffer.from(text), 0);
  await file.datasync();
  await disk.syncFolder(path);
}

export async function textOn(disk: SimulatedDisk, path: string): Promise<string | undefined> {
  return (await disk.read(path))?.toString();
}

/** A journal that goes on with a part. */
export function journalOn(
  disk: Disk,
  of: RunIdentity = run,
  checkpoint: Checkpoint = beginning(),
): Promise<Journal> {
  return openJournal({
    ...{ disk, path: files.journal, run: of, isFirst: true },
    ...{ reserveBytes: 0, growthBytes: Number.POSITIVE_INFINITY, now: () => 0 },
    snapshot: async (take) => take({ checkpoint, records: [] }),
    onFailure: () => {},
  });
}
