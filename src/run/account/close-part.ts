import { selectedRows } from "../../journal/read-journal.ts";
import { nextProcess } from "../../journal/run-identity.ts";
import { isBegun } from "../../journal/unsettled-events.ts";
import type { Disk } from "../../model/disk/disk.ts";
import { DiskError } from "../../model/errors.ts";
import { closedCode, type Outcome } from "../../model/outcome.ts";
import { rowsOrUnknown } from "../../model/quantities.ts";
import { inputColumnsOf, sourceColumn } from "../../model/results-columns.ts";
import type { AccountLine, Row } from "../../model/row.ts";
import type { RunSummary } from "../../model/run-events.ts";
import type { RunFiles } from "../../model/run-files.ts";
import type { EventBefore, Fingerprint, LineRecord } from "../../model/run-record.ts";
import { resultLine } from "../../results/result-line.ts";
import { type OpeningContext, openRun } from "../send/open-run.ts";
import type { PartOnRecord } from "../send/part-record.ts";
import { whyNotSealed } from "../send/seal.ts";
import { manifestWith, sealedManifest } from "./account-manifest.ts";
import { completePart } from "./complete-part.ts";

/**
 * Completes a part that nobody resumes: what was sent and has no answer is `unknown`, rows that were never begun
 * are a count in the manifest, and those of a retry stay as they are. Whoever calls it holds the lock.
 *
 * @param context of which the part is `unfinished`, and its journal has been claimed
 * @param renderState of a night: writes what the service has by now beside its state
 * @throws CannotStartError, or DiskError: then the part is as it was
 */
export async function closePart(
  context: OpeningContext,
  renderState?: () => Promise<Fingerprint>,
): Promise<RunSummary> {
  const { files, ports, settings, unfinished } = context;
  const { clock, stateFolder, onNotice } = settings;
  if (unfinished === undefined) throw new Error("no part is unfinished");
  const { disk } = ports;
  const { finished_at } = unfinished.record.processes.at(-1) ?? {};
  const isTrusted = (await whyNotSealed(files.journal, unfinished.run, stateFolder)) === undefined;
  const run = nextProcess(unfinished.run, clock.date().toISOString());
  const part = await openRun(context, run, isTrusted);
  const { journal, record, add } = part;
  try {
    const now = clock.date().toISOString();
    const closing = await linesOfOpenRows(disk, files, { run, record }, finished_at ?? now);
    for (const line of closing) add(line);
    add({ kind: "stop", atMs: 0, finishedAt: now, exitReason: "closed" });
    if (!(await journal.write(true))) throw new DiskError(`${journal.path} cannot be written`);

    const { count: settled } = record.rows;
    const isFirst = run.kind === "import";
    // How many rows an input has that was not checked, is known at its end.
    const rows = isFirst ? (record.rowsAtEnd ?? run.rowsTotal) : settled;
    const neverBegun = rows === null ? null : Math.max(0, rows - settled);
    const said = {
      journal: journal.number,
      exit_reason: "closed" as const,
      ...(neverBegun === 0 ? {} : { never_begun: neverBegun }),
      message: `The account was closed before all of it was sent${neverBegun === 0 ? "" : `; never begun: ${rowsOrUnknown(neverBegun)}`}.`,
    };
    return await completePart({
      ...{ disk, files, journal, part, beforeEnd: renderState },
      toContinue: "give the command again",
      warn: (message) => onNotice({ kind: "warning", message }),
      toManifest(own) {
        const closed = manifestWith(files, part, said, own);
        return sealedManifest(files.manifest, closed, isTrusted, stateFolder);
      },
    });
  } catch (error) {
    await journal.discard();
    throw error;
  }
}

/** Lines for the events that were sent and have no outcome, and for the others of their rows, as far as they are known. */
async function linesOfOpenRows(
  disk: Disk,
  files: RunFiles,
  { run, record }: Pick<PartOnRecord, "run" | "record">,
  finishedAt: string,
): Promise<LineRecord[]> {
  const hasSources = run.columns.includes(sourceColumn);
  const ofPart = { inputId: run.imported.input.id, hasSources, part: run.part };
  const blank = inputColumnsOf(run.columns).map(() => "");
  const unsettled = new Map([...record.unsettled.rows()].map((one) => [one.rowOfRun, one]));
  const begun = [...unsettled.values()].filter(({ events }) => events.some(isBegun));
  const numbers = new Set([...begun.map(({ rowOfRun }) => rowOfRun), ...record.rows.begun.keys()]);
  const selected = new Map<number, Row>();
  for await (const records of selectedRows(disk, files.journal)) {
    for (const one of records) if (numbers.has(one.rowOfRun)) selected.set(one.rowOfRun, one.row);
  }
  return [...numbers].flatMap((rowOfRun) => {
    const { row: number = 0, events = [] } = unsettled.get(rowOfRun) ?? {};
    const row = selected.get(rowOfRun) ?? { row: number, line: 0, cells: blank, origin: {} };
    const line = (at: number, cells: readonly string[], outcome: Outcome): LineRecord => ({
      ...{ kind: "line", rowOfRun, at, atMs: 0 },
      ...resultLine(row, cells, { finishedAt, ...outcome }, ofPart),
    });
    if (row.lines === undefined) {
      return completing(
        events.flatMap((event, at) =>
          event.outcome === undefined ? [line(at, blank, closed(event, closedCode))] : [],
        ),
      );
    }
    const places = record.rows.begun.get(rowOfRun);
    const lines = row.lines.flatMap((one: AccountLine, at): LineRecord[] => {
      if (places?.has(at)) return [];
      const { text, event, eventId, cells, attempts, unanswered, httpStatus } = one;
      if (text !== undefined) {
        return [{ kind: "line", rowOfRun, at, atMs: 0, text, ownAt: 0, isKept: true }];
      }
      const sent = events.find((known) => known.event === event && isBegun(known));
      const { status = "failed" } = one;
      const why = { errorCode: "not_sent", error: "not sent: the retry was closed" };
      const outcome: Outcome =
        sent === undefined
          ? { status, attempts, unanswered, httpStatus, ...why }
          : closed(sent, "interrupted");
      return [line(at, cells, { ...outcome, eventId, event })];
    });
    return completing(lines);
  });
}

function completing(lines: readonly LineRecord[]): LineRecord[] {
  return lines.map((line, at) => (at === lines.length - 1 ? { ...line, isLast: true } : line));
}

function closed(sent: EventBefore, errorCode: string): Outcome {
  const { event, attempts, unanswered, httpStatus } = sent;
  const unsent = attempts === 0 ? "it was not sent, and" : "it was to be sent again, and";
  return {
    ...{ event, attempts, unanswered, errorCode },
    status: unanswered > 0 ? "unknown" : "failed",
    error: `${unanswered > 0 ? "it may have arrived, and" : unsent} the account was closed`,
    httpStatus,
  };
}
