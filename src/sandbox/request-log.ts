import type { Answer } from "./answer.ts";
import type { SandboxCounts } from "./sandbox-counts.ts";

/** What `/state.json` has, and the page shows. */
export interface SandboxState {
  url: string;
  counts: SandboxCounts;
  /** What did not succeed, the most frequent first. */
  errors: GivenError[];
  /** The last requests, the newest first. */
  requests: SeenRequest[];
}

/** A request to an endpoint, and what became of it. */
export interface SeenRequest {
  /** From 1, in the order in which they were decided. */
  n: number;
  /** When, in ISO 8601. */
  at: string;
  path: string;
  ending: Ending;
  /** What the answer says; blank for a success. */
  message: string;
  /** The beginning of the body, as it was sent. */
  body: string;
}

/** The status of the answer, or how the connection ended without one. */
export type Ending = number | "reset" | "hang";

export interface GivenError {
  ending: Ending;
  /** That of all that are counted; where kinds are too many, of the last. */
  message: string;
  count: number;
  /** When and in which request it was given last. */
  lastAt: string;
  lastN: number;
}

/** A connection that ended without an answer. */
export interface CutOff {
  kind: "reset" | "hang";
  isAccepted: boolean;
}

export interface RequestLog {
  add(path: string, body: string, ending: Answer | CutOff): void;
  errors(): GivenError[];
  /** @param find a text that they hold in the body or the answer, in upper or lower case */
  requests(find: string): SeenRequest[];
}

const kept = 1000;
const shown = 50;
const maxBodyChars = 4000;
const maxKinds = 200;

/** Remembers the last thousand requests and the kinds of errors: its memory does not grow. */
export function createRequestLog(): RequestLog {
  let requests: SeenRequest[] = [];
  let n = 0;
  const errors = new Map<string, GivenError>();

  function addError(kind: string, { ending, message, at, n }: SeenRequest): void {
    const key = errors.has(kind) || errors.size < maxKinds ? kind : "";
    const count = (errors.get(key)?.count ?? 0) + 1;
    errors.set(key, { ending, message, count, lastAt: at, lastN: n });
  }

  return {
    add(path, body, how) {
      n += 1;
      const message = errorOf(how);
      const request: SeenRequest = {
        n,
        message,
        at: new Date().toISOString(),
        path: copyOf(path, 200),
        ending: "kind" in how ? how.kind : how.status,
        body: copyOf(body, maxBodyChars),
      };
      requests.push(request);
      if (requests.length === 2 * kept) requests = requests.slice(kept);
      if (message !== "") addError(`${request.ending} ${message}`, request);
    },
    errors: () => [...errors.values()].toSorted((one, other) => other.count - one.count),
    requests(find) {
      const wanted = find.toLowerCase();
      const holds = ({ body, ending, message }: SeenRequest) =>
        `${ending} ${message} ${body}`.toLowerCase().includes(wanted);
      const found = wanted === "" ? requests : requests.slice(-kept).filter(holds);
      return found.slice(-shown).reverse();
    },
  };
}

function errorOf(how: Answer | CutOff): string {
  if (!("kind" in how)) return how.error?.message ?? "";
  const what = how.kind === "reset" ? "The connection was reset" : "The request is never answered";
  return `${what}; the event was ${how.isAccepted ? "" : "not "}accepted.`;
}

/** The beginning of a text; a mere slice would keep all of it in memory. */
function copyOf(text: string, most: number): string {
  return text.length <= most ? text : Buffer.from(text.slice(0, most)).toString();
}
