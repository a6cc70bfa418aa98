import { resolve } from "node:path";
import type { UnfinishedRun } from "../../journal/unfinished-run.ts";
import type { Disk } from "../../model/disk/disk.ts";
import { CannotStartError, cannotStart, reasonOf } from "../../model/errors.ts";
import type { Outcome } from "../../model/outcome.ts";
import { packageVersion } from "../../model/package-files.ts";
import type { RunFiles } from "../../model/run-files.ts";
import type { EventRecord } from "../../model/run-record.ts";
import { sendingOf } from "../../model/run-settings.ts";
import { type Manifest, readManifest, writeManifest } from "../../results/manifest.ts";
import { createTally } from "../../results/tally.ts";
import { sealOf, whyNotSealed } from "../options/seal.ts";
import { completeAccount, removePart } from "./complete-account.ts";
import { readAccount } from "./read-account.ts";

interface ClosedBy {
  readonly disk: Disk;
  readonly stateFolder: string | undefined;
  readonly warn: (message: string) => void;
  /** Path of the results of the night that closes it, and when. */
  readonly by: string;
  readonly at: string;
}

/**
 * Closes the account of a night that was broken off, if it is unfinished: the next one sends what is left. Its journal
 * stays as evidence.
 *
 * @param results their path
 * @throws CannotStartError if its manifest cannot be written
 */
export async function closeAccount(
  results: string,
  { disk, stateFolder, warn, by, at }: ClosedBy,
): Promise<void> {
  const account = await readAccount(results, disk);
  if (account.kind === "damaged") warn(`The last night was broken off. ${account.error.message}`);
  if (account.kind !== "unfinished") return;
  const { files, part } = account;
  try {
    if (part.end !== undefined) {
      await completeAccount(disk, files, part.end, true);
      return await removePart(disk, files, () => disk.remove(files.journal), warn);
    }
    const read = await readManifest(files.manifest, disk);
    const isTrusted =
      read.kind === "manifest"
        ? (await whyNotSealed(files.manifest, read.written, stateFolder)) === undefined
        : (await whyNotSealed(files.journal, part.run, stateFolder)) === undefined;
    const { seal: _, ...before } = account.manifest ?? manifestOf(part, files, at);
    const closed = { ...before, closed: { by, at } };
    const seal = isTrusted
      ? await sealOf(files.manifest, closed, stateFolder).catch(() => undefined)
      : undefined;
    await writeManifest(files.manifest, { ...closed, seal }, disk);
  } catch (error) {
    if (error instanceof CannotStartError) throw error;
    throw cannotStart("output_not_writable", files.manifest, reasonOf(error));
  }
}

/** What the journal says of a night that was killed, and left no manifest. */
function manifestOf({ run, checkpoint, events }: UnfinishedRun, files: RunFiles, at: string) {
  const tally = createTally(checkpoint?.tally);
  let rows = checkpoint?.rows ?? 0;
  for (const [row, records] of events) {
    if (row <= (checkpoint?.rows ?? 0)) continue;
    if (records.every(({ kind }) => kind === "outcome")) rows++;
    tally.add(records.map(outcomeOf));
  }
  const { counts, attempts, unanswered, perhapsTwice } = tally.tally;
  const { settings, startedAt } = run;
  const { path, name, called, id, bytes, sha256 } = run.input;
  const rowsRead = Math.max(rows, run.rowsTotal ?? 0);
  const manifest: Manifest = {
    ...{ version: 2, eventload: packageVersion() },
    input: { path, name, called, id, bytes, sha256 },
    ...(run.inputs === undefined ? {} : { inputs: run.inputs.map((one) => ({ ...one })) }),
    mapping: { ...run.mapping, lookups: [...(run.mapping.lookups ?? [])] },
    base_url: run.baseUrl,
    ...(run.target === undefined ? {} : { target: run.target }),
    ...(run.state === undefined ? {} : { state: run.state }),
    options: { ...settings, ca_files: [...settings.ca_files] },
    parts: [
      {
        ...{ part: run.part, command: "import", started_at: startedAt, finished_at: null },
        ...{ rows: 0, counts: {}, attempts: 0, unanswered: 0 },
        ...{ exit_reason: null, is_over: false, ...sendingOf(settings) },
      },
    ],
    ...{ started_at: startedAt, finished_at: at, elapsed_ms: 0 },
    ...{ rows: rowsRead, events: tally.tally.events, counts, attempts, unanswered },
    perhaps_twice: perhapsTwice,
    reconciliation: {
      ...{ rows_read: rowsRead, rows_settled: rows, rows_not_settled: rowsRead - rows },
      ...{ rows_written: checkpoint?.rows ?? 0, lines: checkpoint?.tally.lines ?? 0 },
      adds_up: false,
    },
    ...{ exit_reason: "interrupted", message: null, results: resolve(files.results) },
    ...{ failed_rows: null, results_file: null, failed_rows_file: null },
  };
  return manifest;
}

function outcomeOf(
  record: EventRecord,
): Pick<Outcome, "status" | "event" | "attempts" | "unanswered"> {
  switch (record.kind) {
    case "outcome":
      return record.outcome;
    case "attempted":
      return { ...record, status: "not_sent" };
    case "intent": {
      const { event, attempt, unanswered } = record;
      return { status: "not_sent", event, attempts: attempt, unanswered: unanswered + 1 };
    }
    default:
      return record satisfies never;
  }
}
