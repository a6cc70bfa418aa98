import { appendFileSync, closeSync, openSync } from "node:fs";
import type { IncomingHttpHeaders } from "node:http";
import type { ReceivedEvent } from "./check-request.ts";

/**
 * Opens a file for appending a line for each accepted event, in their order. The first failed write is reported to
 * `onError` and ends the recording, because a record with a gap would look complete; `close` throws it.
 */
export function openRecordFile(path: string, onError: (error: Error) => void) {
  const file = openSync(path, "a", 0o600);
  let n = 0;
  let failure: Error | undefined;
  return {
    append(event: ReceivedEvent) {
      if (failure !== undefined) return;
      n += 1;
      try {
        appendFileSync(file, lineOf(n, event));
      } catch (cause) {
        const reason = `The record file ${path} could not be written: ${String(cause)}`;
        failure = new Error(reason, { cause });
        onError(failure);
      }
    },
    close() {
      closeSync(file);
      if (failure !== undefined) throw failure;
    },
  };
}

/** The body is as it was sent: numbers keep their digits, members their order. */
function lineOf(n: number, { method, resource, text, headers }: ReceivedEvent): string {
  // JSON allows a line break only between tokens, where a space means the same.
  const body = text.replaceAll(/[\r\n]/g, " ");
  const to = `"method":"${method}","resource":"${resource}"`;
  return `{"n":${n},${to},"body":${body},"headers":${keptHeaders(headers)}}\n`;
}

// Credentials, and headers about the connection or the form of the body rather than the event.
const omitted =
  /^((proxy-)?authorization|cookie|host|connection|keep-alive|transfer-encoding|content-length|content-type|user-agent|expect|accept.*)$/;

function keptHeaders(headers: IncomingHttpHeaders): string {
  const kept = Object.entries(headers).filter(([name]) => !omitted.test(name));
  return JSON.stringify(Object.fromEntries(kept));
}
