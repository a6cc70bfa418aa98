import { crc32 } from "node:zlib";
import type { Outcome } from "../model/outcome.ts";
import type {
  AccountEnd,
  AttemptsSoFar,
  Checkpoint,
  EventRecord,
  Intent,
} from "../model/run-record.ts";
import type { RunIdentity } from "./run-identity.ts";

/*
 * The journal is a text of batches. A batch is lines, each a record, and a last line with their checksum:
 *
 *   J {…}                                      what run this is
 *   C {…}                                      a checkpoint: how much of the results is on the disk
 *   E {…}                                      the end: what the new files of the account are
 *   W <epoch ms>                               the service asks the run to wait until then
 *   I <row>[-<row>] <event> <attempt> <unanswered> <imported at>    intents of consecutive rows
 *   A <row> <event> <attempts> <unanswered> <imported at> <HTTP status>    an attempt is over
 *   O <row> <event> <status> <attempts> <unanswered> <HTTP status> <finished at> [<code and message>]    an outcome
 *   # <CRC-32 of the lines and what follows, 8 hex digits> <bytes of the journal that had reached the disk before>
 *
 * Rows are those of the run; `-` stands for an empty field. Times are ISO 8601.
 */

/** Collects the records of a batch. */
export interface BatchWriter {
  readonly isEmpty: boolean;
  run(run: RunIdentity): void;
  checkpoint(checkpoint: Checkpoint): void;
  end(end: AccountEnd): void;
  waitUntil(epochMs: number): void;
  intend(intent: Intent): void;
  attempted(soFar: AttemptsSoFar): void;
  settle(rowOfRun: number, outcome: Outcome): void;
  add(record: EventRecord): void;
  /** Characters so far. */
  readonly length: number;
  /** Returns the lines with their checksum line. @param synced bytes of the journal that are on the disk */
  take(synced: number): string;
}

export function createBatchWriter(): BatchWriter {
  let text = "";
  /** Intents of consecutive rows that differ only in the row. */
  let first = 0;
  let last = 0;
  let rangeIntent: Intent | undefined;

  const endRange = () => {
    if (rangeIntent === undefined) return;
    const { event, attempt, unanswered, importedAt } = rangeIntent;
    const rows = first === last ? `${first}` : `${first}-${last}`;
    text += `I ${rows} ${event} ${attempt} ${unanswered} ${importedAt}\n`;
    rangeIntent = undefined;
  };

  const writer: BatchWriter = {
    get isEmpty() {
      return text === "" && rangeIntent === undefined;
    },
    get length() {
      return text.length;
    },
    run(run) {
      text += `J ${JSON.stringify(run)}\n`;
    },
    checkpoint(checkpoint) {
      text += `C ${JSON.stringify(checkpoint)}\n`;
    },
    end(end) {
      endRange();
      text += `E ${JSON.stringify(end)}\n`;
    },
    waitUntil(epochMs) {
      text += `W ${epochMs}\n`;
    },
    intend(intent) {
      if (
        rangeIntent !== undefined &&
        intent.rowOfRun === last + 1 &&
        differOnlyInRow(intent, rangeIntent)
      ) {
        last++;
        return;
      }
      endRange();
      rangeIntent = intent;
      first = intent.rowOfRun;
      last = first;
    },
    attempted({ rowOfRun, event, attempts, unanswered, importedAt, httpStatus }) {
      endRange();
      text += `A ${rowOfRun} ${event} ${attempts} ${unanswered} ${importedAt || "-"} ${httpStatus ?? "-"}\n`;
    },
    settle(rowOfRun, outcome) {
      endRange();
      const { status, event, attempts, unanswered, httpStatus, finishedAt } = outcome;
      const { errorCode, error } = outcome;
      text += `O ${rowOfRun} ${event} ${status} ${attempts} ${unanswered} ${httpStatus ?? "-"} ${finishedAt ?? "-"}`;
      text += errorCode === undefined ? "\n" : ` ${JSON.stringify([errorCode, error])}\n`;
    },
    add(record) {
      switch (record.kind) {
        case "intent":
          return writer.intend(record);
        case "attempted":
          return writer.attempted(record);
        case "outcome":
          return writer.settle(record.rowOfRun, record.outcome);
        default:
          record satisfies never;
      }
    },
    take(synced) {
      endRange();
      const lines = text;
      text = "";
      return `${lines}# ${checksum(lines, synced)} ${synced}\n`;
    },
  };
  return writer;
}

function differOnlyInRow(one: Intent, other: Intent): boolean {
  return (
    one.event === other.event &&
    one.attempt === other.attempt &&
    one.unanswered === other.unanswered &&
    one.importedAt === other.importedAt
  );
}

/** A record of a batch. */
export type JournalRecord =
  | { readonly kind: "run"; readonly run: RunIdentity }
  | { readonly kind: "checkpoint"; readonly checkpoint: Checkpoint }
  | { readonly kind: "end"; readonly end: AccountEnd }
  | { readonly kind: "wait"; readonly untilMs: number }
  | EventRecord;

/** The last line of a batch; undefined if the line is not one. */
export function readChecksumLine(line: string): { checksum: string; synced: number } | undefined {
  const [, sum, synced] = /^# ([\da-f]{8}) (\d+)$/.exec(line) ?? [];
  return sum === undefined ? undefined : { checksum: sum, synced: Number(synced) };
}

export function checksum(lines: string | Buffer, synced: number): string {
  return crc32(String(synced), crc32(lines)).toString(16).padStart(8, "0");
}

/**
 * Reads the records of a line; the checksum of its batch must be valid.
 *
 * @throws if it is not a record: a journal of another version
 */
export function* readRecords(line: string): Generator<JournalRecord> {
  const [kind, ...fields] = line.split(" ");
  const rest = line.slice(2);
  switch (kind) {
    case "J":
      return yield { kind: "run", run: JSON.parse(rest) as RunIdentity };
    case "C":
      return yield { kind: "checkpoint", checkpoint: JSON.parse(rest) as Checkpoint };
    case "E":
      return yield { kind: "end", end: JSON.parse(rest) as AccountEnd };
    case "W":
      return yield { kind: "wait", untilMs: Number(rest) };
    case "I": {
      const [rows = "", event, attempt, unanswered, importedAt = ""] = fields;
      const [from, to = from] = rows.split("-").map(Number);
      const counts = { attempt: Number(attempt), unanswered: Number(unanswered) };
      for (let rowOfRun = from as number; rowOfRun <= (to as number); rowOfRun++) {
        yield { kind: "intent", rowOfRun, event: Number(event), ...counts, importedAt };
      }
      return;
    }
    case "A": {
      const [row, event, attempts, unanswered, importedAt, status] = fields;
      return yield {
        kind: "attempted",
        rowOfRun: Number(row),
        event: Number(event),
        attempts: Number(attempts),
        unanswered: Number(unanswered),
        importedAt: orUndefined(importedAt) ?? "",
        ...httpStatusOf(status),
      };
    }
    case "O":
      return yield readOutcome(fields, rest);
    default:
      throw new Error(`"${kind}" is not a record of a journal`);
  }
}

const fieldsOfOutcome = 7;

function readOutcome(fields: readonly string[], rest: string): EventRecord {
  const [row, event, status, attempts, unanswered, http, finishedAt] = fields;
  const plain = fields.slice(0, fieldsOfOutcome).join(" ");
  const [errorCode, error] =
    rest === plain ? [] : (JSON.parse(rest.slice(plain.length + 1)) as [string, string?]);
  const at = orUndefined(finishedAt);
  return {
    kind: "outcome",
    rowOfRun: Number(row),
    outcome: {
      status: status as Outcome["status"],
      event: Number(event),
      attempts: Number(attempts),
      unanswered: Number(unanswered),
      ...httpStatusOf(http),
      ...(errorCode === undefined ? {} : { errorCode }),
      ...(error === undefined ? {} : { error }),
      ...(at === undefined ? {} : { finishedAt: at }),
    },
  };
}

function orUndefined(field: string | undefined): string | undefined {
  return field === "-" ? undefined : field;
}

function httpStatusOf(field: string | undefined): { httpStatus?: number } {
  const status = orUndefined(field);
  return status === undefined ? {} : { httpStatus: Number(status) };
}
