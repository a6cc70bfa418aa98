import { realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { cannotStart } from "../../model/errors.ts";
import { runFiles } from "../../model/run-files.ts";
import { whyNoLog } from "../terminal/log-file.ts";
import type { Arguments } from "./arguments.ts";

/** What a run writes beside its results, if it is asked to. */
const besides = { "metrics-file": "the metrics", report: "the report", "log-file": "the log" };

/**
 * Makes sure that log, report and metrics are neither one another nor a file that the run writes, which may not be
 * there yet. What is there they spare themselves: each is written only over, or behind, what it has written.
 *
 * @param state of a night
 * @throws CannotStartError naming what it is
 */
export async function guardOutputs(
  args: Arguments,
  results: string,
  state: string | undefined,
): Promise<void> {
  const outputs = Object.entries(besides).flatMap(([name, what]) => {
    const setting = args.setting(name);
    return setting === undefined ? [] : [{ ...setting, what, path: setting.value }];
  });
  const written = Object.values(runFiles(results)).map((path) => ({
    what: "a file of the account",
    path,
  }));
  if (state !== undefined) written.push({ what: "the state", path: state });
  for (const { path, place, what } of outputs) {
    const identity = await identityOf(path);
    for (const other of [...written, ...outputs.filter((one) => one.what !== what)]) {
      if ((await identityOf(other.path)) !== identity) continue;
      const why = `${path} is ${other.what}; name another for ${what}`;
      throw cannotStart("option_invalid", place, why);
    }
  }
  const log = args.setting("log-file");
  const why = log && (await whyNoLog(log.value));
  if (why !== undefined) {
    throw cannotStart("option_invalid", log!.place, `${why}; name another for the log`);
  }
}

/** The same whichever way leads to its folder. */
async function identityOf(path: string): Promise<string> {
  const folder = resolve(dirname(path));
  return join(await realpath(folder).catch(() => folder), basename(path));
}
