import type { DeliveryMode } from "../model/sending-settings.ts";
import type { StatusRules } from "../model/status-rules.ts";
import type { StopReason } from "../model/stop.ts";
import type { Attempt } from "./http/attempt.ts";
import { errorText, harmlessLine } from "./http/error-text.ts";
import { headersTooLong } from "./http/message-of.ts";
import type { Redact } from "./http/redact.ts";
import { noSecureConnection } from "./http/unreachable.ts";
import { parseHttpDate, parseRetryAfter } from "./retry-after.ts";

/** What an attempt means for its event. */
export type Verdict =
  | ({ readonly kind: "accepted" } & Wish)
  | ({ readonly kind: "rejected" } & Refusal)
  /** May have arrived, and must not be sent again. */
  | ({ readonly kind: "unanswered" } & Refusal)
  | ({ readonly kind: "retry"; readonly cause: Cause } & Refusal)
  /** The token is not accepted; the reason holds where no other is to be had. */
  | ({ readonly kind: "unauthorized"; readonly reason: StopReason } & Refusal)
  | {
      readonly kind: "stop";
      readonly code: string;
      readonly message: string;
      readonly reason: StopReason;
    };

/**
 * Why an event is to be sent again: there were too many (429), the service was too busy (503), it or
 * something on the way failed, or nobody was there.
 */
export type Cause = "throttled" | "overloaded" | "failing" | "unreachable";

interface Wish {
  /** How long the whole service asked to be left alone. */
  readonly retryAfterMs?: number;
}

interface Refusal extends Wish {
  readonly code: string;
  readonly message: string;
}

export interface Circumstances {
  readonly mode: DeliveryMode;
  /** Whether nothing has been answered before in this run. */
  readonly first: boolean;
  /** Whether something has been delivered, so that the run can be resumed; default it has not. */
  readonly isResumable?: boolean;
  /** The address that was tried, for messages. */
  readonly url: string;
  readonly now: Date;
  /** What the configuration says of statuses. */
  readonly statuses?: StatusRules | undefined;
  /** Takes the secrets out of what was said. */
  readonly redact: Redact;
}

/** Judges an attempt. Pure: the same attempt under the same circumstances, the same verdict. */
export function classify(attempt: Attempt, circumstances: Circumstances): Verdict {
  switch (attempt.kind) {
    case "answered":
      return classifyAnswer(attempt, circumstances);
    case "not_sent":
      return classifyNotSent(attempt, circumstances);
    case "unanswered": {
      const { code } = attempt;
      const message = harmlessLine(attempt.message, circumstances.redact);
      const what = code === headersTooLong ? "unreadable answer" : "no answer";
      return circumstances.mode === "at-most-once"
        ? { kind: "unanswered", code, message: `${what}, may have arrived: ${message}` }
        : { kind: "retry", code, message: `${what}: ${message}`, cause: "failing" };
    }
  }
}

const accepted: Verdict = { kind: "accepted" };

function classifyAnswer(
  { httpStatus, retryAfter, date, location, body, isCut }: Extract<Attempt, { kind: "answered" }>,
  { mode, first, isResumable = false, url, now, statuses, redact }: Circumstances,
): Verdict {
  const wanted = statuses?.kindOf(httpStatus);
  const is2xx = httpStatus >= 200 && httpStatus < 300;
  const isSuccess = wanted === "success" || (wanted === undefined && is2xx);
  if (isSuccess && retryAfter === undefined) return accepted;
  const wish = longestWait(retryAfter, date, now);
  if (isSuccess) return { kind: "accepted", ...wish };

  const code = `http_${httpStatus}`;
  const said = errorText(body, redact, isCut);
  const message = said === "" ? `status ${httpStatus}` : said;
  const stop = (stopCode: StopReason["code"], sentence: string) => ({
    kind: "stop" as const,
    code,
    message,
    reason: { code: stopCode, message: said === "" ? sentence : `${sentence} It says: ${said}` },
  });

  const refusal: Refusal = { code, message, ...wish };
  if (wanted === "reject") return { kind: "rejected", ...refusal };
  if (wanted === "retry") return { kind: "retry", cause: causeOf(httpStatus), ...refusal };
  if (httpStatus === 401) {
    const what = isResumable ? "resume" : "start again";
    const sentence = `The service does not accept the token (401 from ${url}): get a new one and ${what}.`;
    return { ...stop("unauthorized", sentence), ...wish, kind: "unauthorized" };
  }
  if (first && httpStatus === 403) {
    return stop("forbidden", `The token may not write there (403 from ${url}).`);
  }
  if (first && httpStatus === 404) {
    return stop("not_found", `There is no such address (404 from ${url}): check the base URL.`);
  }
  if (first && httpStatus === 405) {
    return stop(
      "method_not_allowed",
      `That address takes no events (405 from ${url}): check the base URL.`,
    );
  }
  if (first && httpStatus >= 300 && httpStatus < 400) {
    const where = location === undefined ? "elsewhere" : `to ${harmlessLine(location, redact)}`;
    return stop(
      "redirected",
      `${url} redirects ${where} (${httpStatus}), which is never followed: give the address that is meant as base URL.`,
    );
  }

  if (httpStatus === 407) {
    return stop("unreachable", `The proxy on the way to ${url} refuses to pass this on (407).`);
  }
  switch (httpStatus) {
    case 429:
    case 503:
    case 421: // another server's connection (RFC 9110, section 15.5.20): not taken, and retried on a fresh one
      return { kind: "retry", cause: causeOf(httpStatus), ...refusal };
    case 408:
    case 425:
      break;
    default:
      if (httpStatus < 500) return { kind: "rejected", ...refusal };
  }
  // What stands behind such an answer may have taken the event all the same.
  return mode === "at-most-once"
    ? { kind: "unanswered", ...refusal }
    : { kind: "retry", cause: "failing", ...refusal };
}

function causeOf(httpStatus: number): Cause {
  if (httpStatus === 429) return "throttled";
  return httpStatus === 503 ? "overloaded" : "failing";
}

/** Of several wishes, each of which may come from another machine on the way, the longest. */
function longestWait(
  wishes: readonly string[] | undefined,
  date: string | undefined,
  now: Date,
): Wish {
  if (wishes === undefined) return {};
  // A date counts from the service's own clock, which may be seconds from ours.
  const answeredAt = parseHttpDate(date ?? "") ?? now;
  const waits = wishes
    .map((wish) => parseRetryAfter(wish, answeredAt))
    .filter((waitMs) => waitMs !== undefined);
  return waits.length === 0 ? {} : { retryAfterMs: Math.max(...waits) };
}

function classifyNotSent(
  { code, message: said }: Extract<Attempt, { kind: "not_sent" }>,
  { first, url, redact }: Circumstances,
): Verdict {
  const message = harmlessLine(said, redact);
  const host = new URL(url).host;
  if (code === "proxy_auth") {
    const reason: StopReason = { code: "unreachable", message: `No way to ${host}: ${message}.` };
    return { kind: "stop", code, message, reason };
  }
  if (first && code === "ENOTFOUND") {
    const sentence = `There is no host ${host}: check the base URL.`;
    return { kind: "stop", code, message, reason: { code: "unreachable", message: sentence } };
  }
  if (first && isTlsError(code)) {
    return { kind: "stop", code, message, reason: noSecureConnection(url, code, message) };
  }
  return { kind: "retry", code, message: `never left: ${message}`, cause: "unreachable" };
}

/** OpenSSL's and Node's codes for a peer that cannot be trusted or does not speak TLS. */
function isTlsError(code: string): boolean {
  return (
    /^ERR_(SSL|TLS)_/.test(code) ||
    /CERT|SIGNATURE|ISSUER|CRL/.test(code) ||
    code === "EPROTO" ||
    code === "HOSTNAME_MISMATCH"
  );
}
