import { type FileHandle, open } from "node:fs/promises";
import type { IncomingHttpHeaders } from "node:http";
import type { Resource } from "./check-request.ts";

/** An append-only file whose lines are written in the order given. */
export interface RecordFile {
  append(line: string): void;
  /** Resolves when every line is in the file; rejects if one could not be written. */
  close(): Promise<void>;
}

/**
 * Opens `path` for appending. Lines of one turn of the event loop are written together after it. The first
 * failed write is reported to `onError` and ends the recording, because a record with a gap would look
 * complete.
 */
export async function openRecordFile(
  path: string,
  onError: (error: Error) => void,
): Promise<RecordFile> {
  const file = await open(path, "a+", 0o600);
  let waiting = "";
  try {
    if (await hasTornLine(file)) waiting = "\n";
  } catch (error) {
    await file.close();
    throw error;
  }
  let failure: Error | undefined;
  let writing: Promise<void> | undefined;

  async function writeWaiting(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    try {
      while (waiting !== "") {
        const text = waiting;
        waiting = "";
        await file.appendFile(text);
      }
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      failure = new Error(`The record file ${path} could not be written: ${reason}`, { cause });
      onError(failure);
    } finally {
      writing = undefined;
    }
  }

  return {
    append(line) {
      if (failure !== undefined) return;
      waiting += line;
      writing ??= writeWaiting();
    },
    async close() {
      await writing;
      await file.close();
      if (failure !== undefined) throw failure;
    },
  };
}

/** Whether the last line has no end, as after a kill during a write. The next line must not continue it. */
async function hasTornLine(file: FileHandle): Promise<boolean> {
  const { size } = await file.stat();
  if (size === 0) return false;
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer[0] !== 0x0a;
}

// Credentials, and headers about the connection or the form of the body rather than the event.
const omittedHeaders = new Set([
  "authorization",
  "proxy-authorization",
  "cookie",
  "host",
  "connection",
  "keep-alive",
  "transfer-encoding",
  "content-length",
  "content-type",
  "user-agent",
  "expect",
]);

interface AcceptedEvent {
  readonly n: number;
  readonly method: string;
  readonly resource: Resource;
  /** The body. */
  readonly text: string;
  readonly headers: IncomingHttpHeaders;
}

/** A line of the record file. The body is as it was sent: numbers keep their digits, members their order. */
export function recordLine({ n, method, resource, text, headers }: AcceptedEvent): string {
  // JSON allows a line break only between tokens, where a space means the same.
  const body = /[\r\n]/.test(text) ? text.replace(/[\r\n]/g, " ") : text;
  const to = `"method":"${method}","resource":"${resource}"`;
  return `{"n":${n},${to},"body":${body},"headers":${keptHeaders(headers)}}\n`;
}

function keptHeaders(headers: IncomingHttpHeaders): string {
  let members = "";
  for (const name in headers) {
    if (omittedHeaders.has(name) || name.startsWith("accept")) continue;
    if (members !== "") members += ",";
    members += `${JSON.stringify(name)}:${JSON.stringify(headers[name])}`;
  }
  return `{${members}}`;
}
