import { basename, dirname, resolve } from "node:path";
import { removeTemporaries } from "../../model/disk/atomic-file.ts";
import { exists } from "../../model/disk/exists.ts";
import { refuseForeign } from "../../model/disk/refuse-foreign.ts";
import { cannotStart } from "../../model/errors.ts";
import type { Shard } from "../../model/shard.ts";
import type { ImportOptions } from "../options/import-options.ts";
import type { InputKind } from "../options/input.ts";
import type { RunContext } from "../options/run-context.ts";
import { planRow } from "../prepare/plan-row.ts";
import type { PreparedInput } from "../prepare/prepare-input.ts";
import type { PreparedRun } from "../prepare/prepare-run.ts";
import { openOf } from "./known-keys.ts";
import { openState, type StateLog, type StateSettings } from "./state-log.ts";

/** The state of a night, or of one that is retried: no other night can begin meanwhile. */
export type HeldState = NonNullable<Awaited<ReturnType<typeof holdState>>>;

/** Options that a night does not take. */
interface Given extends Pick<ImportOptions, "skip" | "limit" | "check" | "delivery" | "resume"> {
  readonly kind?: InputKind;
}

/**
 * Refuses what does not go with a state: a night is about all rows of a file, and sends again what may have arrived.
 * A folder that is not there is refused too: a mistyped one would make every night the first.
 *
 * @throws CannotStartError
 */
export async function refuseWithState(path: string, given: Given): Promise<void> {
  const { kind, skip = 0, limit = Number.POSITIVE_INFINITY, check, delivery } = given;
  const folder = dirname(resolve(path));
  const rules: readonly (readonly [isBroken: boolean, why: string])[] = [
    [kind === "retry", "it is compared with an export, and this is a results file; leave it out"],
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

/**
 * Reads the state that an input is compared with.
 *
 * @throws CannotStartError if it is of something else or cannot be read, or the mapping has no ordering key
 */
export async function openStateOf(
  { keyOf, orderingKey }: Pick<PreparedInput, "keyOf" | "orderingKey">,
  baseUrl: string,
  shard: Shard | null | undefined,
  settings: Omit<StateSettings, "owner"> & { readonly warn: (message: string) => void },
): Promise<StateLog> {
  if (keyOf === undefined) {
    const why =
      "it needs a mapping with ordering_key, the column that tells people apart; eventload init proposes one";
    throw cannotStart("state_refused", why);
  }
  await refuseForeign(settings.path, "The state");
  const of = shard == null ? null : `${shard.index}/${shard.count}`;
  const owner = { base_url: baseUrl, ordering_key: orderingKey, shard: of };
  const log = await openState({ ...settings, owner });
  if (log.isFirst) {
    const { path, warn } = settings;
    warn(`${path} does not exist: this is the first night, and every key is new to the service.`);
  }
  return log;
}

/**
 * Locks and reads the state of a run, if it has one.
 *
 * @throws CannotStartError if it cannot be used, or another night has it
 */
export async function holdState(
  { settings, kind, account, ports }: RunContext,
  { input, endpoint }: PreparedRun,
) {
  const isNight = kind === "import";
  const path = isNight ? settings.state : account?.state;
  if (path === undefined) return undefined;
  const { clock, onNotice: notify } = settings;
  const shard = isNight ? settings.shard : account?.options.shard;
  const lock = await ports.acquireLock(path);
  if (lock === undefined) throw cannotStart("state_locked", path);
  await removeTemporaries([path]);
  try {
    const log = await openStateOf(input, endpoint.baseUrl, shard, {
      disk: ports.disk,
      path,
      now: clock.now,
      // A retry whose state is missing is refused.
      warn: (message) => isNight && notify({ kind: "warning", message }),
    });
    return {
      log,
      async close() {
        await log.close();
        await lock.release();
      },
    };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/**
 * Notes that it is not known what the service has of the keys that a retry sends: the next night sends them once more,
 * from the export.
 *
 * @throws CannotStartError if a later night has begun, or the state cannot be written
 */
export async function openKeysOf(
  { log }: HeldState,
  { account, given, unfinished }: RunContext,
  input: PreparedInput,
): Promise<void> {
  if (log.lastNight?.run !== account?.started_at) {
    const why = log.isFirst
      ? `its state ${log.path} is missing; put it back`
      : `a later night has begun, which sends what was left from its own export${log.lastNight?.results === undefined ? "" : `; see ${log.lastNight.results}`}`;
    throw cannotStart("retry_refused", basename(given ?? ""), why);
  }
  if (unfinished !== undefined) return; // they were noted before the first was sent
  await log.begin();
  const source = await input.open();
  try {
    for await (const batch of source.batches) {
      for (const row of batch) {
        const { events, orderingKey } = planRow(row, input);
        if (events.length === 0 || orderingKey === undefined) continue;
        log.put(orderingKey, openOf(log.keys.entry(orderingKey)));
      }
      await log.write(true);
    }
  } finally {
    await source.close();
  }
}
