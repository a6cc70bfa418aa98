import { count } from "../../model/quantities.ts";
import { retriesPerSecond, type SendingState } from "../../model/sending-state.ts";
import { capText, rateText } from "./progress-parts.ts";

/** Why it does not go faster, for ever narrower terminals. */
export type WaitForms = readonly [long: string, middle: string, short: string, shortest: string];

/** For where it is not held back, but nothing comes back. */
export const noAnswers: WaitForms = [
  "waiting for answers",
  "waiting for answers",
  "no answers",
  "no answers",
];

/**
 * Puts into words what the sending waits for.
 *
 * @param pauseMs how long the present pause is in all
 * @param isTail whether all that is left waits for another attempt
 */
export function describeWait(
  { waitsFor, perSecond, retriesHeld, inFlight }: SendingState,
  pauseMs: number,
  isTail: boolean,
): WaitForms | undefined {
  switch (waitsFor?.kind) {
    case "stop":
      return describeStop(inFlight);
    case "pause":
      return describePause(waitsFor, pauseMs);
    case "token":
      return ["waiting for a new token", "waiting for a token", "waits for token", "waits"];
    case "first_answer":
      return [
        "waiting for the first answer",
        "waits for the first answer",
        "waits for an answer",
        "waits",
      ];
    case "rate":
    case undefined:
      break;
    default:
      waitsFor satisfies never;
  }
  if (isTail && retriesHeld > 0)
    return [
      `only retries are left (${retriesPerSecond}/s)`,
      "only retries are left",
      "only retries",
      "retries",
    ];
  if (waitsFor === undefined || perSecond === undefined) return undefined;
  const rate = rateText(perSecond);
  switch (waitsFor.bound) {
    case "cap": {
      const cap = capText(perSecond);
      return [`held to ${cap} by --rate`, `held to ${cap}`, `max ${cap}`, `max ${cap}`];
    }
    case "throttling":
      return [
        `service takes about ${rate}`,
        `service takes ${rate}`,
        `takes ${rate}`,
        `max ${rate}`,
      ];
    case "quota":
      return [
        `held to ${rate} by the service's quota`,
        `held to ${rate} by quota`,
        `quota: ${rate}`,
        `max ${rate}`,
      ];
  }
}

function describeStop(inFlight: number): WaitForms {
  if (inFlight === 0) return ["stopping", "stopping", "stopping", "stopping"];
  const awaited = count(inFlight, "answer");
  return [
    `stopping: waiting for ${awaited}`,
    `stopping, waits for ${awaited}`,
    `stopping: ${awaited}`,
    "stopping",
  ];
}

type Pause = Extract<SendingState["waitsFor"], { kind: "pause" }>;

function describePause({ reason, forMs }: Pause, pauseMs: number): WaitForms {
  const left = shortTime(forMs);
  const isOver = forMs <= 0;
  const probe = isOver ? "trying one request" : `next probe in ${left}`;
  const short = isOver ? "trying one" : `probe in ${left}`;
  const shortest = isOver ? "trying" : `waits ${left}`;
  switch (reason) {
    case "asked": {
      if (isOver) return ["service asked to wait, trying one request", probe, short, shortest];
      const all = shortTime(pauseMs);
      const rest = all === left ? "" : `, ${left} left`;
      return [
        `service asked to wait ${all}${rest}`,
        `asked to wait, ${left} left`,
        `told to wait ${left}`,
        shortest,
      ];
    }
    case "outage":
      return [
        `paused: service unavailable, ${probe}`,
        `unavailable, ${probe}`,
        `down, ${short}`,
        shortest,
      ];
  }
}

const longestInSeconds = 120;

/** `30 s`, `1 min 30 s` is `90 s`, and from two minutes on `2 min 5 s`. */
function shortTime(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  if (seconds < longestInSeconds) return `${seconds} s`;
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
