import { lstat } from "node:fs/promises";
import { isAbsolute, join, relative, resolve } from "node:path";
import { cannotStart } from "../../model/errors.ts";
import type { Command } from "../command.ts";
import type { GivenValue, SettingsLayer } from "./arguments.ts";

/*
 * What lies in a folder runs no program, and reaches no file elsewhere: a configuration file that does has to be named.
 */

/** @throws CannotStartError if a setting that runs a program is from a file that nobody named */
export function refuseFoundProgram(setting: GivenValue | undefined): void {
  if (setting?.foundIn === undefined) return;
  throw cannotStart("config_not_named", setting.place, "runs a program", setting.foundIn);
}

/** @throws CannotStartError if a file that nobody named names one outside its folder, or a pipe, which may never end */
export async function refuseFoundPaths(
  { options }: Command,
  layers: readonly SettingsLayer[],
  folder: string,
): Promise<void> {
  for (const [name, { isPath }] of Object.entries(options)) {
    const setting = layers.find((layer) => layer.has(name))?.get(name);
    if (setting?.foundIn === undefined || isPath !== true || setting.value === "-") continue;
    if (!(await isOutside(setting.value, folder))) continue;
    const does = "names a file outside its folder, or a link or pipe";
    throw cannotStart("config_not_named", setting.place, does, setting.foundIn);
  }
}

/** Whether a path leads out of a folder, or through a link or pipe. */
async function isOutside(path: string, folder: string): Promise<boolean> {
  // Behind a link, `..` leads elsewhere than it seems.
  const upwards = /(?:^|[/\\])\.\.(?:[/\\]|$)/;
  const way = relative(folder, resolve(folder, path));
  if (upwards.test(path) || upwards.test(way) || isAbsolute(way)) return true;
  let at = folder;
  for (const part of way.split(/[/\\]/)) {
    at = join(at, part);
    const found = await lstat(at).catch(() => undefined);
    if (found === undefined) return false;
    if (!found.isFile() && !found.isDirectory()) return true;
  }
  return false;
}
