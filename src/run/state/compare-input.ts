import { dirname, resolve } from "node:path";
import { type BlockedKeys, createBlockedKeys } from "../../delivery/ordering.ts";
import type { Clock } from "../../model/clock.ts";
import type { Disk } from "../../model/disk/disk.ts";
import { exists } from "../../model/disk/exists.ts";
import { cannotStart } from "../../model/errors.ts";
import type { Row } from "../../model/row.ts";
import type { ImportOptions } from "../options/import-options.ts";
import type { InputKind } from "../options/input.ts";
import type { Differences } from "../options/run-events.ts";
import type { Shard } from "../options/shard.ts";
import { type PlannedRow, planRow } from "../prepare/plan-row.ts";
import type { PreparedInput } from "../prepare/prepare-input.ts";
import { compareWithState } from "./compare.ts";
import { openState, type StateLog } from "./state-log.ts";

export interface StateRequest {
  readonly disk: Disk;
  readonly path: string;
  readonly baseUrl: string;
  readonly shard: Shard | undefined;
  /** Whether it may be the first night. */
  readonly isNight: boolean;
  readonly clock: Pick<Clock, "now">;
  readonly warn: (message: string) => void;
}

/**
 * Reads the state that an input is compared with.
 *
 * @throws CannotStartError if it is of something else or cannot be read, or the mapping has no ordering key
 */
export async function openStateOf(
  { keyOf, orderingKey }: Pick<PreparedInput, "keyOf" | "orderingKey">,
  { disk, path, baseUrl, shard, isNight, clock, warn }: StateRequest,
): Promise<StateLog> {
  if (keyOf === undefined) {
    const why =
      "it needs a mapping with ordering_key, the column that tells people apart; eventload init proposes one";
    throw cannotStart("state_refused", why);
  }
  const of = shard === undefined ? null : `${shard.index}/${shard.count}`;
  const owner = { baseUrl, orderingKey, shard: of };
  const log = await openState({ disk, path, owner, now: clock.now, warn });
  if (log.isFirst && isNight) {
    warn(`${path} does not exist: this is the first night, and every key is new to the service.`);
  }
  return log;
}

/** What a night cannot be told. */
type Given = Pick<ImportOptions, "input" | "skip" | "limit" | "check" | "delivery" | "resume"> & {
  readonly kind?: InputKind;
};

/**
 * Refuses what does not go with a state: a night is about all rows of a file, and sends again what may have arrived.
 * A folder that is not there is refused too: a mistyped one would make every night the first.
 *
 * @throws CannotStartError
 */
export async function refuseWithState(path: string, given: Given): Promise<void> {
  const { input, kind, skip = 0, limit = Number.POSITIVE_INFINITY, check, delivery } = given;
  const folder = dirname(resolve(path));
  const isStream = typeof input === "object" && Symbol.asyncIterator in input;
  const rules: readonly (readonly [isBroken: boolean, why: string])[] = [
    [kind === "retry", "it is compared with an export, and this is a results file; leave it out"],
    [isStream, "its input is read twice, which standard input does not allow; save it to a file"],
    [
      skip > 0 || limit < Number.POSITIVE_INFINITY,
      "it is compared with all rows, and those left out would count as gone; leave out --skip and --limit",
    ],
    [check === false, "the check finds what differs; leave out --no-check"],
    [delivery === "at-most-once", "what may have arrived is sent again; leave out at-most-once"],
    [
      (given.resume ?? "never") !== "never",
      "a night is not resumed; give the night's command again, without --resume",
    ],
    [!(await exists(folder)), `there is no folder ${folder}; make it, or correct the name`],
  ];
  const why = rules.find(([isBroken]) => isBroken)?.[1];
  if (why !== undefined) throw cannotStart("state_refused", why);
}

/** Compares all rows of an input with a state, in one pass. */
export interface InputComparison {
  readonly see: (row: Row, planned: PlannedRow) => void;
  /** A row of another shard. */
  readonly seeOther: (row: Row) => void;
  /** Once all rows were seen. */
  differences(): Differences;
  /** Rows of the input, those of other shards among them. */
  readonly rows: number;
  /** Keys with an invalid row, each with the first of them. */
  readonly invalidKeys: Pick<BlockedKeys, "rowOf">;
}

export function compareInput({ keys }: StateLog, input: PreparedInput): InputComparison {
  const comparison = compareWithState(keys, input.makesGoneEvents);
  const invalidKeys = createBlockedKeys();
  let rows = 0;
  /** What the mapping leaves out has no key if that is blank; otherwise it could not be read. */
  const isLeftOut = ({ events, problems }: PlannedRow) => events.length + problems.length === 0;
  return {
    invalidKeys,
    get rows() {
      return rows;
    },
    see(row, planned) {
      rows++;
      const { events, problems, orderingKey } = planned;
      if (orderingKey !== undefined) {
        const isInvalid = problems.length > 0;
        if (isInvalid) invalidKeys.block(orderingKey, row.row);
        const kind = isInvalid ? "invalid" : isLeftOut(planned) ? "skipped" : "events";
        comparison.see({ kind, orderingKey, events });
      }
      // Where cells are too many or too few, nobody knows which of them is the key.
      const isUnreadable = orderingKey === undefined || row.problem !== undefined;
      if (isUnreadable && !isLeftOut(planned)) comparison.see({ kind: "invalid" });
    },
    seeOther(row) {
      rows++;
      if (row.problem === undefined && input.keyOf?.(row.cells) !== undefined) return;
      if (isLeftOut(planRow(row, input.mapRow, input.onKeyFailure))) return;
      comparison.see({ kind: "invalid" });
    },
    differences: comparison.differences,
  };
}
