import { copyOf } from "../model/groups.ts";
import type { ServiceAnswer } from "./check-request.ts";
import type { CutOff } from "./faults.ts";
import type { AnswerKind } from "./sandbox-counts.ts";

export interface SeenRequest {
  /** From 1, in the order in which they were decided. */
  n: number;
  at: string;
  method: string;
  path: string;
  /** The status of the answer, or how the connection ended without one. */
  ending: number | "reset" | "hang";
  /** What the answer says; blank for a success. */
  message: string;
  body: string;
}

export interface GivenError {
  count: number;
  last: SeenRequest;
}

/** The last fifty requests that were asked for, the newest first, of how many in how many that are remembered. */
export interface FoundRequests {
  requests: SeenRequest[];
  found: number;
  kept: number;
}

export type RequestLog = ReturnType<typeof createRequestLog>;

const kept = 1000;
const maxShown = 50;
const maxBodyChars = 4000;

/** Remembers the last thousand requests and the kinds of errors. */
export function createRequestLog() {
  let requests: SeenRequest[] = [];
  let n = 0;
  const errors = new Map<string, GivenError>();

  return {
    add(method: string, path: string, body: string, how: ServiceAnswer | CutOff) {
      n += 1;
      const request: SeenRequest = {
        n,
        at: new Date().toISOString(),
        method,
        path: copyOf(path, 200),
        ending: "status" in how ? how.status : how.kind,
        message: "status" in how ? how.message : cutOffMessage(how),
        body: copyOf(body, maxBodyChars),
      };
      requests.push(request);
      if (requests.length === 2 * kept) requests = requests.slice(kept);
      const { ending, message } = request;
      if (message === "") return;
      const kind = `${ending} ${message}`;
      errors.set(kind, { count: (errors.get(kind)?.count ?? 0) + 1, last: request });
    },
    errors: () => [...errors.values()].toSorted((one, other) => other.count - one.count),
    /**
     * The last fifty, the newest first.
     *
     * @param find a text that they hold in the body or the answer, in upper or lower case
     * @param answer how they were answered; blank for all
     */
    requests(find: string, answer: string): FoundRequests {
      const wanted = find.toLowerCase();
      const found = requests.slice(-kept).filter(({ body, ending, message }) => {
        const isAnswered = answer === "" || answer === kindOfAnswer(ending);
        const said = `${ending === "hang" ? "none" : ending} ${message} ${body}`;
        return isAnswered && said.toLowerCase().includes(wanted);
      });
      return { requests: found.slice(-maxShown).reverse(), found: found.length, kept };
    },
  };
}

function kindOfAnswer(ending: SeenRequest["ending"]): AnswerKind {
  if (typeof ending === "string") return "cut";
  if (ending < 300) return "accepted";
  if (ending === 429) return "throttled";
  return ending < 500 ? "refused" : "failed";
}

function cutOffMessage({ kind, isAccepted }: CutOff): string {
  const what = kind === "reset" ? "The connection was reset" : "The request is never answered";
  return `${what}; the event was ${isAccepted ? "" : "not "}accepted.`;
}
