import { wholeRate } from "./quantities.ts";

/** Whether an event may reach the service twice, or perhaps not at all. */
export type DeliveryMode = "at-least-once" | "at-most-once";

/**
 * What a recorded intent survives: the end of the process, which costs a write, or a power cut, which costs a
 * write and a sync.
 */
export type Durability = "power" | "process";

/** How a part of a run sends. A resume or a retry sends in the same way unless told otherwise. */
export interface SendingSettings {
  readonly concurrency: number;
  readonly rate_per_second: number | null;
  readonly adaptive: boolean;
  readonly timeout_ms: number;
  readonly max_attempts: number;
  /** As on the command line: `100` or `5%`. */
  readonly max_errors: string | null;
  readonly max_outage_ms: number;
  readonly durability: Durability;
}

/** All settings of a run that its manifest and its journal keep. What is null was not given. */
export interface RunSettings extends SendingSettings {
  readonly delivery: DeliveryMode;
  readonly idempotency_header: string | null;
  readonly allow_http: boolean;
  readonly ca_files: readonly string[];
  readonly success_statuses: string | null;
  readonly retry_statuses: string | null;
  readonly reject_statuses: string | null;
  /** How the input is read, as far as that was said. */
  readonly encoding: string | null;
  readonly delimiter: string | null;
  readonly quote: string | null;
  readonly header: boolean;
  readonly skip_lines: number;
  readonly max_record_bytes: number | null;
  readonly rows_in_cells: boolean;
  readonly sheet: string | null;
  readonly shard: { readonly index: number; readonly count: number } | null;
  readonly skip: number;
  readonly limit: number | null;
  readonly check: boolean;
  readonly strict: boolean;
}

interface SettingRule {
  /** Its option on the command line. */
  readonly option: string;
  /** Whether the option says the opposite. */
  readonly isNo?: true;
  readonly fileOnly?: true;
  /**
   * Who takes it from a run: `sending` every resume and retry; `service` only where the seal of the run is good, as it
   * decides where people's data go; `rows` a resume alone.
   */
  readonly keptAs: "sending" | "service" | "rows";
  /** Whether two runs are the same only if they agree on it. */
  readonly mustAgree?: true;
  readonly unit?: "rate" | "duration";
}

/** A line for each setting. */
const settingRules: { readonly [name in keyof RunSettings]: SettingRule } = {
  concurrency: { option: "concurrency", keptAs: "sending" },
  rate_per_second: { option: "rate", keptAs: "sending", unit: "rate" },
  adaptive: { option: "no-adaptive", isNo: true, keptAs: "sending" },
  timeout_ms: { option: "timeout", keptAs: "sending", unit: "duration" },
  max_attempts: { option: "max-attempts", keptAs: "sending" },
  max_errors: { option: "max-errors", keptAs: "sending" },
  max_outage_ms: { option: "max-outage", keptAs: "sending", unit: "duration" },
  durability: { option: "durability", fileOnly: true, keptAs: "sending" },
  delivery: { option: "delivery", keptAs: "service", mustAgree: true },
  idempotency_header: { option: "idempotency-header", keptAs: "service", mustAgree: true },
  allow_http: { option: "allow-http", keptAs: "service" },
  ca_files: { option: "ca-file", keptAs: "service" },
  success_statuses: { option: "statuses-success", fileOnly: true, keptAs: "service" },
  retry_statuses: { option: "statuses-retry", fileOnly: true, keptAs: "service" },
  reject_statuses: { option: "statuses-reject", fileOnly: true, keptAs: "service" },
  encoding: { option: "encoding", keptAs: "rows", mustAgree: true },
  delimiter: { option: "delimiter", keptAs: "rows", mustAgree: true },
  quote: { option: "quote", fileOnly: true, keptAs: "rows", mustAgree: true },
  header: { option: "no-header", isNo: true, keptAs: "rows", mustAgree: true },
  skip_lines: { option: "skip-lines", keptAs: "rows", mustAgree: true },
  max_record_bytes: { option: "max-record-size", fileOnly: true, keptAs: "rows" },
  rows_in_cells: { option: "rows-in-cells", fileOnly: true, keptAs: "rows" },
  sheet: { option: "sheet", keptAs: "rows", mustAgree: true },
  shard: { option: "shard", keptAs: "rows", mustAgree: true },
  skip: { option: "skip", keptAs: "rows", mustAgree: true },
  limit: { option: "limit", keptAs: "rows", mustAgree: true },
  check: { option: "no-check", isNo: true, keptAs: "rows" },
  strict: { option: "strict", keptAs: "rows" },
};

/** What counts where nothing is said. */
export const usualSettings: RunSettings = {
  ...{ concurrency: 32, rate_per_second: null, adaptive: true, timeout_ms: 30_000 },
  ...{ max_attempts: 5, max_errors: null, max_outage_ms: 15 * 60_000, durability: "power" },
  ...{ delivery: "at-least-once", idempotency_header: null, allow_http: false, ca_files: [] },
  ...{ success_statuses: null, retry_statuses: null, reject_statuses: null },
  ...{ encoding: null, delimiter: null, quote: null, header: true, skip_lines: 0 },
  ...{ max_record_bytes: null, rows_in_cells: false, sheet: null },
  ...{ shard: null, skip: 0, limit: null, check: true, strict: false },
};

const names = Object.keys(settingRules) as (keyof RunSettings)[];

/** What is known of an option that sets one of them: its rule, and as it is typed what counts without it. */
export function settingOf(option: string): (SettingRule & { usual?: string }) | undefined {
  const name = names.find((one) => settingRules[one].option === option);
  if (name === undefined) return undefined;
  const usual = settingText(name, usualSettings);
  return { ...settingRules[name], ...(usual === notGiven ? {} : { usual }) };
}

/** The settings that are kept in this way. */
export function settingsKeptAs(settings: RunSettings, as: SettingRule["keptAs"]) {
  const kept = names.filter((name) => settingRules[name].keptAs === as);
  return Object.fromEntries(kept.map((name) => [name, settings[name]])) as Partial<RunSettings>;
}

export function sendingOf(settings: RunSettings): SendingSettings {
  return settingsKeptAs(settings, "sending") as SendingSettings;
}

/** A setting on which two runs do not agree, as it is typed. */
export interface SettingDifference {
  readonly name: keyof RunSettings;
  readonly option: string;
  readonly was: string;
  readonly is: string;
}

/** How the settings of two runs differ that have to agree: the one answer to whether they are the same run. */
export function differingSettings(before: RunSettings, now: RunSettings): SettingDifference[] {
  return names.flatMap((name) => {
    const { mustAgree, option, fileOnly } = settingRules[name];
    const [was, is] = [settingText(name, before), settingText(name, now)];
    if (mustAgree !== true || was === is) return [];
    return [{ name, option: fileOnly ? `${option} (in eventload.yaml)` : `--${option}`, was, is }];
  });
}

/** The settings that are not the usual ones, as options. */
export function unusualOptions(settings: Partial<RunSettings>): { option: string; text: string }[] {
  return names.flatMap((name) => {
    const { option, fileOnly } = settingRules[name];
    const all = { ...usualSettings, ...settings };
    const text = settingText(name, all);
    if (fileOnly || text === settingText(name, usualSettings)) return [];
    return [
      { option, text: typeof all[name] === "boolean" ? `--${option}` : `--${option} ${text}` },
    ];
  });
}

/** The value of a setting as it is typed, or whether it is given. */
function settingText(name: keyof RunSettings, settings: RunSettings): string {
  const { isNo = false, unit } = settingRules[name];
  const value = settings[name];
  if (typeof value === "boolean") return value === isNo ? notGiven : "given";
  if (value === null || (value === 0 && usualSettings[name] === 0)) return notGiven;
  if (Array.isArray(value) && value.length === 0) return notGiven;
  if (value === "") return "none";
  if (unit === "rate") return rateAsTyped(Number(value));
  if (unit === "duration") return durationAsTyped(Number(value));
  if (typeof value === "object" && "index" in value) return `${value.index}/${value.count}`;
  return String(value);
}

const notGiven = "not given";

function durationAsTyped(ms: number): string {
  if (ms > 0 && ms % 60_000 === 0) return `${ms / 60_000}m`;
  return ms % 1000 === 0 ? `${ms / 1000}s` : `${ms}ms`;
}

function rateAsTyped(perSecond: number): string {
  const { amount, unit } = wholeRate(perSecond) ?? { amount: perSecond, unit: "s" };
  return `${amount}/${unit}`;
}
