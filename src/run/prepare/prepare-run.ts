import { basename, resolve } from "node:path";
import { findRoute, type Route } from "../../delivery/http/route.ts";
import { readToken, type Token } from "../../delivery/http/token.ts";
import { differences, journalVersion, type RunIdentity } from "../../journal/run-identity.ts";
import { type Endpoint, parseBaseUrl } from "../../model/endpoint.ts";
import { CannotStartError, cannotStart } from "../../model/errors.ts";
import { lastPart, type Manifest } from "../../model/manifest.ts";
import { packageVersion } from "../../model/package-files.ts";
import { resultsColumnsOf } from "../../model/results-columns.ts";
import type { RunFiles } from "../../model/run-files.ts";
import type { Fingerprint } from "../../model/run-record.ts";
import { keptSettings, sendingOf } from "../../model/run-settings.ts";
import type { StopController } from "../../model/stop.ts";
import { fileWord, tellCommand } from "../../model/typed-command.ts";
import type { ImportSettings } from "../options/import-settings.ts";
import type { InputKind } from "../options/input.ts";
import { type PreparedInput, prepareInput } from "./prepare-input.ts";

/** A part of an account: which it is, and how it is run. */
export interface PartToPrepare {
  readonly settings: ImportSettings;
  readonly kind: InputKind;
  readonly files: RunFiles;
  /** What the account was before the part; undefined in the first part. */
  readonly before: Manifest | undefined;
  /** Path of the file that selects rows of the account, or of one that is gone; undefined for an input. */
  readonly given: string | undefined;
  readonly unfinished: { readonly run: RunIdentity } | undefined;
  readonly stop: StopController;
}

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
  context: PartToPrepare,
  openGiven: () => Promise<PreparedInput>,
): Promise<PreparedRun | undefined> {
  const { settings, files, given, unfinished, stop } = context;
  const { onNotice: notify } = settings;
  const unlessStopped = (error: unknown) => {
    if (!stop.signal.aborted) throw error;
    return undefined;
  };

  const endpoint = parseBaseUrl(
    settings.baseUrl,
    settings.allowHttp || settings.token.allowsHttp === true,
  );
  const route = await findRoute(endpoint, settings.proxy, settings.caFiles);
  const warn = (message: string) => notify({ kind: "warning", message });
  const { clock } = settings;
  const token = await readToken(settings.token, stop.signal, { warn, clock }).catch(unlessStopped);
  if (token === undefined) return undefined;
  if (settings.strict && !settings.check) throw cannotStart("strict_needs_a_check");
  const startedAt = unfinished?.run.imported.started_at ?? clock.date().toISOString();
  const input =
    given !== undefined ? await openGiven() : await prepareInput({ ...settings, hold: true, warn });
  for (const one of input.readAs) notify({ kind: "opened", ...one });
  const prepared = { endpoint, route, token, startedAt, input };
  if (unfinished !== undefined) {
    const { imported } = await identifyRun(context, prepared);
    const found = differences(unfinished.run.imported, imported);
    if (found.length > 0) {
      await input.close();
      throw cannotResume(files.results, unfinished.run.kind === "retry", found);
    }
  }
  return prepared;
}

export async function identifyRun(
  { settings, kind, files, before, given: givenFile, unfinished }: PartToPrepare,
  { input, endpoint, startedAt }: PreparedRun,
): Promise<RunIdentity> {
  const { id, files: inputs, fingerprint } = await input.identify();
  const [file, second] = inputs;
  const isCopy = file?.path === files.input;
  const { name, called } = input;
  const account = before?.results_file ?? undefined;
  const kept = keptSettings({ ...settings, reading: input.reading });
  const all = inputs.map(({ path, name, bytes, sha256 }) => {
    return { path: resolve(path), name, bytes, sha256 };
  });
  return {
    version: journalVersion,
    eventload: packageVersion(),
    kind,
    imported: {
      input: {
        path: file === undefined || second !== undefined || isCopy ? null : resolve(file.path),
        name,
        called,
        id,
        // What could be read only once was copied to a file.
        ...(fingerprint as Fingerprint),
      },
      ...(inputs.length < 2 ? {} : { inputs: all }),
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
    columns: [...input.columns, ...resultsColumnsOf(input.hasSources)],
    part: unfinished?.run.part ?? lastPart(before?.parts ?? []) + 1,
    ...(kind === "retry" && account !== undefined ? { account } : {}),
    ...(givenFile === undefined ? {} : { given: basename(givenFile) }),
  };
}

function cannotResume(results: string, isRetry: boolean, found: readonly string[]) {
  const { code, message } = cannotStart("resume_differs", results, found);
  const command = (...words: string[]) =>
    tellCommand("eventload", "resume", fileWord(results), ...words);
  return new CannotStartError(code, message, [
    `If you can put that back, do so and run: ${command()}`,
    isRetry
      ? `If not, complete the account, and retry what is open then: ${command("--close")}`
      : "If not, import the file to other results: its rows are sent, also those that this run has sent.",
  ]);
}
