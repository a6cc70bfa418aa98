import { count } from "../../model/quantities.ts";
import { retriesPerSecond, type SendingState } from "../../model/sending-state.ts";
import { timeLeft } from "./eta.ts";
import { capText, rateText } from "./rate-text.ts";

/** Why it does not go faster, for a wide and for a narrow terminal. */
type WaitForms = readonly [long: string, short: string];

/** @param isTail whether all that is left waits for the retry budget */
export function describeWait(
  { waitsFor, perSecond, inFlight }: SendingState,
  isTail: boolean,
): WaitForms | undefined {
  switch (waitsFor?.kind) {
    case "stop": {
      const awaited = inFlight === 0 ? "" : `: waiting for ${count(inFlight, "answer")}`;
      return [`stopping${awaited}`, "stopping"];
    }
    case "pause":
      return describePause(waitsFor);
    case "token":
      return ["waiting for a new token", "waits for token"];
    case "first_answer":
      return ["waiting for the first answer", "waits for answer"];
    case "rate":
    case undefined:
      break;
    default:
      waitsFor satisfies never;
  }
  if (isTail) {
    return [`only retries are left (${retriesPerSecond}/s)`, "only retries"];
  }
  if (waitsFor === undefined || perSecond === undefined) return undefined;
  const [long, short] = [rateText(perSecond, "request"), rateText(perSecond)];
  switch (waitsFor.bound) {
    case "cap":
      return [`--rate: ${capText(perSecond, "request")}`, `max ${capText(perSecond)}`];
    case "throttling":
      return [`service takes ${long}`, `takes ${short}`];
    case "quota":
      return [`quota: ${long}`, `quota ${short}`];
  }
}

function describePause({
  reason,
  forMs,
}: Extract<SendingState["waitsFor"], { kind: "pause" }>): WaitForms {
  const [left] = timeLeft(forMs / 1000) ?? ["weeks"];
  const isOver = forMs <= 0;
  switch (reason) {
    case "asked":
      return isOver
        ? ["service asked to wait, trying one request", "trying one"]
        : [`service asked to wait, ${left} left`, `waits ${left}`];
    case "outage":
      return isOver
        ? ["paused: service unavailable, trying one request", "trying one"]
        : [`paused: service unavailable, next probe in ${left}`, `probe in ${left}`];
  }
}
