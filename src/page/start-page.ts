import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { basename, join } from "node:path";
import { reasonOf } from "../model/errors.ts";
import { folderOfPage } from "../model/package-files.ts";
import type { GivenReading } from "../model/reading.ts";
import type { Look } from "../run/check/init.ts";
import { mappingJsonSchema } from "../run/prepare/mapping-schema.ts";
import { answer } from "./answer.ts";
import { addresses, type Commands, type Question, type SaveRequest } from "./contract.ts";
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
  const secret = randomBytes(24).toString("base64url");
  let leave = () => {};
  const left = new Promise<void>((resolve) => {
    leave = resolve;
  });
  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      if (!response.headersSent) refuse(response, 500, reasonOf(error));
      else response.destroy();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const origin = `http://${host}`;
  /** Stops the check that is running. */
  let stopCheck = () => {};

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const why = whyForeign(request, host, origin);
    if (why !== undefined) return refuse(response, 403, why);
    const [, given = "", ...rest] = (request.url ?? "").split("/");
    // Of another secret nothing is said, not even whether there is a page below it.
    if (!isSame(given, secret)) return refuse(response, 404, "There is nothing here.");
    const path = rest.join("/");
    if (request.method === "GET") {
      const file = files[path];
      if (path === addresses.description) return sendJson(response, await describe(options));
      return file === undefined
        ? refuse(response, 404, "There is no such file.")
        : send(file, response);
    }
    if (request.method !== "POST") return refuse(response, 405, "Use GET or POST.");
    const body = await readJson(request);
    if (body === undefined) return refuse(response, 400, "This is no JSON object of the page.");
    switch (path) {
      case addresses.answer:
        return stream(body as Partial<Question>, response);
      case addresses.save: {
        const { text, version } = body as Partial<SaveRequest>;
        if (!isText(text) || !isText(version))
          return refuse(response, 400, "It lacks a text or a version.");
        return sendJson(response, await options.document.save({ text, version }));
      }
      case addresses.end:
        sendJson(response, {});
        return leave();
      default:
        return refuse(response, 404, "There is no such question.");
    }
  }

  async function stream(question: Partial<Question>, response: ServerResponse): Promise<void> {
    const { text, row } = question;
    const isRow = typeof row === "number" && Number.isSafeInteger(row) && row > 0;
    if (!isText(text) || !isRow) return refuse(response, 400, "It lacks a text or a row.");
    const stop = new AbortController();
    response.once("close", () => stop.abort());
    if (question.all === true) {
      stopCheck();
      stopCheck = () => stop.abort();
    }
    response.writeHead(200, { ...headers(), "content-type": "application/x-ndjson" });
    const { input, reading, document } = options;
    const asked = { ...question, text, row };
    await answer(asked, input, reading, document, stop.signal, (part) => {
      response.write(`${JSON.stringify(part)}\n`);
    });
    response.end();
  }

  return {
    url: `${origin}/${secret}/`,
    left,
    async stop() {
      stopCheck();
      const closed = once(server, "close");
      server.close();
      // A browser keeps connections open for more to come.
      server.closeAllConnections();
      await closed;
    },
  };
}

async function describe(options: PageOptions) {
  const { text, version } = await options.document.read();
  const { cells, isWhole } = options.look;
  return {
    ...{ input: basename(options.input), mapping: options.document.name, text, version },
    ...{ proposal: options.proposal, columns: cells.counted(), rows: cells.rows, isWhole },
    ...{ schema: mappingJsonSchema(), commands: options.commands },
  };
}

/** Why a request does not come from the page or from somebody who typed its address. */
function whyForeign(
  { headers, method }: IncomingMessage,
  host: string,
  origin: string,
): string | undefined {
  // A name that another site lets point here arrives with that name.
  if (headers.host !== host) return "It was asked for under another name.";
  const isOwn = headers.origin === origin;
  if (headers.origin !== undefined && !isOwn) return "It was asked for by another site.";
  if (method === "POST" && !isOwn) return "It was not asked for by the page.";
  const site = headers["sec-fetch-site"];
  const isTyped = site === undefined || site === "none" || site === "same-origin";
  return isTyped ? undefined : "It was asked for by another site.";
}

/** In the same time, whatever they have in common. */
function isSame(given: string, secret: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(secret));
}

const files: Readonly<Record<string, readonly [name: string, type: string]>> = {
  "": ["index.html", "text/html"],
  "page.js": ["page.js", "text/javascript"],
  "page.css": ["page.css", "text/css"],
};

async function send([name, type]: readonly [string, string], response: ServerResponse) {
  const text = await readFile(join(folderOfPage(), name), "utf8");
  // The editor writes its own styles, which the policy lets through by this word only.
  const nonce = randomBytes(16).toString("base64url");
  response.writeHead(200, { ...headers(nonce), "content-type": `${type}; charset=utf-8` });
  response.end(name === "index.html" ? text.replace("{nonce}", nonce) : text);
}

function headers(nonce?: string): Record<string, string> {
  const styles = nonce === undefined ? "" : ` 'nonce-${nonce}'`;
  return {
    "content-security-policy": `default-src 'none'; script-src 'self'; style-src 'self'${styles}; connect-src 'self'; img-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'`,
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
  };
}

function sendJson(response: ServerResponse, value: object): void {
  response.writeHead(200, { ...headers(), "content-type": "application/json" });
  response.end(JSON.stringify(value));
}

function refuse(response: ServerResponse, status: number, message: string): void {
  // What is left of a body is not read.
  response.writeHead(status, { ...headers(), "content-type": "text/plain", connection: "close" });
  response.end(`${message}\n`);
}

/** Twice a mapping: JSON escapes some of it. */
const maxBytes = 2 * 1024 * 1024;

/** The JSON object of a request; undefined if it has none. */
async function readJson(request: IncomingMessage): Promise<object | undefined> {
  if (request.headers["content-type"] !== "application/json") return undefined;
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > maxBytes) return undefined;
    parts.push(part);
  }
  try {
    const value: unknown = JSON.parse(Buffer.concat(parts).toString("utf8"));
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}
