import { basename, dirname, join, resolve } from "node:path";
import { Readable } from "node:stream";
import { findRoute, type Route } from "../delivery/http/route.ts";
import { readToken, type Token } from "../delivery/http/token.ts";
import { differences, type RunIdentity } from "../journal/run-identity.ts";
import { createDamageFindings } from "../lint/create-findings.ts";
import { exists } from "../model/disk/exists.ts";
import { type Endpoint, parseBaseUrl } from "../model/endpoint.ts";
import { CannotStartError, cannotStart } from "../model/errors.ts";
import { shellWord } from "../model/escape-text.ts";
import { describeFinding } from "../model/finding.ts";
import { onAbort, type StopSignal } from "../model/stop.ts";
import { lastPart } from "../results/manifest.ts";
import { prepareSelected, type SelectedInput } from "./account/prepare-selected.ts";
import { isReadOnceRun } from "./account/read-account.ts";
import { checkRows, lookAt } from "./check.ts";
import { identityOf } from "./import-settings.ts";
import { isStream } from "./input.ts";
import { isMoreThan, maxErrorsText } from "./max-errors.ts";
import { type PreparedInput, prepareInput } from "./prepare-input.ts";
import { refuseWritableCommand } from "./refuse-writable.ts";
import type { RunContext } from "./run-context.ts";
import { type InputComparison, withoutBlankKeys } from "./state/compare-input.ts";

/** Everything that a run needs before it may write or send anything. */
export interface PreparedRun {
  readonly endpoint: Endpoint;
  readonly route: Route;
  readonly token: Token;
  /** Of a retry, the rows that it selects. */
  readonly input: PreparedInput | SelectedInput;
  /** When the run began, in ISO 8601; for a resumed run, when it first began. */
  readonly startedAt: string;
}

/**
 * Checks everything that can be checked without reading a row.
 *
 * @returns undefined if the run was stopped meanwhile
 * @throws CannotStartError
 */
export async function prepareRun(context: RunContext): Promise<PreparedRun | undefined> {
  const { settings, files, given, unfinished, stop } = context;
  const { input: path, onNotice: notify } = settings;
  const isFile = given !== undefined || !isStream(path);
  const unlessStopped = (error: unknown) => {
    if (!stop.signal.aborted) throw error;
    return undefined;
  };

  const endpoint = parseBaseUrl(settings.baseUrl, settings.allowHttp);
  const route = await findRoute(endpoint, settings.proxy, settings.caFiles);
  const warn = (message: string) => notify({ kind: "warning", message });
  const { clock } = settings;
  await refuseWritableCommand(settings.token);
  const token = await readToken(settings.token, stop.signal, { warn, clock }).catch(unlessStopped);
  if (token === undefined) return undefined;
  if (settings.strict && !(isFile && settings.check)) throw cannotStart("strict_needs_a_file");
  if (unfinished !== undefined && (!isFile || isReadOnceRun(unfinished.run))) {
    throw cannotStart("resume_needs_a_file", files.results);
  }
  // Its rows would have other event ids in each shard, so that nobody could merge the results.
  if (settings.shard !== undefined && !isFile) throw cannotStart("shard_needs_a_file");
  // A resumed run makes the same events, whatever the day.
  const startedAt = unfinished?.run.startedAt ?? clock.date().toISOString();
  const preparing =
    given !== undefined
      ? prepareSelected(context, startedAt, warn)
      : prepareInput({
          input: isStream(path) ? untilStop(path, stop.signal) : path,
          inputName: settings.inputName,
          mapping: context.mapping,
          reading: settings.reading,
          selection: { skip: settings.skip, limit: settings.limit },
          shard: settings.shard,
          startedAt,
          hash: unfinished === undefined && settings.check ? "while_reading" : "before",
          warn,
        });
  // A stream that the run stopped reading before its header came looks like one without a header.
  const input = await (isFile ? preparing : preparing.catch(unlessStopped));
  if (input === undefined) return undefined;
  for (const one of input.readAs) notify({ kind: "opened", ...one });
  const isNight = (settings.state ?? context.account?.state) !== undefined;
  const prepared = {
    ...{ endpoint, route, token, startedAt },
    input: isNight ? withoutBlankKeys(input) : input,
  };
  if (unfinished !== undefined) {
    const found = differences(unfinished.run, await identifyRun(context, prepared));
    if (found.length > 0) {
      await input.close();
      throw await cannotResume({ ...context, startedAt: unfinished.run.startedAt }, found);
    }
  }
  return prepared;
}

interface UnfinishedFiles extends Pick<RunContext, "files" | "kind"> {
  /** When the run began, in ISO 8601. */
  readonly startedAt: string;
}

/** Says why a run cannot be resumed, and what to do instead. */
export async function cannotResume(
  { files, kind, startedAt }: UnfinishedFiles,
  differences: readonly string[],
): Promise<CannotStartError> {
  const { code, message } = cannotStart("resume_differs", files.results, differences);
  const left: string[] = [];
  // A retry that is moved away leaves the account as it was before.
  const { journal, part, given } = files;
  const paths = kind === "retry" ? [part, given, journal] : Object.values(files);
  for (const path of paths) if (await exists(path)) left.push(shellWord(path));
  // A folder for each run: the command never overwrites files of another, also if it is pasted again.
  const day = startedAt.replace(/\.\d+/, "").replaceAll(/[^\dTZ-]/g, "");
  const aside = shellWord(join(dirname(files.results), `unfinished-${day}`));
  const again =
    kind === "retry" ? "retry the file" : "import the file, to the same results or others";
  return new CannotStartError(code, message, [
    `If you can put that back, do so and type: eventload resume ${shellWord(files.results)}`,
    `If not, type: mkdir -p ${aside} && mv ${left.join(" ")} ${aside}`,
    `Then ${again}: its rows are sent, also those that this run has sent.`,
  ]);
}

/** What identifies the run when it is resumed. */
export async function identifyRun(
  { settings, kind, files, account, given, unfinished }: RunContext,
  { input, endpoint, startedAt }: PreparedRun,
): Promise<RunIdentity> {
  const known = await input.identify();
  const earlierParts = unfinished?.run.parts ?? [];
  const reportPath = settings.reportPath ?? unfinished?.run.options.report;
  const kept = reportPath === undefined ? settings : { ...settings, reportPath };
  const before = account?.results_file ?? undefined;
  return {
    ...identityOf(kept, {
      ...{ kind, input, known, startedAt, earlierParts },
      baseUrl: endpoint.baseUrl,
    }),
    part: unfinished?.run.part ?? lastPart(account?.parts ?? []) + 1,
    ...(kind === "retry" && before !== undefined ? { account: before } : {}),
    ...(given === undefined ? {} : { given: basename(given.path) }),
    results: basename(files.results),
    ...(settings.state === undefined ? {} : { state: resolve(settings.state) }),
  };
}

/** What there is to do, as far as a check has counted it. */
export interface CountedInput {
  readonly rows: number | undefined;
  /** Events that are to be sent. */
  readonly events: number | undefined;
}

const uncounted: CountedInput = { rows: undefined, events: undefined };

/**
 * Maps every row without sending anything, if the input is a file and no earlier part of the run did so.
 *
 * @returns how many rows there are, and events to be sent, if that is known
 * @throws CannotStartError if the input cannot be parsed to its end, or has more invalid rows than
 *   allowed
 */
export async function checkInput(
  { settings, given, unfinished, stop }: RunContext,
  input: PreparedInput,
  comparison?: InputComparison,
): Promise<CountedInput> {
  const { onNotice: notify, onProgress } = settings;
  if (unfinished !== undefined) {
    return { ...uncounted, rows: unfinished.run.rowsTotal ?? undefined };
  }
  if ((given === undefined && isStream(settings.input)) || !settings.check) return uncounted;
  const findings = createDamageFindings(input.columnUses);
  const lookAtRow = lookAt(findings);
  const report = await checkRows(
    await input.open(undefined, comparison?.seeOther),
    input,
    {
      onProblem: (row, problem) => notify({ kind: "invalid", row, problem }),
      onPlanned(row, planned) {
        lookAtRow(row, planned);
        comparison?.see(row, planned);
      },
      onProgress,
    },
    stop.signal,
  );
  if (stop.signal.aborted) return uncounted;
  for (const finding of findings.found()) {
    notify({ kind: "warning", message: describeFinding(finding), finding });
  }
  notify({ kind: "checked", report });
  if (settings.strict && report.invalidRows > 0) {
    throw cannotStart("rows_invalid", input.name, report.invalidRows);
  }
  const { rows, events, invalidRows } = report;
  const { maxErrors } = settings;
  if (maxErrors !== undefined && isMoreThan(maxErrors, invalidRows, rows)) {
    const allowed = maxErrorsText(maxErrors);
    throw cannotStart("too_many_invalid", input.name, invalidRows, rows, allowed);
  }
  return { rows, events };
}

/**
 * Passes items on until the run stops, and then waits for no more: standard input may be
 * quiet for hours.
 */
async function* untilStop<Item>(
  items: AsyncIterable<Item>,
  stop: StopSignal,
): AsyncGenerator<Item> {
  const iterator = items[Symbol.asyncIterator]();
  let forget = () => {};
  const stopped = new Promise<"stopped">((resolve) => {
    forget = onAbort(stop, () => resolve("stopped"));
  });
  try {
    while (!stop.aborted) {
      const coming = iterator.next();
      const next = await Promise.race([coming, stopped]);
      if (next === "stopped") coming.catch(() => {}); // nobody waits for it any more
      if (next === "stopped" || next.done) return;
      yield next.value;
    }
  } finally {
    forget();
    // A stream is destroyed, or it would keep the process alive. Anything else ends only at the
    // next item, so this does not wait for it.
    if (items instanceof Readable) items.destroy();
    else iterator.return?.().catch(() => {});
  }
}
