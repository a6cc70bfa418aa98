import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { request } from "undici";
import { onTestFinished } from "vitest";
import type { SandboxOptions } from "../../src/sandbox/sandbox-options.ts";
import { type Sandbox, startSandbox } from "../../src/sandbox/start-sandbox.ts";
import { temporaryFolder } from "../temporary-folder.ts";

/** A sandbox that is stopped when the test ends. */
export async function sandboxUnderTest(options: SandboxOptions = {}): Promise<Sandbox> {
  const sandbox = await startSandbox(options);
  // A test that expects stop() to reject has seen it itself.
  onTestFinished(() => sandbox.stop().catch(() => {}));
  return sandbox;
}

export const USERS = "/v1/users/events";
export const CONTACTS = "/v1/contacts/events";

export interface Sent {
  path?: string;
  method?: "POST" | "GET" | "PUT" | "DELETE" | "HEAD" | "OPTIONS";
  /** Undefined leaves a header out that would be sent otherwise. */
  headers?: Record<string, string | undefined>;
  body?: string | Uint8Array;
}

/** Sends a right request, save for what `sent` changes. */
export async function post(sandbox: Sandbox, sent: Sent = {}) {
  const headers = {
    authorization: "Bearer let-me-in",
    "content-type": "application/json",
    ...sent.headers,
  };
  const response = await request(sandbox.url + (sent.path ?? USERS), {
    method: sent.method ?? "POST",
    headers: Object.fromEntries(
      Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined),
    ),
    ...(sent.method === "GET" || sent.method === "HEAD"
      ? {}
      : { body: sent.body ?? '{"event":"user.created"}' }),
  });
  const text = await response.body.text();
  return { status: response.statusCode, headers: response.headers, text };
}

/** The status, or "reset" when the connection ended without an answer. */
export async function fateOf(sandbox: Sandbox, sent: Sent = {}): Promise<number | "reset"> {
  try {
    return (await post(sandbox, sent)).status;
  } catch (error) {
    if ((error as { code?: string }).code === "ECONNRESET") return "reset";
    throw error;
  }
}

/** A path in a new folder that is removed when the test ends. */
export async function temporaryPath(name: string): Promise<string> {
  return join(await temporaryFolder(), name);
}

export interface RecordedEvent {
  n: number;
  resource: string;
  body: Record<string, unknown>;
  headers: Record<string, string>;
}

export async function readRecord(path: string): Promise<RecordedEvent[]> {
  const text = await readFile(path, "utf8");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}
