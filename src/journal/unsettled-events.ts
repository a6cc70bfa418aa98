import type { Outcome } from "../model/outcome.ts";
import type { AttemptRecord, EventBefore, Intent } from "../model/run-record.ts";

interface RecordedEvent extends EventBefore {
  /** Whether there is an intent and nothing after it. */
  readonly isIntended: boolean;
}

interface RecordedRow {
  /** The row's number in the input. */
  readonly row: number;
  /** Most rows have one event. */
  readonly events: RecordedEvent[];
}

const notBegun = { attempts: 0, unanswered: 0, importedAt: "", isIntended: false };

/** What is on record of the events of rows that are not done. */
export function createUnsettledEvents() {
  const rows = new Map<number, RecordedRow>();

  const put = (rowOfRun: number, row: number, event: RecordedEvent) => {
    const events = rows.get(rowOfRun)?.events;
    if (events === undefined) return void rows.set(rowOfRun, { row, events: [event] });
    const at = events.findIndex((one) => one.event === event.event);
    events[at < 0 ? events.length : at] = event;
  };
  /** An attempt of which the end is not on record has no answer. */
  const asBefore = ({ isIntended, ...event }: RecordedEvent): EventBefore =>
    isIntended ? { ...event, unanswered: event.unanswered + 1 } : event;

  return {
    intent({ rowOfRun, row, event, attempt, unanswered, importedAt, events }: Intent) {
      for (const one of events ?? []) {
        const isKnown = rows.get(rowOfRun)?.events.some((known) => known.event === one);
        if (!isKnown) put(rowOfRun, row, { ...notBegun, event: one });
      }
      put(rowOfRun, row, { event, attempts: attempt, unanswered, importedAt, isIntended: true });
    },
    attempt({ rowOfRun, row, event, attempts, unanswered, importedAt, httpStatus }: AttemptRecord) {
      const answered = httpStatus === undefined ? {} : { httpStatus };
      const soFar = { event, attempts, unanswered, importedAt, ...answered };
      put(rowOfRun, row, { ...soFar, isIntended: false });
    },
    /** An event has its outcome, but not all of its row. */
    outcome(rowOfRun: number, row: number, event: number, outcome: Outcome) {
      const { attempts, unanswered } = outcome;
      const soFar = { event, attempts, unanswered, importedAt: "" };
      put(rowOfRun, row, { ...soFar, outcome, isIntended: false });
    },
    rowDone(rowOfRun: number) {
      rows.delete(rowOfRun);
    },
    /** The process that wrote the records is over: what was in flight has no answer. @returns which attempts those were */
    processOver(): readonly number[] {
      const lost: number[] = [];
      for (const { events } of rows.values()) {
        for (const [at, event] of events.entries()) {
          if (!event.isIntended) continue;
          lost.push(event.attempts);
          events[at] = { ...asBefore(event), isIntended: false };
        }
      }
      return lost;
    },
    /** How many events may have arrived and have no answer. */
    perhapsSent: () =>
      [...rows.values()]
        .flatMap(({ events }) => events)
        .filter((event) => event.outcome === undefined && asBefore(event).unanswered > 0).length,
    /** What is on record of the events of a row; undefined if nothing is. Of one that was not sent, nothing is. */
    before(rowOfRun: number): readonly EventBefore[] | undefined {
      const known = rows.get(rowOfRun);
      return known?.events.filter(isBegun).map(asBefore);
    },
    /** All rows, with their numbers in the part. */
    *rows() {
      for (const [rowOfRun, { row, events }] of rows) {
        yield { rowOfRun, row, events: events.map(asBefore) };
      }
    },
    /** The last row of which anything is on record; 0 if there is none. */
    lastRow: () => Math.max(0, ...rows.keys()),
  };
}

/** Whether an event was sent, or has its outcome. */
export function isBegun({ attempts, outcome }: EventBefore): boolean {
  return attempts > 0 || outcome !== undefined;
}
