import type { ServerResponse } from "node:http";

/** A response that is ready to be written, any number of times. */
export interface Answer {
  status: number;
  /** Alternating names and values: `writeHead` takes this form without a copy. */
  headers: string[];
  /** Text rather than bytes: node:http sends it with the head in one write. */
  body: string;
  /** What the body says; undefined for a success. */
  error: AnswerError | undefined;
}

export interface AnswerError {
  code: string;
  message: string;
  /** The path of the member that is refused. */
  member?: string;
}

function jsonAnswer(
  status: number,
  value: { error?: AnswerError },
  extraHeaders: string[],
): Answer {
  const body = JSON.stringify(value);
  const length = String(Buffer.byteLength(body));
  const headers = ["Content-Type", "application/json", "Content-Length", length, ...extraHeaders];
  return { status, headers, body, error: value.error };
}

/** An answer with a code and a sentence that says what is wrong. */
export function errorAnswer(
  status: number,
  error: AnswerError,
  extraHeaders: string[] = [],
): Answer {
  return jsonAnswer(status, { error }, extraHeaders);
}

/** The only answer for an accepted event. */
export const acceptedAnswer = jsonAnswer(202, { status: "accepted" } as object, []);

/** Writes an answer; node:http drops it if the client has disconnected. */
export function sendAnswer(response: ServerResponse, answer: Answer): void {
  response.writeHead(answer.status, answer.headers);
  response.end(answer.body);
}
