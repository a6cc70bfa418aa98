import { cannotStart } from "../../model/errors.ts";
import type { LoadEvent } from "../../model/event.ts";
import { grouped } from "../../model/quantities.ts";
import { type ErrorBound, isMoreThan, maxErrorsText } from "../options/max-errors.ts";
import type { Differences } from "../options/run-events.ts";
import {
  eventsLeft,
  fateOf,
  flags,
  hasFlag,
  isLive,
  isSent,
  type KnownKeys,
  seeRow,
  setFlag,
} from "./known-keys.ts";

/** A row of the input, as the mapping made it. */
export interface SeenRow {
  readonly kind: "events" | "invalid" | "skipped";
  readonly orderingKey?: string;
  readonly events?: readonly LoadEvent[];
}

export interface Comparison {
  /** A row of the input; one of another shard only if its key cannot be read. */
  see(row: SeenRow): void;
  /** Once all rows were seen, and before any is sent. */
  differences(): Differences;
}

/** @param makesGoneEvents whether the service is told of each key that is gone: then those of earlier nights count */
export function compareWithState(keys: KnownKeys, makesGoneEvents: boolean): Comparison {
  let unreadableRows = 0;
  return {
    see({ kind, orderingKey, events = [] }) {
      if (orderingKey === undefined) {
        unreadableRows++;
        return;
      }
      const entry = keys.entry(orderingKey);
      seeRow(entry, events);
      if (kind === "invalid") setFlag(entry, flags.isInvalid);
    },
    differences() {
      const fates = { new: 0, changed: 0, open: 0, unchanged: 0, invalid: 0, left_out: 0 };
      let [before, inLastInput, missing, newlyGone, back, events] = [0, 0, 0, 0, 0, 0];
      const dates = new Set<string>();
      keys.forEach((entry) => {
        const fate = fateOf(entry);
        const wasAway = hasFlag(entry, flags.isAway);
        if (isLive(entry)) before++;
        if (isLive(entry) && !wasAway) inLastInput++;
        if (fate === "nothing") return;
        if (fate === "missing") {
          missing++;
          if (!wasAway) newlyGone++;
          return;
        }
        fates[fate]++;
        if (isSent(fate)) events += eventsLeft(entry);
        if (wasAway) back++;
        const known = fate === "open" ? keys.known(entry) : undefined;
        if (known?.kind === "open") dates.add(known.since);
      });
      // Each row that cannot be read may be of one of the keys that seem to be missing.
      const lacking = Math.max(0, newlyGone - unreadableRows);
      if (unreadableRows > 0) [missing, newlyGone] = [0, 0];
      const [since] = [...dates].toSorted();
      return {
        ...fates,
        openSince: dates.size > 1 ? `${since} or later` : since,
        gone: makesGoneEvents ? missing : newlyGone,
        ...{ newlyGone, lacking, back, events, unreadableRows, before, inLastInput },
        tellsGone: makesGoneEvents,
      };
    },
  };
}

/** Whether the night has nothing to send or to report. */
export function isOver(found: Differences): boolean {
  return differing(found) + found.invalid + found.unreadableRows === 0;
}

function differing(found: Differences): number {
  return found.new + found.changed + found.open + found.gone;
}

function keysOfInput(found: Differences): number {
  const sent = found.new + found.changed + found.open;
  return sent + found.unchanged + found.invalid + found.left_out;
}

/**
 * Says what differs: `2,014 of 200,000 keys differ: 14 new, 1,988 changed, 12 open since 2026-11-22`. Says in one more
 * sentence what may be the matter if that is most of them.
 *
 * @param mappingChanged on which date, if since the last night
 */
export function describeDifferences(
  found: Differences,
  state: string,
  mappingChanged?: string,
): string[] {
  const count = differing(found);
  const all = grouped(keysOfInput(found) + found.gone);
  if (count === 0) return [`None of ${all} keys differs`];
  const kinds = [
    [found.new, "new"],
    [found.changed, "changed"],
    [found.open, `open since ${found.openSince}`],
    [
      found.gone,
      found.tellsGone ? "gone" : "gone (the mapping has no gone:, so nothing is sent for them)",
    ],
  ] as const;
  const listed = kinds.flatMap(([of, kind]) => (of === 0 ? [] : [`${grouped(of)} ${kind}`]));
  const verb = count === 1 ? "differs" : "differ";
  const sentence = `${grouped(count)} of ${all} keys ${verb}: ${listed.join(", ")}`;
  const isMost = (found.changed + found.open + found.gone) * 2 > found.before;
  if (found.before < minKeysForCauses || !isMost) return [sentence];
  const ofMapping =
    mappingChanged === undefined ? "" : `the mapping changed on ${mappingChanged}, `;
  const causes = `${ofMapping}it is another export, the export writes cells in another way (dates, decimals), or a member holds the time of the export`;
  return [sentence, `More than half of the keys in ${state} differ. Usual causes: ${causes}`];
}

/** With fewer keys, a share says little. */
const minKeysForCauses = 1000;
/** So many may be gone where the allowed share of all is less. */
const keysThatMayGo = 2;

/**
 * Refuses an input that lacks more keys of the last one than may be gone: it may be only a part of the export.
 *
 * @param name of the input
 * @throws CannotStartError
 */
export function refuseTooManyGone(
  found: Differences,
  maxGone: ErrorBound,
  name: string,
  state: string,
): void {
  const { lacking: missing, inLastInput: before } = found;
  const isFew = maxGone.kind === "share" && missing <= keysThatMayGo && keysOfInput(found) > 0;
  if (isFew || !isMoreThan(maxGone, missing, before)) return;
  const percent = Math.ceil((missing / before) * 1000) / 10;
  const least = maxGone.kind === "count" ? String(missing) : `${Math.ceil(percent)}%`;
  const amounts = { missing, before, percent };
  throw cannotStart("state_too_many_gone", name, state, amounts, maxErrorsText(maxGone), least);
}
