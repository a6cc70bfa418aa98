import { copyOf } from "../model/groups.ts";
import type { Answer } from "./check-request.ts";
import type { CutOff } from "./faults.ts";

/** A request to an endpoint, and what became of it. */
export interface SeenRequest {
  /** From 1, in the order in which they were decided. */
  n: number;
  /** When, in ISO 8601. */
  at: string;
  method: string;
  path: string;
  /** The status of the answer, or how the connection ended without one. */
  ending: number | "reset" | "hang";
  /** What the answer says; blank for a success. */
  message: string;
  /** The beginning of the body, as it was sent. */
  body: string;
}

/** The last fifty requests that were asked for, the newest first, of how many in how many that are remembered. */
export interface FoundRequests {
  requests: SeenRequest[];
  found: number;
  kept: number;
}

export type RequestLog = ReturnType<typeof createRequestLog>;

const kept = 1000;
const shown = 50;
const maxBodyChars = 4000;

/** Remembers the last thousand requests. */
export function createRequestLog() {
  let requests: SeenRequest[] = [];
  let n = 0;

  return {
    add(method: string, path: string, body: string, how: Answer | CutOff) {
      n += 1;
      requests.push({
        n,
        at: new Date().toISOString(),
        method,
        path: copyOf(path, 200),
        ending: "status" in how ? how.status : how.kind,
        message: "status" in how ? how.message : messageOf(how),
        body: copyOf(body, maxBodyChars),
      });
      if (requests.length === 2 * kept) requests = requests.slice(kept);
    },
    /** @param find a text that the body or the answer holds, in upper or lower case */
    requests(find: string): FoundRequests {
      const wanted = find.toLowerCase();
      const found = requests
        .slice(-kept)
        .filter((one) => `${one.ending} ${one.message} ${one.body}`.toLowerCase().includes(wanted));
      return { requests: found.slice(-shown).reverse(), found: found.length, kept };
    },
  };
}

function messageOf({ kind, isAccepted }: CutOff): string {
  const what = kind === "reset" ? "The connection was reset" : "The request is never answered";
  return `${what}; the event was ${isAccepted ? "" : "not "}accepted.`;
}
