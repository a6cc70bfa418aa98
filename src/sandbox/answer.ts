import type { ServerResponse } from "node:http";

/** A response that is ready to be written, any number of times. */
export interface Answer {
  status: number;
  /** Alternating names and values: `writeHead` takes this form without a copy. */
  headers: string[];
  /** Text rather than bytes: node:http sends it with the head in one write. */
  body: string;
}

function jsonAnswer(status: number, value: unknown, extraHeaders: string[]): Answer {
  const body = JSON.stringify(value);
  const length = String(Buffer.byteLength(body));
  return {
    status,
    headers: ["Content-Type", "application/json", "Content-Length", length, ...extraHeaders],
    body,
  };
}

/** An answer with a code and a sentence that says what is wrong. */
export function errorAnswer(
  status: number,
  code: string,
  message: string,
  extraHeaders: string[] = [],
): Answer {
  return jsonAnswer(status, { error: { code, message } }, extraHeaders);
}

/** The only answer for an accepted event. */
export const acceptedAnswer = jsonAnswer(202, { status: "accepted" }, []);

/** Writes an answer; node:http drops it if the client has disconnected. */
export function sendAnswer(response: ServerResponse, answer: Answer): void {
  response.writeHead(answer.status, answer.headers);
  response.end(answer.body);
}
