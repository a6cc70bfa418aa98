import { realpath, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { linkToNothing } from "../../model/disk/exists.ts";
import { cannotStart } from "../../model/errors.ts";
import { runFiles } from "../../model/run-files.ts";
import { logPlaceOf } from "../terminal/log-file.ts";
import type { Arguments } from "./arguments.ts";
import { configurationFile } from "./configuration.ts";

/** A file that a run reads or writes, and what it is to the run. */
export interface FileInUse {
  readonly what: string;
  readonly path: string;
}

/** The files that a run writes. */
export function outputsOf(results: string): FileInUse[] {
  const files = runFiles(results);
  return [
    { what: "the results file", path: files.results },
    { what: "the failed-rows file", path: files.failed },
    { what: "the manifest", path: files.manifest },
    { what: "the journal", path: files.journal },
  ];
}

/** A mapping with the files that it looks things up in or imports. */
export async function mappingFiles(mapping: string): Promise<FileInUse[]> {
  const { pathsBesideMapping } = await import("../../run/prepare/paths-beside-mapping.ts");
  return filesOfMapping(mapping, await pathsBesideMapping(mapping));
}

/** The same where they are known. */
export function filesOfMapping(mapping: string, beside: readonly string[]): FileInUse[] {
  const what = mapping.endsWith(".mjs")
    ? "a module that the mapping imports"
    : "a file that the mapping looks things up in";
  return [{ what: "the mapping", path: mapping }, ...beside.map((path) => ({ what, path }))];
}

/** What a run writes beside its results, if it is asked to. */
const besides = { "metrics-file": "the metrics", report: "the report", "log-file": "the log" };

/**
 * Makes sure that log, report and metrics are not written into files that the run needs for something
 * else, nor into one another, and the log not into a file of anything but a log: it is added to what is
 * there, and not every file that a run reads is known by name.
 *
 * @throws CannotStartError naming what it is
 */
export async function guardOutputs(
  args: Arguments,
  cwd: string,
  filesInUse: () => Promise<readonly FileInUse[]>,
): Promise<void> {
  const outputs = Object.entries(besides).flatMap(([name, what]) => {
    const setting = args.setting(name);
    return setting === undefined ? [] : [{ ...setting, what, path: setting.value }];
  });
  if (outputs.length === 0) return;
  const given = { "token-file": "the token file", "ca-file": "the file of certificates" };
  const read = Object.entries(given).flatMap(([name, what]) => {
    const path = args.text(name);
    return path === undefined ? [] : [{ what, path }];
  });
  const configuration = {
    what: "the configuration file",
    path: configurationFile(args.text("config"), cwd).path,
  };
  const inUse = [...(await filesInUse()), ...read, configuration];
  for (const { path, place, what } of outputs) {
    const identity = await identityOf(path);
    for (const other of [...inUse, ...outputs.filter((one) => one.what !== what)]) {
      if ((await identityOf(other.path)) !== identity) continue;
      const why = `${path} is ${other.what}; name another for ${what}`;
      throw cannotStart("option_invalid", place, why);
    }
  }
  const log = args.setting("log-file");
  const place = log === undefined ? "free" : await logPlaceOf(log.value);
  if (log === undefined || place === "free" || place === "no_file") return;
  const why =
    place === "taken"
      ? `${log.value} exists and is no log of eventload, so nothing is added to it`
      : `${log.value} is ${linkToNothing}`;
  throw cannotStart("option_invalid", log.place, `${why}; name another for the log`);
}

/** The same for one file under several names: a link, or a way through a linked folder. */
async function identityOf(path: string): Promise<string> {
  const found = await stat(path, { bigint: true }).catch(() => undefined);
  if (found !== undefined) return `${found.dev}:${found.ino}`;
  const folder = resolve(dirname(path));
  return join(await realpath(folder).catch(() => folder), basename(resolve(path)));
}
