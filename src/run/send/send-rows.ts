import { openDelivery } from "../../delivery/delivery.ts";
import type { Connections } from "../../delivery/http/connections.ts";
import { type PendingEvent, PendingRow } from "../../delivery/pending-event.ts";
import type { Source } from "../../input/source.ts";
import { keyDigest } from "../../model/blocked-keys.ts";
import { isSameService } from "../../model/endpoint.ts";
import { InputDamagedError, reasonOf, stopForDisk } from "../../model/errors.ts";
import type { LoadEvent } from "../../model/event.ts";
import { holdsBackKey, isDone, type Outcome } from "../../model/outcome.ts";
import { placeOf } from "../../model/place.ts";
import { type AccountLine, charsWhileSent, type Row } from "../../model/row.ts";
import type { ImportProgress } from "../../model/run-events.ts";
import type {
  EventBefore,
  Intent,
  KeyRecord,
  LineRecord,
  Tried,
  Writable,
} from "../../model/run-record.ts";
import type { DeliveryNotice, LimitedBy } from "../../model/sending-state.ts";
import { createStatusRules } from "../../model/status-rules.ts";
import { onAbort, type StopReason } from "../../model/stop.ts";
import { type LinesOfPart, resultLine } from "../../results/result-line.ts";
import { createMainLimit } from "../../stats/main-limit.ts";
import type { CountedInput } from "../check/check.ts";
import type { ImportSettings } from "../options/import-settings.ts";
import { type PlannedRow, planRow } from "../prepare/plan-row.ts";
import type { PreparedInput } from "../prepare/prepare-input.ts";
import type { PreparedRun } from "../prepare/prepare-run.ts";
import { createErrorLimit } from "./error-limit.ts";
import type { OpenRun } from "./open-run.ts";
import { createReadAhead } from "./read-ahead.ts";
import type { RunContext } from "./run-context.ts";

const progressEveryMs = 250;
/** What limits sending is recorded at most so often. */
const recordLimitEveryMs = 1000;

export type SentRows = Awaited<ReturnType<typeof sendRows>>;

/** Where the rows of a part come from. Import, resume, retry and night differ in this, and in nothing else. */
export interface PartRows {
  /** Whether the service has taken events before the part. */
  readonly isKnownService: boolean;
  /** Whether rows are read only once all others have settled. */
  readonly isWaiting: boolean;
  /**
   * Begins the pass over them.
   *
   * @param isSameInput whether the input is what the check has read, as far as it has been read again
   * @returns with how many rows it passes over
   */
  beginPass(
    isSameInput: () => Promise<boolean>,
  ): Promise<Pick<Source, "batches" | "close"> & { readonly rowsPassedOver: number }>;
  /** Whether a row is counted and not listed. */
  leavesOut(row: Row): boolean;
  /** What is done with a row that is listed; undefined if the input has changed since it was checked. */
  plan(row: Row): PlannedRow | undefined;
  /**
   * The events of a row are about to be handed to delivery.
   *
   * @param recorded what the part has on record of them
   * @returns all that is known of them
   */
  send(
    row: PendingRow,
    events: readonly LoadEvent[],
    recorded: readonly EventBefore[] | undefined,
  ): readonly EventBefore[] | undefined;
  /** An event is about to leave. @returns its intent; in a night, with its key if that is the first of it */
  leaving(intent: Intent): Intent;
  /** @returns in a night, what the service has of the key, if no event of it is left */
  settled(row: PendingRow): KeyRecord | undefined;
  /** Nothing is in flight any more. @returns in a night, what the service has of keys of which not all was sent */
  finish(): readonly KeyRecord[];
}

/** All rows of an input, or of what a retry has selected. */
export function rowsOfInput(input: PreparedInput): PartRows {
  return {
    isKnownService: false,
    isWaiting: false,
    beginPass: async () => ({ ...(await input.beginPass()), rowsPassedOver: 0 }),
    leavesOut: () => false,
    plan: (row) => planRow(row, input),
    send: ({ row: { lines } }, _, recorded) => (lines ? attemptsBefore(lines, recorded) : recorded),
    leaving: (intent) => intent,
    settled: () => undefined,
    finish: () => [],
  };
}

/** What of a run its parts here need. */
interface Sending {
  readonly context: RunContext;
  readonly prepared: PreparedRun;
  readonly opened: OpenRun;
  readonly rows: PartRows;
  /** Milliseconds since the process began, as its records count. */
  readonly sinceStart: () => number;
}

/**
 * Reads rows, maps them, has their events delivered, and records each line of the results when it is known, until
 * the input ends or the run stops. When it returns, nothing is in flight any more.
 *
 * @param isSameInput whether the input is what the check has read, which had so many rows
 * @returns rows of the part that were read, those of an interrupted process among them; rows of the input that were
 *   read, listed or not; why the input could not be read further; and what limited the sending
 */
export async function sendRows(
  context: RunContext,
  prepared: PreparedRun,
  linesOfPart: LinesOfPart,
  opened: OpenRun,
  { rows: rowsTotal, events: eventsTotal }: CountedInput,
  rows: PartRows,
  isSameInput: (rowsRead: number) => Promise<boolean>,
) {
  const { settings, stop } = context;
  const { clock, onNotice: notify } = settings;
  const { input } = prepared;
  const { record, startedMs } = opened;
  let inputRows = 0;
  const source = await rows.beginPass(() => isSameInput(inputRows));
  inputRows = source.rowsPassedOver;
  const window = createReadAhead(record.rows, stop.signal);
  let rowsRead = 0;
  let damage: StopReason | undefined;
  const sinceStart = () => Math.max(0, Math.round((clock.now() - startedMs) * 10) / 10);
  const sending: Sending = { context, prepared, opened, rows, sinceStart };
  const lines = createLines(sending, linesOfPart);
  const { delivery, mainLimit, end } = deliveryOf(sending, window, lines.sent);
  const progress = watch(settings, () => {
    const { attempts, ...others } = record.meter.soFar();
    return {
      phase: "send",
      rowsEnded: record.rows.count,
      rowsTotal,
      eventsTotal,
      counts: record.tally.counts,
      problems: record.problems.groups().slice(0, 3),
      sending: delivery.state(),
      attemptsSoFar: { attempts: attempts + delivery.state().inFlight, ...others },
    };
  });

  /** Has the events of a row delivered, and records the lines that are known without that. */
  const take = (row: Row, planned: PlannedRow) => {
    const pending = new PendingRow(row, ++rowsRead);
    const { events, problems, orderingKey } = planned;
    if (rowsTotal === undefined) {
      for (const problem of problems) notify({ kind: "invalid", row, problem });
    } // else a check has reported its problems
    pending.lines = planned.lines;
    pending.orderingKey = orderingKey;
    // All of it is known without sending, or some lines of a row that is retried.
    if (pending.lines.length > 0) lines.known(pending, events.length === 0);
    if (events.length === 0) window.leave(charsWhileSent(row));
    else {
      const recorded = record.unsettled.before(rowsRead);
      delivery.send(pending, events, rows.send(pending, events, recorded));
    }
    if (orderingKey !== undefined && problems.length > 0) {
      delivery.pass(orderingKey, row.row, "invalid");
    }
  };

  let limitedBy: LimitedBy | undefined;
  try {
    reading: for await (const batch of source.batches) {
      if (stop.signal.aborted) break;
      for (const row of batch) {
        if (row.isGone !== true) inputRows++;
        if (rows.leavesOut(row)) continue;
        if (record.rows.isDone(rowsRead + 1)) {
          rowsRead++; // an earlier process has completed it
          continue;
        }
        // Where there is nothing to wait for, not even a promise is waited for.
        const room = delivery.room();
        if (room !== undefined) await room;
        const entered = window.enter(rowsRead + 1, charsWhileSent(row));
        if (entered !== undefined) await entered;
        if (stop.signal.aborted) break reading;
        const planned = rows.plan(row);
        if (planned === undefined) {
          const message = `${input.name} was changed while it was read: the results hold what was read.`;
          damage = { code: "input_changed", message };
          break reading;
        }
        take(row, planned);
      }
    }
  } catch (error) {
    // The rows before the damage are sound: they are sent before the run stops.
    const isDamage = error instanceof InputDamagedError;
    const why = isDamage ? error.message : reasonOf(error);
    const file = (isDamage ? error.file : undefined) ?? input.name;
    // Selected rows are a file of the run, which a resume reads again.
    if (context.given !== undefined) stop.abort(stopForDisk(error));
    else damage = { code: "input_damaged", message: `${file}: ${why}` };
  } finally {
    await delivery.finish();
    limitedBy = mainLimit();
    await end();
    for (const known of rows.finish()) opened.add(known);
    await source.close();
    progress.end();
  }
  return { rowsRead, inputRows, damage, limitedBy };
}

/** Records the lines of rows, and stops the run if too many say that something went wrong. */
function createLines({ context, prepared, opened, sinceStart }: Sending, of: LinesOfPart) {
  const { settings, stop } = context;
  const { onKeyFailure } = prepared.input;
  const { record, add } = opened;
  const errorLimit = createErrorLimit(settings.maxErrors, stop, record.tally.counts, record.rows);

  /** @param at the line's place among those of the row */
  const addLine = (
    { row, rowOfRun, orderingKey }: PendingRow,
    at: number,
    cells: readonly string[],
    outcome: Outcome,
    isLast: boolean,
    tried?: Tried,
  ) => {
    const { status, errorCode } = outcome;
    // One that is superseded has others of its key behind it that have arrived.
    const isHeldBack =
      orderingKey !== undefined && errorCode !== "superseded" && holdsBackKey(status, onKeyFailure);
    const { text, ownAt } = resultLine(row, cells, outcome, of);
    const atMs = sinceStart();
    const line: Writable<LineRecord> = { kind: "line", rowOfRun, at, text, ownAt, atMs };
    if (isLast) line.isLast = true;
    if (isHeldBack) line.holdsBack = keyDigest(orderingKey);
    if (tried !== undefined) line.tried = tried;
    add(line, isDone(status) ? { outcome, place: row } : undefined);
  };

  return {
    /** Lines of a row that are known without sending. @param isWhole whether these are all its lines */
    known(pending: PendingRow, isWhole: boolean) {
      const { rowOfRun, lines } = pending;
      const finishedAt = settings.clock.date().toISOString();
      for (const [at, line] of lines.entries()) {
        const isLast = isWhole && at === lines.length - 1;
        if (line.kind === "settled") {
          if (line.outcome.status === "invalid") errorLimit.invalid(rowOfRun);
          addLine(pending, at, line.cells, { ...line.outcome, finishedAt }, isLast);
        }
        if (line.kind !== "kept") continue;
        const kept = { text: line.text, ownAt: 0, atMs: sinceStart(), isKept: true } as const;
        add({ kind: "line", rowOfRun, at, ...kept, ...(isLast ? { isLast } : {}) });
      }
      errorLimit.judge();
    },
    /** The line of an event that delivery had. */
    sent({ row: pending, place }: PendingEvent, outcome: Outcome, tried?: Tried) {
      const { row, lines, unsettled } = pending;
      const found = lines.findIndex((line) => line.kind === "sent" && line.place === place);
      const line = lines[found];
      const [at, cells] = line?.kind === "sent" ? [found, line.cells] : [place, row.cells];
      addLine(pending, at, cells, outcome, unsettled === 0, tried);
      errorLimit.judge();
      if (isDone(outcome.status)) return;
      settings.onNotice({ kind: "not_succeeded", row: placeOf(row), outcome });
    },
  };
}

/** Opens delivery for a part of a run: with what is on record of it, and so that what it does gets on record. */
function deliveryOf(
  { context, prepared, opened, rows, sinceStart }: Sending,
  window: ReturnType<typeof createReadAhead>,
  onOutcome: ReturnType<typeof createLines>["sent"],
) {
  const { settings, before, stop, ports } = context;
  const { clock, onNotice: notify, signal, graceMs } = settings;
  const { input, endpoint, route, token } = prepared;
  const { journal, record, add, startedMs } = opened;

  const limits = createMainLimit(startedMs);
  let recorded = { allowed: 0, perSecond: 0, atMs: Number.NEGATIVE_INFINITY };
  const recordLimit = (allowed: number, perSecond = 0) => {
    const isSame = allowed === recorded.allowed && perSecond === recorded.perSecond;
    const atMs = sinceStart();
    if (isSame || atMs - recorded.atMs < recordLimitEveryMs) return;
    recorded = { allowed, perSecond, atMs };
    add({ kind: "limit", atMs, allowed, ...(perSecond === 0 ? {} : { perSecond }) });
  };
  const recordPause = (notice: DeliveryNotice) => {
    const { kind } = notice;
    if (kind !== "pause" && kind !== "pause_over") return;
    const why = kind === "pause" ? { reason: notice.reason, message: notice.message } : {};
    add({ kind: "hold", atMs: sinceStart(), ...why });
  };

  let connections: Connections | undefined;
  let endGrace = () => {};
  const forgetInterrupt =
    signal &&
    onAbort(signal, () => {
      // What is in flight then is unanswered.
      endGrace = clock.schedule(graceMs, () => void connections?.close());
    });
  const { succeeded, rejected } = record.tally.counts;
  const delivery = openDelivery(
    {
      ...settings,
      endpoint,
      route,
      token,
      mode: settings.delivery,
      tokenSource: settings.token,
      onKeyFailure: input.onKeyFailure,
      statuses: createStatusRules(settings),
      isKnown:
        rows.isKnownService ||
        succeeded + rejected > 0 ||
        ((before?.counts.succeeded ?? 0) > 0 &&
          isSameService(endpoint.baseUrl, before?.base_url ?? "")),
      waitUntil: record.waitUntil,
      found: record.found,
      startedMs,
    },
    {
      connect(to) {
        connections = ports.connect(to);
        return connections;
      },
      journal: {
        add: (one) => add(one.kind === "intent" ? rows.leaving(one) : one),
        write: () => journal.write(true),
      },
      clock,
      stop,
      blockedKeys: record.blockedKeys,
      tap: {
        limited(allowed, limit, foundPerSecond) {
          limits.until(clock.now(), limit);
          recordLimit(allowed, foundPerSecond);
        },
        notice(notice) {
          recordPause(notice);
          notify(notice);
        },
      },
      isReaderWaiting: () => window.isWaitedFor || rows.isWaiting,
      onOutcome,
      onSettled(pending) {
        const known = rows.settled(pending);
        if (known !== undefined) add(known);
        window.leave(charsWhileSent(pending.row));
      },
    },
  );
  return {
    delivery,
    mainLimit: () => limits.main(delivery.state()),
    /** Once nothing is in flight. */
    end() {
      forgetInterrupt?.();
      endGrace();
      return delivery.close();
    },
  };
}

/** What is on record of the events of a row that is retried, with the attempts of earlier parts. */
function attemptsBefore(
  lines: readonly AccountLine[],
  recorded: readonly EventBefore[] = [],
): EventBefore[] {
  const before = lines.flatMap(({ event, attempts, unanswered, httpStatus }): EventBefore[] => {
    if (event === undefined || attempts === 0) return [];
    if (recorded.some((one) => one.event === event)) return [];
    const answered = httpStatus === undefined ? {} : { httpStatus };
    return [{ event, attempts, unanswered, importedAt: "", ...answered }];
  });
  return [...recorded, ...before];
}

/** Calls back a few times a second. */
function watch({ clock, onProgress }: ImportSettings, snapshot: () => ImportProgress) {
  if (onProgress === undefined) return { end() {} };
  let cancel = () => {};
  const tick = () => {
    onProgress(snapshot());
    cancel = clock.schedule(progressEveryMs, tick);
  };
  tick();
  return {
    end() {
      cancel();
      onProgress(snapshot());
    },
  };
}
