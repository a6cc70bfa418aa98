/**
 * Loads CSV files into a service whose users and contacts are written by sending events. Everything
 * that the command line does, without a terminal.
 *
 * @module eventload
 */
export type { ChangesSince } from "./changes-since.ts";
export {
  type CheckOptions,
  type CheckProgress,
  type CheckReport,
  type FullCheckReport,
  runCheck,
} from "./check.ts";
export type { DeliveryMode } from "./delivery/classify.ts";
export type { SendingState, SendingWait } from "./delivery/sending-state.ts";
export type { StatusList, StatusLists } from "./delivery/status-rules.ts";
export { type CannotStartCode, CannotStartError } from "./domain/errors.ts";
export type { EventExplanation, MemberExplanation, Step } from "./domain/explanation.ts";
export type { MaxErrors } from "./domain/max-errors.ts";
export type { NextStep } from "./domain/next-step.ts";
export type { Ending, EndingCounts, EventStatus } from "./domain/outcome.ts";
export type { EndedLine, OutcomeGroup } from "./domain/outcome-groups.ts";
export type { ProxySettings } from "./domain/proxy-settings.ts";
export type { ProblemCode, Row, RowProblem } from "./domain/row.ts";
export type { SendingAccount } from "./domain/run-figures.ts";
export type { TokenSource } from "./domain/token-source.ts";
export { type ExportOptions, type ExportReport, exportForSpreadsheet } from "./export.ts";
export type { EventKind, MemberCount } from "./findings/count-events.ts";
export type { Finding, FindingKind } from "./findings/finding.ts";
export type { GroupedProblem, ProblemCase, ProblemGroup } from "./findings/group-problems.ts";
export { runImport } from "./import.ts";
export type {
  ExitReason,
  ImportNotice,
  ImportOptions,
  ImportProgress,
  RunSummary,
  SendProgress,
} from "./import-options.ts";
export {
  type Preview,
  type PreviewedRequest,
  type PreviewOptions,
  previewRow,
} from "./preview.ts";
export { type ResumeOptions, runResume } from "./resume.ts";
export { type RetryOptions, runRetry } from "./retry.ts";
export type { Dialect } from "./source/dialect.ts";
export type { Reading } from "./source/reading.ts";
export { type ReportOptions, type ReportWritten, writeReport } from "./write-report.ts";
