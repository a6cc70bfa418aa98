import { createHash } from "node:crypto";
import { type Answer, type AnswerError, errorAnswer } from "./answer.ts";
import type { ReceivedEvent } from "./check-request.ts";
import type { Outage } from "./sandbox-options.ts";

/** What goes wrong with a valid request, if anything does. */
export type Fault =
  | { kind: "none" }
  | { kind: "fail"; status: FailureStatus }
  /** The connection is reset, or the request is never answered. */
  | { kind: "reset" | "hang"; isAccepted: boolean };

export type FailureStatus = 500 | 502 | 503 | 504;

/** Shares of the valid requests, of which at most all go wrong. */
export interface FaultRates {
  failRate: number;
  resetRate: number;
  hangRate: number;
}

const failureStatuses = [500, 502, 503, 504] as const;
const none: Fault = { kind: "none" };

/**
 * Draws the fault of one request after another. Each request takes two numbers from `random`, so the
 * n-th fault does not depend on how the earlier ones turned out.
 */
export function createFaults(
  { failRate, resetRate, hangRate }: FaultRates,
  random: () => number,
): () => Fault {
  const wrongRate = failRate + resetRate + hangRate;
  if (wrongRate === 0) return () => none;

  return () => {
    const share = random();
    const choice = random();
    if (share >= wrongRate) return none;
    if (share < failRate) {
      return { kind: "fail", status: failureStatuses[Math.floor(choice * 4)]! };
    }
    return { kind: share < failRate + resetRate ? "reset" : "hang", isAccepted: choice < 0.5 };
  };
}

/** Says of each valid request whether it comes during the outage. */
export function createOutage({ forMs, afterMs }: Outage): (nowMs: number) => boolean {
  let firstMs: number | undefined;
  return (nowMs) => {
    firstMs ??= nowMs;
    const sinceMs = nowMs - firstMs - afterMs;
    return sinceMs >= 0 && sinceMs < forMs;
  };
}

/**
 * Rejects a share of the events with an answer that names a member. As in a service that checks its events,
 * an event is rejected each time it comes, until it is changed: the draw is from its body.
 */
export function createRejection(
  rate: number,
  seed: number,
): (event: ReceivedEvent) => Answer | undefined {
  return ({ resource, text, value }) => {
    if (rate === 0) return undefined;
    const digest = createHash("sha1").update(`${seed} ${resource} ${text}`).digest();
    if (digest.readUInt32BE(0) >= rate * 2 ** 32) return undefined;
    return errorAnswer(422, rejectionOf(value, digest.readUInt32BE(4)));
  };
}

/** Walks to a member that holds a value, rather than others. */
function rejectionOf(event: object, draw: number): AnswerError {
  let member = "";
  let value: unknown = event;
  while (typeof value === "object" && value !== null && !Array.isArray(value)) {
    const names = Object.keys(value).filter((name) => name !== "event" || value !== event);
    if (names.length === 0) break;
    const name = names[draw % names.length]!;
    member += member === "" ? name : `.${name}`;
    value = (value as Record<string, unknown>)[name];
  }
  if (member === "") member = "event";
  return { code: "invalid_member", message: `${member} is not accepted`, member };
}
