/**
 * Loads CSV files and spreadsheets into a service whose users and contacts are written by POSTing events.
 * Everything that the command line does, without a terminal.
 *
 * @module eventload
 */

import type { RunSummary } from "./model/run-events.ts";
import { exportForSpreadsheet as exportRows } from "./run/account/export-for-spreadsheet.ts";
import { type MergeOptions, mergeShards as merge } from "./run/account/merge.ts";
import { runImport as importRows } from "./run/account/next-part.ts";
import { runResume as resume } from "./run/account/resume.ts";
import { runRetry as retry } from "./run/account/retry.ts";
import { writeReport as report } from "./run/account/write-report.ts";
import type { CheckOptions, FullCheckReport } from "./run/check/check-report.ts";
import { type Preview, type PreviewOptions, previewRow as preview } from "./run/check/preview.ts";
import type { ImportOptions, ResumeOptions, RetryOptions } from "./run/options/import-options.ts";
import { checkWithState as check } from "./run/state/check-with-state.ts";

export type { Clock } from "./model/clock.ts";
export { type CannotStartCode, CannotStartError } from "./model/errors.ts";
export type { Finding } from "./model/finding.ts";
export type { MaxErrors } from "./model/max-errors.ts";
export type { EventStatus, Outcome, StatusCounts } from "./model/outcome.ts";
export type { OutcomeGroup } from "./model/outcome-groups.ts";
export type { ProxySettings } from "./model/proxy-settings.ts";
export type { Dialect, Reading } from "./model/reading.ts";
export type { Row, RowProblem } from "./model/row.ts";
export type {
  ChangedColumn,
  CheckProgress,
  CheckReport,
  ExitReason,
  ImportNotice,
  ImportProgress,
  PartSummary,
  RunSummary,
  Selection,
  SendProgress,
} from "./model/run-events.ts";
export type { DeliveryMode } from "./model/run-settings.ts";
export type { Shard } from "./model/shard.ts";
export type { StatusLists } from "./model/status-rules.ts";
export type { StopReason } from "./model/stop.ts";
export type { TokenSource } from "./model/token-source.ts";
export type { ExportOptions, ExportReport } from "./run/account/export-for-spreadsheet.ts";
export type { MergeOptions } from "./run/account/merge.ts";
export type { ReportOptions, ReportWritten } from "./run/account/write-report.ts";
export type { CheckOptions, FullCheckReport } from "./run/check/check-report.ts";
export type { EventKind } from "./run/check/count-events.ts";
export type { ProblemGroup } from "./run/check/group-problems.ts";
export type { Preview, PreviewOptions } from "./run/check/preview.ts";
export type { ImportOptions, ResumeOptions, RetryOptions } from "./run/options/import-options.ts";
export type { Input, Rows } from "./run/options/input.ts";
export type { SandboxCounts } from "./sandbox/sandbox-counts.ts";
export type { SandboxOptions } from "./sandbox/sandbox-options.ts";
export { type Sandbox, startSandbox } from "./sandbox/start-sandbox.ts";

// With their types written down, what these need inside is not part of what a user's compiler sees.

/** Imports a file: see {@link ImportOptions}. @throws CannotStartError if nothing was sent */
export const runImport: (options: ImportOptions) => Promise<RunSummary> = importRows;
/** Sends again what did not succeed: see {@link RetryOptions}. @throws CannotStartError if nothing was sent */
export const runRetry: (options: RetryOptions) => Promise<RunSummary> = retry;
/** Continues an unfinished run: see {@link ResumeOptions}. @throws CannotStartError if nothing was sent */
export const runResume: (options: ResumeOptions) => Promise<RunSummary> = resume;
/** Does what an import does, without sending. @throws CannotStartError if input or mapping cannot be used */
export const runCheck: (options: CheckOptions) => Promise<FullCheckReport> = check;
/** Merges the results of all shards: see {@link MergeOptions}. @throws CannotStartError if nothing was merged */
export const mergeShards: (options: MergeOptions) => Promise<RunSummary> = merge;
export const previewRow: (options: PreviewOptions) => Promise<Preview> = preview;
export const exportForSpreadsheet: typeof exportRows = exportRows;
export const writeReport: typeof report = report;
