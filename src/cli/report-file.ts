import { CannotStartError } from "../model/errors.ts";
import type { NextStep } from "../model/next-step.ts";
import type { RunSummary } from "../run/import-options.ts";
import type { Arguments } from "./arguments.ts";

/** What became of the report that was asked for: where it is, or why there is none. */
export type ReportMade =
  | { readonly output: string; readonly why?: undefined }
  | { readonly output?: undefined; readonly why: string };

/** The report that is to be written when a run has ended. */
export interface ReportFile {
  /** @param next what the summary says to type next */
  write(summary: RunSummary, next: NextStep | undefined): Promise<ReportMade>;
}

/**
 * What `--report` asks for. That it cannot be written is said before anything is sent; what goes wrong
 * after that is no reason to call the run a failure.
 *
 * @throws CannotStartError where another file is in its place, or none can be made there
 */
export async function reportFile(args: Arguments): Promise<ReportFile | undefined> {
  const setting = args.setting("report");
  if (setting === undefined) return undefined;
  const { prepareReport, writeReport } = await import("../run/write-report.ts");
  const output = setting.value;
  await prepareReport(output);
  return {
    async write({ results, manifest }, next) {
      if (results === undefined) return { why: "nothing was delivered that it could tell of" };
      if (manifest === undefined) return { why: "the manifest that it is made of is not there" };
      try {
        return { output: (await writeReport({ results, output, next: next ?? null })).output };
      } catch (error) {
        if (!(error instanceof CannotStartError)) throw error;
        return { why: error.message.replace(/\.$/, "") };
      }
    },
  };
}
