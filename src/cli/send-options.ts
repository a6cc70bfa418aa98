import { isUsableHeaderName } from "../check-options.ts";
import { cannotStart } from "../domain/errors.ts";
import { type MaxErrors, parseMaxErrors } from "../domain/max-errors.ts";
import type { Arguments } from "./arguments.ts";
import type { CommonOptions } from "./run-command.ts";

/** How events are to be sent. Only what was given: what is left out has its default elsewhere. */
export function sendOptionsOf(args: Arguments): Omit<CommonOptions, "token"> {
  const given = {
    results: args.text("results"),
    concurrency: args.number("concurrency"),
    ratePerSecond: args.number("rate"),
    maxAttempts: args.number("max-attempts"),
    maxErrors: maxErrors(args),
    timeoutMs: args.number("timeout"),
    adaptive: args.flag("no-adaptive") ? false : undefined,
    maxOutageMs: args.number("max-outage"),
    delivery: args.text("delivery"),
    durability: args.text("durability"),
    idempotencyHeader: headerName(args),
    allowHttp: args.flag("allow-http") || undefined,
    skip: args.number("skip"),
    limit: args.number("limit"),
    check: args.flag("no-check") ? false : undefined,
    strict: args.flag("strict") || undefined,
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

function maxErrors(args: Arguments): MaxErrors | undefined {
  const text = args.text("max-errors");
  const parsed = text === undefined ? undefined : parseMaxErrors(text);
  return parsed?.kind === "limit" ? parsed.limit : undefined;
}

/** @throws CannotStartError where a header cannot be called that */
export function headerName(args: Arguments): string | undefined {
  const setting = args.setting("idempotency-header");
  if (setting === undefined) return undefined;
  const { value, place } = setting;
  if (isUsableHeaderName(value)) return value.toLowerCase();
  const why = `"${value}" cannot be used; give a name such as Idempotency-Key`;
  throw cannotStart("option_invalid", place, why);
}
