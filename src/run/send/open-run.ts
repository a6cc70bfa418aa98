import { isDeepStrictEqual } from "node:util";
import { claimJournal, type Journal, openJournal, unclaimJournal } from "../../journal/journal.ts";
import type { JournalRecord } from "../../journal/read-journal.ts";
import type { RunIdentity } from "../../journal/run-identity.ts";
import { cannotStart, DiskError, reasonOf, stopForDisk } from "../../model/errors.ts";
import type { Manifest } from "../../model/manifest.ts";
import { readManifest } from "../../results/manifest.ts";
import type { ImportSettings } from "../options/import-settings.ts";
import { outcomeGroupsOf } from "./column-of-member.ts";
import { createPartRecord, type PartRecord } from "./part-record.ts";
import type { ImportPorts, RunContext } from "./run-context.ts";
import { sealOf } from "./seal.ts";

/** The journal of a part, opened, and what it says so far. */
export interface OpenRun {
  /** The identity of the run, sealed. */
  readonly run: RunIdentity;
  /** What the account was before the part; undefined in the first part. */
  readonly before: Manifest | undefined;
  readonly journal: Journal;
  readonly record: PartRecord;
  /** When the process began, by its clock: the times of records count from it. */
  readonly startedMs: number;
  /** The manifest as it was in its file: the seal covers that. */
  readonly manifestBefore: Manifest | undefined;
  /** Adds a record to the journal, and to what is on record. */
  add(...record: Parameters<PartRecord["take"]>): void;
}

/** What an outcome and its neighbours may take in the journal when the disk is full. */
const journalBytesPerEvent = 2048;

export function reserveFor(concurrency: number): number {
  return 2 * concurrency * journalBytesPerEvent;
}

/** What of a run is needed to open its journal. */
export interface OpeningContext
  extends Pick<RunContext, "files" | "before" | "unfinished" | "claimed" | "stop"> {
  readonly settings: Pick<ImportSettings, "clock" | "concurrency" | "onNotice"> & {
    readonly stateFolder?: string | undefined;
  };
  readonly ports: Pick<ImportPorts, "disk">;
}

/**
 * Begins to write the journal of a part, or that of the next process of an unfinished part. The journal is the first
 * file that a part makes, and the last that it removes.
 *
 * @param isTrusted whether what it continues may be sealed
 * @throws CannotStartError if there is no space, or no permission, to start
 */
export async function openRun(
  context: OpeningContext,
  identity: RunIdentity,
  isTrusted = true,
): Promise<OpenRun> {
  const { settings, files, before, unfinished, stop, ports } = context;
  const { clock, concurrency } = settings;
  const startedMs = clock.now();
  const claimed =
    context.claimed ?? (await claimJournal(ports.disk, files, before?.journal ?? 0, clock, true));
  const read = await readManifest(files.manifest, ports.disk);
  const known = read.kind === "manifest" ? read.manifest : undefined;
  // Where no lock reaches, another process may have begun a part, and ended it.
  if (unfinished === undefined && !isDeepStrictEqual(known, before)) {
    await unclaimJournal(ports.disk, claimed);
    throw read.kind === "unreadable"
      ? cannotStart("manifest_unreadable", files.manifest, read.message)
      : cannotStart("locked", files.results);
  }
  let failure: unknown;
  let hasBegun = false;
  const journal = openJournal(
    {
      disk: ports.disk,
      path: files.journal,
      clock,
      reserveBytes: reserveFor(concurrency),
      onFailure(error) {
        failure = error;
        if (!hasBegun) return;
        const message = `${claimed.path} cannot be written: ${reasonOf(error)}`;
        stop.abort(stopForDisk(error instanceof DiskError ? error : new DiskError(message)));
      },
    },
    claimed,
  );
  const record = unfinished?.record ?? createPartRecord(await outcomeGroupsOf(identity));
  const manifestBefore =
    before !== undefined && read.kind === "manifest" ? (read.written as Manifest) : undefined;
  const add = (one: JournalRecord, settled?: Parameters<PartRecord["take"]>[1]) => {
    if (!record.take(one, settled)) throw new Error(`a record does not fit: ${one.kind}`);
    journal.add(one);
  };
  const figures = unfinished === undefined ? before?.figures : undefined;
  const run = isTrusted ? await sealed(context, identity) : identity;
  add({
    kind: "run",
    run,
    read: unfinished?.read ?? {},
    ...(figures === undefined ? {} : { figures }),
  });
  if (!(await journal.write(true))) {
    // If it cannot be removed, it says that nothing has been sent yet.
    await journal.discard().catch(() => {});
    throw cannotStart("output_not_writable", claimed.path, reasonOf(failure));
  }
  hasBegun = true;
  return { run, before, journal, record, startedMs, manifestBefore, add };
}

/** Seals what a run was started with, so that a resume can trust it. */
async function sealed({ files, settings }: OpeningContext, run: RunIdentity): Promise<RunIdentity> {
  try {
    return { ...run, seal: await sealOf(files.journal, run, settings.stateFolder) };
  } catch (error) {
    const message = `This run is not sealed (${reasonOf(error)}): retry and resume will ask for its address and mapping. XDG_STATE_HOME names another folder for the key.`;
    settings.onNotice({ kind: "warning", message });
    return run;
  }
}
