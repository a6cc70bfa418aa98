import { basename, dirname, resolve } from "node:path";
import { journalFile, journalNumbers } from "../../journal/read-journal.ts";
import { removeTemporaries } from "../../model/disk/atomic-file.ts";
import { exists } from "../../model/disk/exists.ts";
import { refuseForeign } from "../../model/disk/refuse-foreign.ts";
import { cannotStart } from "../../model/errors.ts";
import { journalOfState } from "../../model/run-files.ts";
import type { Shard } from "../../model/shard.ts";
import type { ImportOptions } from "../options/import-options.ts";
import type { InputKind } from "../options/input.ts";
import type { PreparedInput } from "../prepare/prepare-input.ts";
import type { PreparedRun } from "../prepare/prepare-run.ts";
import type { RunContext } from "../send/run-context.ts";
import { openState, type StateFile, type StateSettings } from "./state-file.ts";

/** Options that a night does not take. */
interface OptionsToRefuse
  extends Pick<ImportOptions, "skip" | "limit" | "check" | "delivery" | "resume"> {
  readonly kind?: InputKind;
}

/**
 * Refuses what does not go with a state: a night is about all rows of a file, and sends again what may have arrived.
 * A folder that is not there is refused too: a mistyped one would make every night the first.
 *
 * @throws CannotStartError
 */
export async function refuseWithState(path: string, given: OptionsToRefuse): Promise<void> {
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
  { keyOf, orderingKey, reading }: Pick<PreparedInput, "keyOf" | "orderingKey" | "reading">,
  baseUrl: string,
  shard: Shard | null | undefined,
  settings: Omit<StateSettings, "owner"> & { readonly warn: (message: string) => void },
): Promise<StateFile> {
  if (keyOf === undefined) {
    const why =
      "it needs a mapping with ordering_key, the column that tells people apart; eventload init proposes one";
    throw cannotStart("state_refused", why);
  }
  if (reading.hiddenRows === "skip") {
    const why = "the keys of hidden rows would count as gone; leave out hidden_rows: skip";
    throw cannotStart("state_refused", why);
  }
  const { path, warn } = settings;
  // The next night would refuse what a first one makes in a folder of somebody else.
  await refuseForeign(path, "The state", true);
  const journal = journalOfState(path);
  for (const number of await journalNumbers(settings.disk, journal)) {
    await refuseForeign(journalFile(journal, number), "The journal of the state");
  }
  const of = shard == null ? null : `${shard.index}/${shard.count}`;
  const owner = { base_url: baseUrl, ordering_key: orderingKey, shard: of };
  const state = await openState({ ...settings, owner });
  if (state.isFirst) {
    warn(`${path} does not exist: this is the first night, and every key is new to the service.`);
  }
  if (state.isJournalLost) {
    warn(
      `The last night did not finish, and its journal ${journalOfState(path)} is gone or cannot be used: nobody knows what was sent, so every key is sent again.`,
    );
  }
  return state;
}

/**
 * Locks and reads the state of a run, if it has one, and completes what a broken night has left.
 *
 * @param complete is called if there is something of that kind
 * @throws CannotStartError if it cannot be used, or another night has it
 */
export async function holdState(
  context: RunContext,
  { input, endpoint }: PreparedRun,
  complete: (context: RunContext, state: StateFile) => Promise<void>,
) {
  const { settings, kind, before, files, unfinished, ports } = context;
  const { state: path } = files;
  if (path === undefined) return undefined;
  const isNight = kind === "import";
  const shard = isNight ? settings.shard : before?.options.shard;
  const open = (isSilent: boolean) =>
    openStateOf(input, endpoint.baseUrl, shard, {
      ...{ disk: ports.disk, path },
      warn: (message) => isNight && !isSilent && settings.onNotice({ kind: "warning", message }),
    });
  const lock = await ports.acquireLock(path);
  if (lock === undefined) throw cannotStart("state_locked", path);
  let state: StateFile | undefined;
  const close = async () => {
    await state?.close();
    await lock.release();
  };
  try {
    await removeTemporaries([path]);
    state = await open(false);
    if (!isNight) refuseIfOver(context, state);
    // A retry that is resumed continues what it has left.
    if (unfinished === undefined && state.isLeft) {
      await complete(context, state);
      await state.close();
      state = await open(true);
    } else if (!state.isLeft) await ports.disk.remove(`${path}.new`).catch(() => {});
    return { file: state, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The state of a night, or of one that is retried: no other night can begin meanwhile. */
export type HeldState = NonNullable<Awaited<ReturnType<typeof holdState>>>;

/** @throws CannotStartError if a later night than that of a retry has begun */
function refuseIfOver(
  { before, given }: RunContext,
  { path, isFirst, lastNight }: StateFile,
): void {
  if (lastNight?.run === before?.started_at) return;
  const { results } = lastNight ?? {};
  const why = isFirst
    ? `its state ${path} is missing; put it back`
    : `a later night has begun, which sends what was left from its own export${results === undefined ? "" : `; see ${results}`}`;
  throw cannotStart("retry_refused", basename(given ?? ""), why);
}
