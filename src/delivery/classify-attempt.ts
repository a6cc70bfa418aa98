import type { DeliveryMode } from "../model/run-settings.ts";
import type { StatusRules } from "../model/status-rules.ts";
import type { StopReason } from "../model/stop.ts";
import { errorText, harmlessLine } from "./http/answer-body.ts";
import { headersTooLong, isTlsError, noSecureConnection } from "./http/connection-errors.ts";
import type { Redact } from "./http/redact.ts";
import type { RateLimitFields } from "./rate-limit-fields.ts";

/** The result of one POST. Its texts come from others as they are: `classifyAttempt` makes them safe to show. */
export type Attempt =
  /** A status line came back, even if the body did not arrive whole. */
  | {
      readonly kind: "answered";
      readonly httpStatus: number;
      /** Each `Retry-After`, as it was sent. */
      readonly retryAfter?: readonly string[];
      /** `Date`, as it was sent, if there is a `Retry-After`. */
      readonly date?: string;
      readonly location?: string;
      /** Whether the body is a page for a browser. */
      readonly isHtml?: boolean;
      /** The quotas that the service reports; absent if there is none. */
      readonly rateLimit?: RateLimitFields;
      /** The beginning of the body as text, at most 64 KiB; blank for a success. */
      readonly body: string;
      /** Whether the body goes on after that. */
      readonly isCut?: boolean;
    }
  /** The request may have left, and no status line came back. */
  | { readonly kind: "unanswered"; readonly code: string; readonly message: string }
  /**
   * The request was never sent. If a proxy is to blame, the code is `proxy_auth` (it requires, or does not accept, a
   * user name and password), `proxy_refused` or `proxy_unreachable`.
   */
  | { readonly kind: "not_sent"; readonly code: string; readonly message: string };

export type Classification =
  | { readonly kind: "accepted"; readonly retryAfterMs?: number }
  | ({ readonly kind: "rejected" } & AttemptFailure)
  /** May have arrived, and must not be sent again. */
  | ({ readonly kind: "unanswered" } & AttemptFailure)
  | ({ readonly kind: "retry" } & AttemptFailure)
  /** The service does not accept the token; the run stops for this reason if there is no other token. */
  | ({ readonly kind: "unauthorized"; readonly reason: StopReason } & AttemptFailure)
  | ({ readonly kind: "stop"; readonly reason: StopReason } & AttemptFailure);

interface AttemptFailure {
  readonly code: string;
  readonly message: string;
  /** How long the service asks the whole run to wait. */
  readonly retryAfterMs?: number;
}

export interface AttemptContext {
  readonly mode: DeliveryMode;
  /** Whether the service has not answered anything in this run yet. */
  readonly isFirst: boolean;
  /** Whether a success that is a page for a browser comes from elsewhere; default no. */
  readonly refusesHtml?: boolean;
  /** The address that was tried, for messages. */
  readonly url: string;
  readonly now: Date;
  readonly statuses: StatusRules;
  readonly redact: Redact;
}

/** What an attempt means for its event: here every HTTP status and every connection error finds its class. Pure. */
export function classifyAttempt(attempt: Attempt, context: AttemptContext): Classification {
  switch (attempt.kind) {
    case "answered":
      return classifyAnswer(attempt, context);
    case "not_sent":
      return classifyNotSent(attempt, context);
    case "unanswered": {
      const { code } = attempt;
      const message = harmlessLine(attempt.message, context.redact);
      const what = code === headersTooLong ? "unreadable answer" : "no answer";
      return context.mode === "at-most-once"
        ? { kind: "unanswered", code, message: `${what}, may have arrived: ${message}` }
        : { kind: "retry", code, message: `${what}: ${message}` };
    }
  }
}

function classifyAnswer(
  answer: Extract<Attempt, { kind: "answered" }>,
  { mode, isFirst, refusesHtml, url, now, statuses, redact }: AttemptContext,
): Classification {
  const { httpStatus, retryAfter, date, location, isHtml, body, isCut } = answer;
  const wait = longestWait(retryAfter, date, now);
  const configured = statuses(httpStatus);
  if (configured === "success") {
    if (refusesHtml !== true || isHtml !== true) return { kind: "accepted", ...wait };
    const message = `a page for a browser (${httpStatus}, text/html)`;
    const sentence = `${url} answers with ${message}, as a wrong address does: check the base URL. If it is right, put accept_html: true into eventload.yaml.`;
    const reason: StopReason = { code: "not_found", message: sentence };
    return { kind: "stop", code: "html", message, reason };
  }

  const code = `http_${httpStatus}`;
  const said = errorText(body, redact, isCut);
  const message = said === "" ? `status ${httpStatus}` : said;
  const stop = (stopCode: StopReason["code"], sentence: string) => ({
    kind: "stop" as const,
    code,
    message,
    reason: { code: stopCode, message: said === "" ? sentence : `${sentence} It says: ${said}` },
  });

  const refusal: AttemptFailure = { code, message, ...wait };
  if (configured === "reject") return { kind: "rejected", ...refusal };
  if (configured === "retry") return { kind: "retry", ...refusal };
  if (httpStatus === 401) {
    const sentence = `The service does not accept the token (401 from ${url}): get a new one.`;
    return { ...stop("unauthorized", sentence), ...wait, kind: "unauthorized" };
  }
  const stopCode = isFirst ? stopCodeOf(httpStatus) : undefined;
  if (stopCode !== undefined) {
    const where = location === undefined ? "elsewhere" : `to ${harmlessLine(location, redact)}`;
    const sentences = {
      forbidden: `The token is not allowed to write there (403 from ${url}).`,
      not_found: `There is no such address (404 from ${url}): check the base URL.`,
      method_not_allowed: `That address does not accept this method (405 from ${url}): check the base URL, and any method in the mapping.`,
      redirected: `${url} redirects ${where} (${httpStatus}), which is never followed: give the address that is meant as base URL.`,
    };
    return { ...stop(stopCode, sentences[stopCode]), ...wait };
  }
  if (httpStatus === 407) {
    return stop("unreachable", `The proxy on the way to ${url} refuses the request (407).`);
  }
  switch (httpStatus) {
    case 429:
    case 503:
    case 421: // the connection led to another server, and is closed (RFC 9110, section 15.5.20)
      return { kind: "retry", ...refusal };
    case 408:
    case 425:
      break;
    default:
      if (httpStatus < 500) return { kind: "rejected", ...refusal };
  }
  // The service behind such an answer may have accepted the event all the same.
  return { kind: mode === "at-most-once" ? "unanswered" : "retry", ...refusal };
}

/** The longest of several: each may come from another machine on the way. */
function longestWait(
  retryAfter: readonly string[] | undefined,
  date: string | undefined,
  now: Date,
): Pick<AttemptFailure, "retryAfterMs"> {
  if (retryAfter === undefined) return {};
  // A date counts from the service's own clock, which may be seconds from ours.
  const answeredAt = parseHttpDate(date ?? "") ?? now;
  const waits = retryAfter
    .map((value) => parseRetryAfter(value, answeredAt))
    .filter((waitMs) => waitMs !== undefined);
  return waits.length === 0 ? {} : { retryAfterMs: Math.max(...waits) };
}

function classifyNotSent(
  { code, message: said }: Extract<Attempt, { kind: "not_sent" }>,
  { isFirst, url, redact }: AttemptContext,
): Classification {
  const message = harmlessLine(said, redact);
  const host = new URL(url).host;
  if (code === "proxy_auth") {
    const reason: StopReason = {
      code: "unreachable",
      message: `Cannot reach ${host}: ${message}.`,
    };
    return { kind: "stop", code, message, reason };
  }
  if (isFirst && code === "ENOTFOUND") {
    const sentence = `There is no host ${host}: check the base URL.`;
    return { kind: "stop", code, message, reason: { code: "unreachable", message: sentence } };
  }
  if (isFirst && isTlsError(code)) {
    return { kind: "stop", code, message, reason: noSecureConnection(url, code, message) };
  }
  const withoutVerb = message.replace(/^connect /, "");
  return { kind: "retry", code, message: `could not connect: ${withoutVerb}` };
}

/**
 * Reads `Retry-After` (RFC 9110, section 10.2.3): seconds, however many, or an HTTP date. Many services send seconds
 * with decimals, which are rounded up.
 *
 * @param answeredAt when the answer was made, by the clock of the service
 * @returns milliseconds to wait from then, never less than 0; undefined if it is neither
 */
export function parseRetryAfter(value: string, answeredAt: Date): number | undefined {
  const text = value.trim();
  if (/^\d+(?:\.\d+)?$/.test(text)) return Math.ceil(Number(text)) * 1000;
  const date = parseHttpDate(text);
  return date === undefined ? undefined : Math.max(0, date.getTime() - answeredAt.getTime());
}

/** Reads a date in one of the forms of RFC 9110, section 5.6.7. `Date.parse` accepts much that is not one. */
function parseHttpDate(text: string): Date | undefined {
  if (!/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /.test(text)) return undefined;
  const epochMs = Date.parse(/GMT$/.test(text) ? text : `${text} GMT`);
  return Number.isNaN(epochMs) ? undefined : new Date(epochMs);
}

/** Why a status stops the run if it answers the first event, or many in a row; undefined if it is about one event. */
export function stopCodeOf(
  httpStatus: number,
): "forbidden" | "not_found" | "method_not_allowed" | "redirected" | undefined {
  switch (httpStatus) {
    case 403:
      return "forbidden";
    case 404:
      return "not_found";
    case 405:
      return "method_not_allowed";
    default:
      return httpStatus >= 300 && httpStatus < 400 ? "redirected" : undefined;
  }
}
