import { isAbsolute, join, relative, resolve } from "node:path";
import { parseBaseUrl, withoutSecrets } from "../../model/endpoint.ts";
import { CannotStartError } from "../../model/errors.ts";
import { quoteWhole } from "../../model/row.ts";
import type { SendingSettings } from "../../model/sending-settings.ts";
import { usualSending } from "../../run/options/import-settings.ts";
import type { Host } from "../host.ts";
import { capText } from "../terminal/rate-text.ts";
import { type Arguments, isTyped } from "./arguments.ts";

/** Whether two base URLs are the same service, however they are written. */
export function isSameService(one: string, other: string): boolean {
  return asRead(one) === asRead(other);
}

function asRead(baseUrl: string): string {
  try {
    return parseBaseUrl(baseUrl, true).baseUrl;
  } catch (error) {
    if (!(error instanceof CannotStartError)) throw error;
    return baseUrl;
  }
}

/**
 * Address and mapping for a run whose own cannot be trusted. What was not typed for this very command is of
 * imports to come, so it counts only where that run says the same.
 */
export function givenBeside(
  args: Arguments,
  found: { readonly baseUrl: string; readonly mapping: string },
): { readonly baseUrl: string | undefined; readonly mapping: string | undefined } {
  const [baseUrl, mapping] = [args.text("base-url"), args.text("mapping")];
  const isGiven = (name: string, isSame: boolean) => isTyped(args.setting(name)) || isSame;
  return {
    baseUrl: isGiven("base-url", isSameService(baseUrl ?? "", found.baseUrl)) ? baseUrl : undefined,
    mapping: isGiven("mapping", resolve(mapping ?? "") === found.mapping) ? mapping : undefined,
  };
}

/** Where a run goes, and by which mapping, for one that may have both from the run before. */
export function describeWhere(baseUrl: string, mapping: string, cwd: string): string {
  const within = relative(cwd, resolve(mapping));
  const shown = within.startsWith("..") ? resolve(mapping) : within;
  return `Service: ${withoutSecrets(baseUrl)}, mapping: ${quoteWhole(shown)}`;
}

/**
 * What a run keeps of how the one before was sent, as a person would say it: `at most 20 requests/s, 8 at a time`.
 * What is usual, or is typed now, is left out.
 */
export function describeKept(
  { concurrency, ratePerSecond, adaptive, timeoutMs, ...others }: SendingSettings,
  { setting }: Pick<Arguments, "setting">,
): string {
  const { maxAttempts, maxErrors, maxOutageMs } = others;
  const parts: readonly [option: string, isUsual: boolean, text: string][] = [
    ["rate", ratePerSecond === null, `at most ${capText(ratePerSecond ?? 0, "request")}`],
    ["concurrency", concurrency === usualSending.concurrency, `${concurrency} at a time`],
    ["no-adaptive", adaptive, "without adapting"],
    ["timeout", timeoutMs === usualSending.timeoutMs, `${durationText(timeoutMs)} an attempt`],
    ["max-attempts", maxAttempts === usualSending.maxAttempts, `${maxAttempts} attempts`],
    ["max-errors", maxErrors === null, `at most ${maxErrors} errors`],
    [
      "max-outage",
      maxOutageMs === usualSending.maxOutageMs,
      `outages of ${durationText(maxOutageMs)} at most`,
    ],
  ];
  return parts
    .filter(([option, isUsual]) => !isUsual && !isTyped(setting(option)))
    .map(([, , text]) => text)
    .join(", ");
}

function durationText(ms: number): string {
  return ms % 1000 === 0 ? `${ms / 1000}s` : `${ms}ms`;
}

/**
 * Where the key is that seals manifests, if not in the home folder. By the XDG Base Directory Specification a
 * path that is not absolute counts for nothing.
 */
export function stateFolder({ XDG_STATE_HOME: folder = "" }: Host["env"]): string | undefined {
  return isAbsolute(folder) ? join(folder, "eventload") : undefined;
}
