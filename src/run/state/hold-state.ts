import { lockHolder } from "../../journal/lock.ts";
import { cannotStart } from "../../model/errors.ts";
import type { RunContext } from "../options/run-context.ts";
import type { PreparedRun } from "../prepare/identify-run.ts";
import { planRow } from "../prepare/plan-row.ts";
import type { PreparedInput } from "../prepare/prepare-input.ts";
import { openStateOf } from "./compare-input.ts";
import { dateOf } from "./state-lines.ts";
import type { StateLog } from "./state-log.ts";

/** The state of a night, or of one that is retried: no other night can begin meanwhile. */
export interface HeldState {
  readonly path: string;
  readonly log: StateLog;
  close(): Promise<void>;
}

/**
 * Locks and reads the state of a run, if it has one.
 *
 * @throws CannotStartError if it cannot be used, or another night has it
 */
export async function holdState(
  { settings, kind, account, given, ports }: RunContext,
  { input, endpoint }: PreparedRun,
): Promise<HeldState | undefined> {
  const path = kind === "import" ? settings.state : account?.state;
  if (path === undefined) return undefined;
  const shard = kind === "import" ? settings.shard : (account?.options.shard ?? undefined);
  const warn = (message: string) => settings.onNotice({ kind: "warning", message });
  const { baseUrl } = endpoint;
  const request = { disk: ports.disk, path, baseUrl, shard, clock: settings.clock };
  const who = `the ${kind} of ${given?.name ?? input.name} since ${settings.clock.date().toISOString()}`;
  const lock = await ports.acquireLock(path, who);
  if (lock === undefined) throw cannotStart("state_locked", path, await lockHolder(path));
  try {
    const log = await openStateOf(input, { ...request, isNight: kind === "import", warn });
    return {
      ...{ path, log },
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
  { log, path }: HeldState,
  { account, given, unfinished }: RunContext,
  input: PreparedInput,
): Promise<void> {
  if (log.lastNight?.run !== account?.started_at) {
    const why = log.isFirst
      ? `its state ${path} is missing; put it back`
      : `a later night has begun, which sends what was left from its own export${log.lastNight?.results === undefined ? "" : `; see ${log.lastNight.results}`}`;
    throw cannotStart("retry_refused", given?.name ?? "", why);
  }
  if (unfinished !== undefined) return; // they were noted before the first was sent
  await log.begin();
  const source = await input.open();
  try {
    for await (const batch of source.batches) {
      for (const row of batch) {
        const { events, orderingKey } = planRow(row, input.mapRow, input.onKeyFailure);
        if (events.length > 0 && orderingKey !== undefined) open(orderingKey, row.isGone === true);
      }
      await log.write(true);
    }
  } finally {
    await source.close();
  }

  function open(key: string, isGone: boolean): void {
    const known = log.keys.known(log.keys.entry(key));
    const isAway = known.kind === "nothing" ? isGone : known.isAway;
    const since = known.kind === "open" ? known.since : dateOf(log.lastNight);
    log.put(key, { kind: "open", since, isAway });
  }
}
