import { createBlockedKeys } from "../../model/blocked-keys.ts";
import { cannotStart } from "../../model/errors.ts";
import { isMoreThan, type MaxErrors, parseMaxErrors } from "../../model/max-errors.ts";
import { count, grouped } from "../../model/quantities.ts";
import { charsOf, type Row } from "../../model/row.ts";
import type { Differences } from "../../model/run-events.ts";
import type { NightOptions } from "../options/import-options.ts";
import { type PlannedRow, planRow } from "../prepare/plan-row.ts";
import type { PreparedInput } from "../prepare/prepare-input.ts";
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

type ComparedInput = Pick<
  PreparedInput,
  "beginPass" | "keyOf" | "makesGoneEvents" | "mapRow" | "onKeyFailure"
>;

/**
 * Compares all rows of an input with what the service has, in one pass.
 *
 * @param lastNight whether it sent the events of gone keys: if not, all that are missing now are gone at once
 */
export function compareInput(
  keys: KnownKeys,
  input: ComparedInput,
  lastNight: { readonly gone?: true } | undefined,
) {
  const seen = {
    /** Keys with an invalid row, each with the first of them. */
    invalidKeys: createBlockedKeys(),
    /** Whether the service has events of any key, once the differences are known. */
    isKnownService: false,
    /** Whether keys are missing that the last input had, or have come back, once the differences are known. */
    hasMoved: false,
    mostEvents: 1,
    /** How many rows are listed; undefined if keys have several, as whether these differ is known only after the last. */
    rowsListed: 0 as number | undefined,
    /** Rows of the input, those of other shards among them. */
    rows: 0,
  };
  let ownRows = 0;
  let unreadableRows = 0;
  let blankLinesBetween = 0;
  /**
   * The rows that are listed, while they are few and each key has one: whether a key with several rows differs is known
   * only after the last.
   */
  let listed: Row[] | undefined = [];
  let listedChars = 0;
  const list = (row: Row) => {
    if (seen.rowsListed !== undefined) seen.rowsListed++;
    listedChars += charsOf(row);
    if (listedChars > maxListedChars) listed = undefined;
    // A copy: a cell may be a piece of a long text, which would stay with it.
    listed?.push(structuredClone(row));
  };
  /** What the mapping leaves out may have a blank key. Where cells are too many or too few, nobody knows which is the key. */
  const isUnreadable = ({ problem }: Row, { events, problems, orderingKey }: PlannedRow) =>
    (orderingKey === undefined || problem !== undefined) && events.length + problems.length > 0;
  return Object.assign(seen as Readonly<typeof seen>, {
    /** Begins a pass over the rows that are listed or, if they were not kept, over the input once more. */
    async again() {
      const kept = listed;
      if (kept === undefined) return { ...(await input.beginPass()), rowsPassedOver: 0 };
      async function* batches() {
        yield kept as readonly Row[];
      }
      return { batches: batches(), async close() {}, rowsPassedOver: ownRows - kept.length };
    },
    /** The keys of the listed rows; undefined if those were not kept. */
    listedKeys: () => listed && new Set(listed.map(({ cells }) => input.keyOf?.(cells))),
    see(row: Row, planned: PlannedRow) {
      seen.rows++;
      ownRows++;
      const { events, problems, orderingKey } = planned;
      seen.mostEvents = Math.max(seen.mostEvents, events.length);
      if (orderingKey !== undefined) {
        const entry = keys.entry(orderingKey);
        if (hasFlag(entry, flags.isSeen)) [listed, seen.rowsListed] = [undefined, undefined];
        seeRow(entry, events);
        if (problems.length > 0) {
          setFlag(entry, flags.isInvalid);
          seen.invalidKeys.block(orderingKey, row.row);
        }
        const fate = fateOf(entry);
        if (isSent(fate) || fate === "invalid") list(row);
      } else if (events.length + problems.length > 0) list(row);
      if (isUnreadable(row, planned)) unreadableRows++;
    },
    /** A row of another shard: if its key cannot be read, it may be any, so none is gone. */
    seeOther(row: Row) {
      seen.rows++;
      if (input.makesGoneEvents && isUnreadable(row, planRow(row, input))) unreadableRows++;
    },
    ended(between: number) {
      blankLinesBetween = between;
    },
    /** Once all rows were seen, and before any is sent. */
    differences(): Differences {
      const fates = { new: 0, changed: 0, open: 0, unchanged: 0, invalid: 0, left_out: 0 };
      let [before, missing, newlyMissing, events] = [0, 0, 0, 0];
      const { makesGoneEvents } = input;
      const sendsGone = makesGoneEvents && unreadableRows + blankLinesBetween === 0;
      const isGoneAtOnce = sendsGone && lastNight?.gone !== true;
      keys.forEach((entry) => {
        const fate = fateOf(entry);
        const wasAway = hasFlag(entry, flags.isAway);
        const isAway = wasAway && !isGoneAtOnce;
        seen.hasMoved ||= (fate === "missing") !== wasAway;
        if (isLive(entry) && !isAway) before++;
        seen.isKnownService ||= hasFlag(entry, flags.hasEvents);
        if (fate === "missing") {
          missing++;
          if (!isAway) newlyMissing++;
        } else if (fate !== "nothing") fates[fate]++;
        if (isSent(fate)) events += eventsLeft(entry);
      });
      const gone = sendsGone ? missing : 0;
      return {
        ...fates,
        gone,
        makesGoneEvents,
        missing,
        newlyMissing,
        events,
        unreadableRows,
        blankLinesBetween,
        before,
      };
    },
  });
}

/** Of the rows that are kept, as {@link charsOf} counts them. */
const maxListedChars = 8 * 1024 * 1024;

export type Comparison = ReturnType<typeof compareInput>;

export function hasNoDifference(found: Differences): boolean {
  return differing(found) + found.invalid + found.unreadableRows === 0;
}

function differing(found: Differences): number {
  return found.new + found.changed + found.open + found.gone;
}

function keysOfInput(found: Differences): number {
  const sent = found.new + found.changed + found.open;
  return sent + found.unchanged + found.invalid + found.left_out;
}

/** By which members keys changed: `Changed by plan 1,900, city 88`. */
export function describeChangedBy({ changedBy = [] }: Differences): string[] {
  if (changedBy.length === 0) return [];
  const named = changedBy.slice(0, 10).map(({ member, keys }) => `${member} ${grouped(keys)}`);
  const rest = changedBy.length > named.length ? ", and others" : "";
  return [`Changed by ${named.join(", ")}${rest}`];
}

/** Why no key counts as gone tonight, though keys may be missing: a sentence. */
export function whyNoneIsGone(
  { unreadableRows, blankLinesBetween, makesGoneEvents }: Differences,
  name: string,
): string | undefined {
  const rows = `${count(unreadableRows, "row")} of ${name} may have any key`;
  const lines = `${count(blankLinesBetween, "line")} of ${name} without a filled cell ${blankLinesBetween === 1 ? "stands" : "stand"} between rows, and may have been of any key`;
  if (unreadableRows > 0) return `${rows}, so no key counts as gone tonight.`;
  const isHeldBack = makesGoneEvents && blankLinesBetween > 0;
  return isHeldBack ? `${lines}, so no key counts as gone tonight.` : undefined;
}

/** Says what differs: `2,014 of 200,000 keys differ: 14 new, 1,988 changed, 12 open`. */
export function describeDifferences(found: Differences): string[] {
  const all = grouped(keysOfInput(found) + found.gone);
  const differ = differing(found);
  const listed = (["new", "changed", "open", "gone"] as const).flatMap((kind) =>
    found[kind] === 0 ? [] : [`${grouped(found[kind])} ${kind}`],
  );
  const verb = differ === 1 ? "differs" : "differ";
  const sentence =
    differ === 0
      ? `None of ${all} keys differs`
      : `${grouped(differ)} of ${all} keys ${verb}: ${listed.join(", ")}`;
  if (found.makesGoneEvents || found.missing === 0) return [sentence];
  const untold = `The input lacks ${grouped(found.missing)} of the keys that the service has; the mapping has no gone:, so nothing is sent for them`;
  return [sentence, untold];
}

/** This many keys may be gone, or changed, where the allowed share of all is less. */
const fewKeys = 2;

/**
 * Refuses an input that lacks more keys than may be gone, as it may be only a part of the export, or changes more than
 * may differ, as its cells may be garbled.
 *
 * @param name of the input
 * @throws CannotStartError
 */
export function refuseTooManyDiffering(
  found: Differences,
  name: string,
  state: string,
  { maxGone = "10%", maxChanged }: NightOptions,
): void {
  const { newlyMissing, changed, before } = found;
  const isTooMany = (most: MaxErrors | undefined, keys: number) => {
    const bound = parseMaxErrors(most);
    const isFew = bound?.kind === "share" && keys <= fewKeys && keysOfInput(found) > 0;
    return bound !== undefined && !isFew && isMoreThan(bound, keys, Math.max(before, keys));
  };
  if (isTooMany(maxGone, newlyMissing)) {
    throw cannotStart("state_too_many_gone", name, state, newlyMissing, before, maxGone);
  }
  if (isTooMany(maxChanged, changed)) {
    throw cannotStart("state_too_many_changed", name, state, changed, before, maxChanged);
  }
}
