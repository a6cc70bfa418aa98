import { basename, dirname, join, resolve } from "node:path";
import { Readable } from "node:stream";
import { findRoute, type Route } from "../../delivery/http/route.ts";
import { readToken, type Token } from "../../delivery/http/token.ts";
import {
  differences,
  isReadOnceRun,
  journalVersion,
  type RunIdentity,
} from "../../journal/run-identity.ts";
import type { UnfinishedRun } from "../../journal/unfinished-run.ts";
import { exists } from "../../model/disk/exists.ts";
import { type Endpoint, parseBaseUrl } from "../../model/endpoint.ts";
import { CannotStartError, cannotStart } from "../../model/errors.ts";
import { shellWord } from "../../model/escape-text.ts";
import { lastPart } from "../../model/manifest.ts";
import type { RunFiles } from "../../model/run-files.ts";
import { keptSettings, sendingOf } from "../../model/run-settings.ts";
import { onAbort, type StopSignal } from "../../model/stop.ts";
import { isStream } from "../options/input.ts";
import type { RunContext } from "../options/run-context.ts";
import type { InputFile } from "./open-inputs.ts";
import { type PreparedInput, prepareInput } from "./prepare-input.ts";

/** Everything that a run needs before it may write or send anything. */
export interface PreparedRun {
  readonly endpoint: Endpoint;
  readonly route: Route;
  readonly token: Token;
  readonly input: PreparedInput;
  /** When the run began, in ISO 8601; for a resumed run, when it first began. */
  readonly startedAt: string;
}

/**
 * Checks everything that can be checked without reading a row.
 *
 * @param openGiven opens the rows that a given file selects
 * @returns undefined if the run was stopped meanwhile
 * @throws CannotStartError
 */
export async function prepareRun(
  context: RunContext,
  openGiven: (context: RunContext) => Promise<PreparedInput>,
): Promise<PreparedRun | undefined> {
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
  const token = await readToken(settings.token, stop.signal, { warn, clock }).catch(unlessStopped);
  if (token === undefined) return undefined;
  if (settings.strict && !(isFile && settings.check)) throw cannotStart("strict_needs_a_file");
  if (unfinished !== undefined && (!isFile || isReadOnceRun(unfinished.run))) {
    throw cannotStart("resume_needs_a_file", files.results);
  }
  // Its rows would have other event ids in each shard, so that nobody could merge the results.
  if (settings.shard !== undefined && !isFile) throw cannotStart("shard_needs_a_file");
  const startedAt = unfinished?.run.imported.started_at ?? clock.date().toISOString();
  const preparing =
    given !== undefined
      ? openGiven(context)
      : prepareInput({
          ...settings,
          input: isStream(path) ? untilStop(path, stop.signal) : path,
          mapping: context.mapping,
          hash: unfinished === undefined && settings.check ? "while_reading" : "before",
          hold: true,
          warn,
        });
  // A stream that the run stopped reading before its header came looks like one without a header.
  const input = await (isFile ? preparing : preparing.catch(unlessStopped));
  if (input === undefined) return undefined;
  for (const one of input.readAs) notify({ kind: "opened", ...one });
  const prepared = { endpoint, route, token, startedAt, input };
  if (unfinished !== undefined) {
    const { imported } = await identifyRun(context, prepared);
    const found = differences(unfinished.run.imported, imported);
    if (found.length > 0) {
      await input.close();
      throw await cannotResume(files, unfinished, found);
    }
  }
  return prepared;
}

/** What identifies the run when it is resumed. */
export async function identifyRun(
  { settings, kind, account, given: givenFile, unfinished }: RunContext,
  { input, endpoint, startedAt }: PreparedRun,
): Promise<RunIdentity> {
  const { id, files: inputs, fingerprint } = await input.identify();
  const { name, called } = input;
  const before = account?.results_file ?? undefined;
  const kept = keptSettings({ ...settings, reading: input.reading });
  return {
    version: journalVersion,
    kind,
    imported: {
      input: {
        path: inputs.length === 1 ? resolve(inputs[0]?.path ?? "") : null,
        name,
        called,
        id,
        ...(fingerprint ?? { bytes: null, sha256: null }),
      },
      ...(inputs.length < 2 ? {} : { inputs: inputs.map(placed) }),
      mapping: { ...input.mapping, path: resolve(input.mapping.path) },
      base_url: endpoint.baseUrl,
      ...(settings.target === undefined ? {} : { target: settings.target }),
      options: kept,
      ...(settings.state === undefined ? {} : { state: resolve(settings.state) }),
      started_at: startedAt,
    },
    parts: [
      ...(unfinished?.run.parts ?? []),
      { startedAt: settings.clock.date().toISOString(), sending: sendingOf(kept) },
    ],
    rowsTotal: null,
    part: unfinished?.run.part ?? lastPart(account?.parts ?? []) + 1,
    ...(kind === "retry" && before !== undefined ? { account: before } : {}),
    ...(givenFile === undefined ? {} : { given: basename(givenFile) }),
  };
}

function placed({ state: _, held: __, ...file }: InputFile) {
  return { ...file, path: resolve(file.path) };
}

/** Says why a run cannot be resumed, and what to do instead. */
async function cannotResume(
  files: RunFiles,
  { run }: UnfinishedRun,
  differences: readonly string[],
): Promise<CannotStartError> {
  const { code, message } = cannotStart("resume_differs", files.results, differences);
  const left: string[] = [];
  // A retry that is moved away leaves the account as it was before.
  const { journal, part, given } = files;
  const isRetry = run.kind === "retry";
  for (const path of isRetry ? [part, given, journal] : Object.values(files)) {
    if (await exists(path)) left.push(shellWord(path));
  }
  // A folder for each run: the command never overwrites files of another, also if it is pasted again.
  const day = run.imported.started_at.replace(/\.\d+/, "").replaceAll(/[^\dTZ-]/g, "");
  const aside = shellWord(join(dirname(files.results), `unfinished-${day}`));
  const again = isRetry ? "retry the file" : "import the file, to the same results or others";
  return new CannotStartError(code, message, [
    `If you can put that back, do so and run: eventload resume ${shellWord(files.results)}`,
    `If not, run: mkdir -p ${aside} && mv ${left.join(" ")} ${aside}`,
    `Then ${again}: its rows are sent, also those that this run has sent.`,
  ]);
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
  const stopped = new Promise<undefined>((resolve) => {
    onAbort(stop, () => resolve(undefined));
  });
  try {
    for (;;) {
      const next = await Promise.race([stopped, iterator.next()]);
      if (next === undefined || next.done) return;
      yield next.value;
    }
  } finally {
    // A stream is destroyed, or it would keep the process alive. Anything else ends only at the
    // next item, so this does not wait for it.
    if (items instanceof Readable) items.destroy();
    else iterator.return?.().catch(() => {});
  }
}
