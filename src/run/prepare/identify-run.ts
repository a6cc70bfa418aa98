import { basename, resolve } from "node:path";
import type { Route } from "../../delivery/http/route.ts";
import type { Token } from "../../delivery/http/token.ts";
import { journalVersion, type RunIdentity } from "../../journal/run-identity.ts";
import type { Endpoint } from "../../model/endpoint.ts";
import { sendingOf } from "../../model/run-settings.ts";
import { lastPart } from "../../results/manifest.ts";
import { keptSettings } from "../options/import-settings.ts";
import type { RunContext } from "../options/run-context.ts";
import type { PreparedInput } from "./prepare-input.ts";
import type { InputFile } from "./prepare-several.ts";

/** Everything that a run needs before it may write or send anything. */
export interface PreparedRun<Input extends PreparedInput = PreparedInput> {
  readonly endpoint: Endpoint;
  readonly route: Route;
  readonly token: Token;
  /** Of a retry, the rows that it selects. */
  readonly input: Input;
  /** When the run began, in ISO 8601; for a resumed run, when it first began. */
  readonly startedAt: string;
}

/** What identifies the run when it is resumed. */
export async function identifyRun(
  { settings, kind, files, account, given: givenFile, unfinished }: RunContext,
  { input, endpoint, startedAt }: PreparedRun,
): Promise<RunIdentity> {
  const { id, files: inputs, fingerprint } = await input.identify();
  const { name, called } = input;
  const report = settings.reportPath ?? unfinished?.run.report;
  const before = account?.results_file ?? undefined;
  const kept = keptSettings(settings, input.reading);
  return {
    version: journalVersion,
    kind,
    input: {
      path: inputs.length === 1 ? resolve(inputs[0]?.path ?? "") : null,
      ...{ name, called, id },
      ...(fingerprint ?? { bytes: null, sha256: null }),
    },
    ...(inputs.length < 2 ? {} : { inputs: inputs.map(asIdentified) }),
    mapping: { ...input.mapping, path: resolve(input.mapping.path) },
    baseUrl: endpoint.baseUrl,
    ...(settings.target === undefined ? {} : { target: settings.target }),
    settings: kept,
    ...(report === undefined ? {} : { report: resolve(report) }),
    startedAt,
    parts: [
      ...(unfinished?.run.parts ?? []),
      { startedAt: settings.clock.date().toISOString(), sending: sendingOf(kept) },
    ],
    rowsTotal: null,
    part: unfinished?.run.part ?? lastPart(account?.parts ?? []) + 1,
    ...(kind === "retry" && before !== undefined ? { account: before } : {}),
    ...(givenFile === undefined ? {} : { given: basename(givenFile.path) }),
    results: basename(files.results),
    ...(settings.state === undefined ? {} : { state: resolve(settings.state) }),
  };
}

function asIdentified({ state: _, ...file }: InputFile) {
  return { ...file, path: resolve(file.path) };
}
