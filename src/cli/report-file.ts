import { CannotStartError } from "../domain/errors.ts";
import type { NextStep } from "../domain/next-step.ts";
import type { RunSummary } from "../import-options.ts";
import type { Arguments } from "./arguments.ts";

/** The report that is to be written when a run has ended. */
export interface ReportFile {
  /**
   * @param next what the summary says to type next
   * @returns where it is; nothing where there is nothing to tell, or it could not be written
   */
  write(summary: RunSummary, next: NextStep | undefined): Promise<string | undefined>;
}

/**
 * What `--report` asks for. That it cannot be written is said before anything is sent; what goes wrong
 * after that is no reason to call the run a failure.
 *
 * @throws CannotStartError where another file is in its place
 */
export async function reportFile(
  args: Arguments,
  warn: (message: string) => void,
): Promise<ReportFile | undefined> {
  const setting = args.setting("report");
  if (setting === undefined) return undefined;
  const { refuseOtherFile, writeReport } = await import("../write-report.ts");
  const output = setting.value;
  await refuseOtherFile(output);
  return {
    async write({ results, manifest }, next) {
      if (results === undefined || manifest === undefined) return undefined;
      try {
        return (await writeReport({ results, output, next: next ?? null })).output;
      } catch (error) {
        if (!(error instanceof CannotStartError)) throw error;
        warn(`no report was written: ${error.message}`);
        return undefined;
      }
    },
  };
}
