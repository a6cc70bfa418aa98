import { basename } from "node:path";
import type { Imported } from "../../journal/run-identity.ts";
import { CannotStartError, cannotStart } from "../../model/errors.ts";
import { shellWord } from "../../model/escape-text.ts";
import { type Manifest, readManifest } from "../../results/manifest.ts";
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
 * Refuses to take from a file of a run what only its user may decide. Where it went, and by which mapping, can be
 * pasted by who knows that to be right.
 *
 * @param path of the manifest or journal
 */
export function refuseUnsealed(
  path: string,
  why: string,
  { base_url, target, mapping }: Pick<Imported, "base_url" | "target" | "mapping">,
): CannotStartError {
  const { code, message } = cannotStart("run_unsealed", basename(path), why);
  const flags = { target, "base-url": base_url, mapping: mapping.path };
  return new CannotStartError(code, message, [
    Object.entries(flags)
      .flatMap(([name, value]) => (value === undefined ? [] : `--${name} ${shown(value)}`))
      .join(" "),
  ]);
}

/** A value that a terminal would not show as it is cannot be judged, and so is not offered. */
function shown(value: string): string {
  return /\p{C}/u.test(value) ? "…" : shellWord(value);
}
