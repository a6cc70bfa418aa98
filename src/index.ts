/**
 * Loads CSV files into a service whose users and contacts are written by sending events. Everything
 * that the command line does, without a terminal.
 *
 * @module eventload
 */

export type { DeliveryMode } from "./delivery/classify.ts";
export type { EventKind, MemberCount } from "./model/count-events.ts";
export type { Dialect } from "./model/dialect.ts";
export { type CannotStartCode, CannotStartError } from "./model/errors.ts";
export type { EventExplanation, MemberExplanation, Step } from "./model/explanation.ts";
export type { Finding, FindingKind } from "./model/finding.ts";
export type { GroupedProblem, ProblemCase, ProblemGroup } from "./model/group-problems.ts";
export type { MaxErrors } from "./model/max-errors.ts";
export type { NextStep } from "./model/next-step.ts";
export type { Ending, EndingCounts, EventStatus } from "./model/outcome.ts";
export type { EndedLine, OutcomeGroup } from "./model/outcome-groups.ts";
export type { ProxySettings } from "./model/proxy-settings.ts";
export type { Reading } from "./model/reading.ts";
export type { ProblemCode, Row, RowProblem } from "./model/row.ts";
export type { SendingAccount } from "./model/run-figures.ts";
export type { SendingState, SendingWait } from "./model/sending-state.ts";
export type { StatusList, StatusLists } from "./model/status-rules.ts";
export type { TokenSource } from "./model/token-source.ts";
export type { ChangesSince } from "./run/changes-since.ts";
export {
  type CheckOptions,
  type CheckReport,
  type FullCheckReport,
  runCheck,
} from "./run/check.ts";
export type { CheckProgress } from "./run/check-progress.ts";
export { type ExportOptions, type ExportReport, exportForSpreadsheet } from "./run/export.ts";
export { runImport } from "./run/import.ts";
export type {
  ExitReason,
  ImportNotice,
  ImportOptions,
  ImportProgress,
  RunSummary,
  SendProgress,
} from "./run/import-options.ts";
export {
  type Preview,
  type PreviewedRequest,
  type PreviewOptions,
  previewRow,
} from "./run/preview.ts";
export { type ResumeOptions, runResume } from "./run/resume.ts";
export { type RetryOptions, runRetry } from "./run/retry.ts";
export { type ReportOptions, type ReportWritten, writeReport } from "./run/write-report.ts";
