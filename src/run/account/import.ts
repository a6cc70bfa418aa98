import type { RunSummary } from "../../model/run-events.ts";
import type { ImportOptions } from "../options/import-options.ts";
import { runNextPart } from "./next-part.ts";

/**
 * Imports an input: checks every row, sends the events that the mapping makes from them, and writes
 * a results file in which every row has its outcome.
 *
 * @returns the summary of the run, even if it stopped early: see `exitReason`
 * @throws CannotStartError if nothing was sent and nothing written
 */
export function runImport(options: ImportOptions): Promise<RunSummary> {
  return runNextPart(options, "import");
}
