import { once } from "node:events";
import { createWriteStream } from "node:fs";
import type { IncomingHttpHeaders } from "node:http";
import type { ReceivedEvent } from "./check-request.ts";

/** An append-only file whose lines are written in the order given. */
export interface RecordFile {
  append(line: string): void;
  /** Resolves when every line is in the file; rejects if one could not be written. */
  close(): Promise<void>;
}

/**
 * Opens `path` for appending. The first failed write is reported to `onError` and ends the recording,
 * because a record with a gap would look complete.
 */
export async function openRecordFile(
  path: string,
  onError: (error: Error) => void,
): Promise<RecordFile> {
  const stream = createWriteStream(path, { flags: "a", mode: 0o600 });
  await once(stream, "open");
  let failure: Error | undefined;
  stream.on("error", (cause) => {
    failure = new Error(`The record file ${path} could not be written: ${cause.message}`, {
      cause,
    });
    onError(failure);
  });
  return {
    append(line) {
      if (failure === undefined) stream.write(line);
    },
    async close() {
      if (!stream.destroyed) await once(stream.end(), "close");
      if (failure !== undefined) throw failure;
    },
  };
}

/** A line of the record file. The body is as it was sent: numbers keep their digits, members their order. */
export function recordLine(
  n: number,
  { method, resource, text, headers }: Omit<ReceivedEvent, "value">,
): string {
  // JSON allows a line break only between tokens, where a space means the same.
  const body = /[\r\n]/.test(text) ? text.replace(/[\r\n]/g, " ") : text;
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
