import type { ProxySettings } from "../../model/endpoint.ts";
import { cannotStart } from "../../model/errors.ts";
import { type DeliveryMode, type Durability, settingOf } from "../../model/run-settings.ts";
import { parseStatusLists, type StatusLists } from "../../model/status-rules.ts";
import type { ImportOptions } from "../../run/options/import-options.ts";
import type { MaxErrors } from "../../run/options/max-errors.ts";
import { whyNoHeader } from "../../run/options/validate-options.ts";
import type { Host } from "../host.ts";
import { type Arguments, defined, isTyped } from "./arguments.ts";
import { stateFolder } from "./earlier-run.ts";

/** What a run that continues or retries another takes from that one, unless it is typed. */
export type KeepsSettings = "all" | "sending" | "nothing";

function isKept(option: string, keeps: KeepsSettings): boolean {
  const rule = settingOf(option);
  if (keeps === "nothing" || rule === undefined || rule.fileOnly) return false;
  return rule.keptAs === "sending" || (keeps === "all" && rule.keptAs === "service");
}

/**
 * How events are to be sent. Only what was given: what is left out has its default elsewhere, or is that of
 * the run before.
 */
export function sendOptionsOf(
  { text, number, flag, setting }: Arguments,
  env: Host["env"],
  keeps: KeepsSettings,
): Omit<CommonOptions, "token"> {
  const counts = (name: string) => !isKept(name, keeps) || isTyped(setting(name));
  const args = {
    text: (name: string) => (counts(name) ? text(name) : undefined),
    number: (name: string) => (counts(name) ? number(name) : undefined),
    flag: (name: string) => counts(name) && flag(name),
    setting: (name: string) => (counts(name) ? setting(name) : undefined),
  };
  return defined({
    concurrency: args.number("concurrency"),
    ratePerSecond: args.number("rate"),
    maxAttempts: args.number("max-attempts"),
    maxErrors: args.text("max-errors") as MaxErrors | undefined, // it was read before
    timeoutMs: args.number("timeout"),
    adaptive: args.flag("no-adaptive") ? false : undefined,
    maxOutageMs: args.number("max-outage"),
    delivery: args.text("delivery") as DeliveryMode | undefined,
    durability: args.text("durability") as Durability | undefined,
    idempotencyHeader: headerName(args),
    allowHttp: args.flag("allow-http") || undefined,
    proxy: proxySettings(env),
    caFile: caFiles(args, env),
    statuses: statusLists(args),
    skip: args.number("skip"),
    limit: args.number("limit"),
    check: args.flag("no-check") ? false : undefined,
    strict: args.flag("strict") || undefined,
    stateFolder: stateFolder(env),
  });
}

/** The variables that most programs heed; as in those, the name in lower case counts more. */
function proxySettings(env: Host["env"]): ProxySettings {
  const find = (name: string) => env[name.toLowerCase()] || env[name] || undefined;
  return defined({ http: find("HTTP_PROXY"), https: find("HTTPS_PROXY"), no: find("NO_PROXY") });
}

/** Certificates that are given take the place of those that Node adds, so both are given. */
function caFiles(args: Pick<Arguments, "text">, env: Host["env"]): readonly string[] | undefined {
  const file = args.text("ca-file");
  if (file === undefined) return undefined;
  const extra = env.NODE_EXTRA_CA_CERTS ?? "";
  return extra === "" ? [file] : [file, extra];
}

/** @throws CannotStartError if a status stands in two lists */
function statusLists(args: Pick<Arguments, "text" | "setting">): StatusLists | undefined {
  const [success, retry, reject] = ["success", "retry", "reject"].map((kind) =>
    args.text(`statuses-${kind}`),
  );
  const lists = defined({ success, retry, reject });
  const read = parseStatusLists(lists);
  if (read.kind === "wrong") {
    const place = args.setting(`statuses-${read.list}`)?.place ?? "";
    throw cannotStart("option_invalid", place, read.why);
  }
  return Object.keys(lists).length === 0 ? undefined : lists;
}

/** @throws CannotStartError if a header cannot be called that */
export function headerName(args: Pick<Arguments, "setting">): string | undefined {
  const setting = args.setting("idempotency-header");
  if (setting === undefined) return undefined;
  const { value, place } = setting;
  const why = whyNoHeader(value);
  if (why === undefined) return value.toLowerCase();
  throw cannotStart("option_invalid", place, why);
}

/** What the commands that send have in common: all but where input and mapping come from. */
export type CommonOptions = Omit<ImportOptions, "input" | "mapping" | "baseUrl" | "results">;
