import { basename } from "node:path";
import type { RunIdentity } from "../../journal/run-identity.ts";
import { CannotStartError, cannotStart } from "../../model/errors.ts";
import { shellWord } from "../../model/escape-text.ts";
import { type Manifest, readManifest } from "../../results/manifest.ts";
import type { ImportOptions } from "./import-options.ts";
import { whyNotSealed } from "./seal.ts";

/** A manifest whose settings are to be used again, if it can be read. */
export type EarlierManifest =
  | Exclude<Awaited<ReturnType<typeof readManifest>>, { readonly kind: "manifest" }>
  | { readonly kind: "sealed"; readonly manifest: Manifest }
  /** Anybody may have written it: it is figures, and no authority. */
  | { readonly kind: "unsealed"; readonly manifest: Manifest; readonly why: string };

export async function readEarlierManifest(
  path: string,
  stateFolder: string | undefined,
): Promise<EarlierManifest> {
  const read = await readManifest(path);
  if (read.kind !== "manifest") return read;
  const { manifest, written } = read;
  const why = await whyNotSealed(path, written, stateFolder);
  return why === undefined ? { kind: "sealed", manifest } : { kind: "unsealed", manifest, why };
}

/**
 * Refuses to take from a file of a run what only its user may decide. The flags that say the same can be
 * pasted by who knows them to be right.
 *
 * @param path of the manifest or journal
 */
export function refuseUnsealed(
  path: string,
  why: string,
  flags: readonly string[],
): CannotStartError {
  const { code, message } = cannotStart("run_unsealed", basename(path), why);
  return new CannotStartError(code, message, [flags.join(" ")]);
}

/** What a manifest says of where a run went, by which mapping, and how it was sent. */
export function flagsOf(manifest: Manifest): string[] {
  const { target, base_url: baseUrl, mapping, options } = manifest;
  const { allow_http: allowHttp, ca_files: caFiles } = options;
  return [
    ...flagsOfService({ target, baseUrl, mapping, options: { allowHttp, caFiles } }),
    ...flagsOfSending(manifest),
  ];
}

/**
 * The part of it without which a run would send, or count as sent, something else.
 *
 * @param given what was said of that
 */
export function flagsOfSending(
  { options }: Manifest,
  given: Partial<ImportOptions> = {},
): string[] {
  const { idempotency_header: header, delivery } = options;
  const { success_statuses: success, retry_statuses: retry, reject_statuses: reject } = options;
  const isUsual = delivery === "at-least-once";
  return [
    ...(given.idempotencyHeader === undefined ? flag("idempotency-header", header) : []),
    ...(given.delivery === undefined && !isUsual ? flag("delivery", delivery) : []),
    ...(given.statuses === undefined ? flagsOfStatuses({ success, retry, reject }) : []),
  ];
}

/** The same of a journal. All else in it decides on the rows of the run, so it is a part of that. */
export function flagsOfRun(run: RunIdentity): string[] {
  return [...flagsOfService(run), ...flagsOfStatuses(run.options.statuses ?? {})];
}

type Service = Pick<RunIdentity, "baseUrl"> & {
  readonly target?: string | undefined;
  readonly mapping: Pick<RunIdentity["mapping"], "path">;
  readonly options: Pick<RunIdentity["options"], "allowHttp" | "caFiles">;
};

function flagsOfService({ target, baseUrl, mapping, options }: Service): string[] {
  return [
    ...flag("target", target),
    ...flag("base-url", baseUrl),
    ...flag("mapping", mapping.path),
    ...(options.allowHttp ? ["--allow-http"] : []),
    // Those after the first are of NODE_EXTRA_CA_CERTS.
    ...flag("ca-file", options.caFiles?.[0]),
  ];
}

/** Statuses are no flags: they stand in eventload.yaml. */
function flagsOfStatuses(statuses: Readonly<Record<string, string | null | undefined>>): string[] {
  const lists = Object.entries(statuses).flatMap(([kind, list]) =>
    list === null || list === undefined || /\p{C}/u.test(list) ? [] : `${kind}: [${list}]`,
  );
  return lists.length === 0 ? [] : [`(in eventload.yaml: statuses: { ${lists.join(", ")} })`];
}

/** A value that a terminal would not show as it is cannot be judged, and so is not offered. */
function flag(name: string, value: string | null | undefined): string[] {
  if (value === null || value === undefined) return [];
  return [`--${name} ${/\p{C}/u.test(value) ? "…" : shellWord(value)}`];
}
