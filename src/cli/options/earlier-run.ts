import { isAbsolute, join, relative, resolve } from "node:path";
import { withoutSecrets } from "../../model/endpoint.ts";
import { quoteWhole } from "../../model/row.ts";
import { isModule } from "../../model/run-files.ts";
import {
  type RunSettings,
  type SendingSettings,
  sendingOf,
  unusualOptions,
} from "../../model/run-settings.ts";
import type { Host } from "../host.ts";
import { type Arguments, isTyped } from "./arguments.ts";
import { refuseFoundProgram } from "./found-file.ts";

/** Address and mapping that were typed: what stands elsewhere is about imports to come. */
export function typedWhere(args: Pick<Arguments, "given" | "text">) {
  const typed = (name: string) => (isTyped(args.given(name)) ? args.text(name) : undefined);
  const mapping = typed("mapping");
  if (isModule(mapping)) refuseFoundProgram(args.given("mapping"));
  return { baseUrl: typed("base-url"), mapping };
}

/** Where a run goes, and by which mapping, for one that may have both from the run before. */
export function describeWhere(baseUrl: string, mapping: string, cwd: string): string {
  const within = relative(cwd, resolve(mapping));
  const shown = within.startsWith("..") ? resolve(mapping) : within;
  return `Service: ${withoutSecrets(baseUrl)}, mapping: ${quoteWhole(shown)}`;
}

/** How the run before was sent, as options: `--rate 20/s --concurrency 8`. What is usual, or is typed now, is left out. */
export function describeKept(
  before: SendingSettings & Partial<RunSettings>,
  { given }: Pick<Arguments, "given">,
): string {
  const kept = unusualOptions(sendingOf(before)).filter(({ flag }) => !isTyped(given(flag)));
  return kept.map(({ text }) => text).join(" ");
}

/**
 * Where the key is that seals manifests, if not in the home folder. By the XDG Base Directory Specification a
 * path that is not absolute counts for nothing, nor does what WSL may tell of Windows.
 */
export function stateFolder({ XDG_STATE_HOME, LOCALAPPDATA }: Host["env"]): string | undefined {
  const folder = [XDG_STATE_HOME, LOCALAPPDATA].find((one) => one && isAbsolute(one));
  return folder && join(folder, "eventload");
}
