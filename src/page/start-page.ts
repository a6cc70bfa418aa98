import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { basename, join } from "node:path";
import { folderOfPage } from "../model/package-files.ts";
import type { GivenReading } from "../model/reading.ts";
import type { Look } from "../run/check/init.ts";
import {
  conversionKeys,
  mappingJsonSchema,
  memberTypes,
  transformNames,
} from "../run/prepare/read-mapping.ts";
import { createAnswers } from "./answer.ts";
import { addresses, type Commands, type Description } from "./contract.ts";
import type { MappingDocument } from "./mapping-document.ts";

export interface PageOptions {
  /** Path of the only file that is read. */
  readonly input: string;
  readonly reading: GivenReading;
  readonly look: Look;
  /** What `init` would write. */
  readonly proposal: string;
  readonly document: MappingDocument;
  readonly commands: Commands;
}

export interface RunningPage {
  /** With the secret that opens it. */
  readonly url: string;
  /** Resolves when the page was left by its button. */
  readonly left: Promise<void>;
  stop(): Promise<void>;
}

/**
 * Shows a mapping beside its file, to the browser of whoever has the address.
 *
 * It listens on the loopback interface only. That keeps other machines away; a page of another site in the same
 * browser is kept away by the secret in the path, and by the headers that a browser does not let it choose.
 */
export async function startPage(options: PageOptions): Promise<RunningPage> {
  const { input, reading, look, proposal, document, commands } = options;
  const answers = createAnswers(input, reading, document);
  const secret = randomBytes(24).toString("base64url");
  let leave = () => {};
  const left = new Promise<void>((resolve) => {
    leave = resolve;
  });
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const origin = `http://${host}`;

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, given = "", ...rest] = (request.url ?? "").split("/");
    const path = rest.join("/");
    if (isForeign(request, host, origin)) return refuse(response, 403);
    if (!isSame(given, secret)) return refuse(response, 404);
    if (request.method !== "POST") {
      if (path === addresses.description) return sendJson(response, await describe());
      return Object.hasOwn(files, path) ? sendFile(response, path) : refuse(response, 404);
    }
    const asked = await readJson(request);
    if (asked === undefined) return refuse(response, 400);
    const { text, version, row, onlyInvalid } = asked;
    // A page that asks anew, or is closed, waits for this no longer.
    const stop = new AbortController();
    response.once("close", () => stop.abort());
    if (path === addresses.row && isText(text) && Number.isSafeInteger(row) && Number(row) > 0) {
      const question = { text, row: Number(row), onlyInvalid: Boolean(onlyInvalid) };
      sendJson(response, await answers.row(question, stop.signal));
    } else if (path === addresses.check && isText(text)) {
      sendJson(response, await answers.check(text, stop.signal));
    } else if (path === addresses.save && isText(text) && isText(version)) {
      sendJson(response, await document.save({ text, version }));
    } else if (path === addresses.end) {
      sendJson(response, {});
      leave();
    } else refuse(response, 400);
  }

  async function describe(): Promise<Description> {
    const { cells, isWhole } = look;
    return {
      input: basename(input),
      mapping: document.name,
      ...(await document.read()),
      proposal,
      columns: cells.counted(),
      rows: cells.rows,
      isWhole,
      commands,
      schema: mappingJsonSchema(),
      types: memberTypes,
      transforms: transformNames,
      conversionKeys,
    };
  }

  return {
    url: `${origin}/${secret}/`,
    left,
    async stop() {
      server.close();
      // A browser keeps connections open for more to come.
      server.closeAllConnections();
    },
  };
}

/** Whether a request does not come from the page, or from somebody who typed its address. */
function isForeign({ headers, method }: IncomingMessage, host: string, origin: string): boolean {
  // A name that another site lets point here arrives with that name.
  if (headers.host !== host) return true;
  if (headers.origin !== origin && (headers.origin !== undefined || method === "POST")) return true;
  return !["none", "same-origin", undefined].includes(headers["sec-fetch-site"] as string);
}

/** Compares in the same time, whatever they have in common. */
function isSame(given: string, secret: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(secret));
}

const files = { "": "text/html", "page.js": "text/javascript", "page.css": "text/css" };

async function sendFile(response: ServerResponse, path: string): Promise<void> {
  const text = await readFile(join(folderOfPage(), path || "index.html"), "utf8");
  // The editor writes its own styles, which the policy lets through by this word only.
  const nonce = randomBytes(16).toString("base64url");
  const type = `${files[path as keyof typeof files]}; charset=utf-8`;
  response.writeHead(200, { ...headers(`'nonce-${nonce}'`), "content-type": type });
  response.end(path === "" ? text.replace("{nonce}", nonce) : text);
}

function headers(styles = ""): Record<string, string> {
  return {
    "content-security-policy": `default-src 'none'; script-src 'self'; style-src 'self' ${styles}; connect-src 'self'; img-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'`,
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
  };
}

const json = "application/json";

function sendJson(response: ServerResponse, value: object): void {
  response.writeHead(200, { ...headers(), "content-type": json }).end(JSON.stringify(value));
}

/** What is left of the request is not read. */
function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status, { ...headers(), connection: "close" }).end();
}

/** Twice a mapping: JSON escapes some of it. */
const maxBytes = 2 * 1024 * 1024;

/** The JSON object of a request; undefined if it has none. */
async function readJson(request: IncomingMessage): Promise<Record<string, unknown> | undefined> {
  // A form of another site cannot say this without asking first.
  if (request.headers["content-type"] !== json) return undefined;
  let text = "";
  for await (const part of request.setEncoding("utf8")) {
    text += part;
    if (text.length > maxBytes) return undefined;
  }
  try {
    return Object(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}
