import { basename } from "node:path";
import { exists } from "../model/disk/exists.ts";
import { fillName } from "../model/results-name.ts";
import { defaultResultsPath, refuseExisting, runFiles } from "../model/run-files.ts";
import { unfinishedRunOf } from "../run/unfinished-run-of.ts";
import type { Arguments } from "./arguments.ts";
import type { Host } from "./host.ts";
import { writeLine } from "./write-line.ts";

/** What the run is that is compared. */
export interface Compared {
  /** Its first input. */
  readonly input: string;
  /** Where its results go; a check has none. */
  readonly results: string | undefined;
}

/**
 * The results that `--baseline` means: names of files are filled in as those of results are, and a
 * pattern stands for the last import with what was sent since. A run that is gone on with is compared
 * with what it was begun with.
 */
export async function baselineOf(
  args: Arguments,
  { stderr }: Pick<Host, "stderr">,
  { input, results }: Compared,
): Promise<readonly string[]> {
  const parts = {
    input: basename(defaultResultsPath(input), ".results.csv"),
    target: args.text("target"),
    date: "*",
    time: "*",
  };
  const given = args.list("baseline").map((path) => fillName(path, parts));
  if (given.length === 0) return [];
  const { findBaseline, isPattern } = await import("../run/find-baseline.ts");
  if (!given.some(isPattern)) return given;
  if (results !== undefined) await refuseDone(results);
  if (results !== undefined && args.flag("resume")) {
    const unfinished = await unfinishedRunOf(runFiles(results).journal);
    if (unfinished !== undefined) return (unfinished.run.baseline ?? []).map(({ path }) => path);
  }
  const { paths, unmatched } = await findBaseline(given, results);
  for (const { pattern, fits } of unmatched) {
    const why =
      fits === undefined
        ? `there are no results ${pattern} yet`
        : `${pattern} fits ${fits}, but no results of a run`;
    writeLine(stderr, `warning: ${why}, so nothing is left out as unchanged by them.`);
  }
  return paths;
}

/** A pattern leaves out what the run itself has written: where that is done, it is no first night. */
async function refuseDone(results: string): Promise<void> {
  const files = runFiles(results);
  if (!(await exists(files.journal))) await refuseExisting(files);
}
