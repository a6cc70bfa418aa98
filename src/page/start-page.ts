import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createLocalPage, pageHeaders, refuseRequest } from "../model/local-page.ts";
import { look as lookOfPages } from "../model/look/look.ts";
import { lookScript } from "../model/look/look-script.ts";
import { folderOfPage } from "../model/package-files.ts";
import type { Look } from "../run/check/init.ts";
import { conversionKeys } from "../run/prepare/read-mapping.ts";
import type { Description, NextSteps } from "./contract.ts";
import type { MappingDocument } from "./mapping-document.ts";
import { pageStyle } from "./page-style.ts";

/** Shows a mapping beside its file, to whoever has the address. @param proposal what `init` would write */
export async function startPage(
  look: Look,
  proposal: string,
  document: MappingDocument,
  next: NextSteps,
) {
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { url, pathOf } = createLocalPage((server.address() as AddressInfo).port);

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = pathOf(request, response);
    if (response.headersSent) return;
    if (path === undefined) return refuseRequest(response, 404);
    if (request.method !== "POST") {
      if (path === "description") return sendJson(response, await describe());
      if (!Object.hasOwn(files, path)) return refuseRequest(response, 404);
      return sendFile(response, path as keyof typeof files);
    }
    const asked = await readJson(request);
    // A page that asks anew, or is closed, waits for this no longer.
    const stop = new AbortController();
    response.once("close", () => stop.abort());
    const answer = asked && (await answerTo(path, asked, stop.signal));
    if (answer === undefined) refuseRequest(response, 400);
    else sendJson(response, answer);
  }

  async function answerTo(path: string, asked: QueryMembers, stop: AbortSignal) {
    const { text, before, row, onlyInvalid, ways } = asked;
    if (typeof text !== "string") return undefined;
    if (path === "check") return document.check(text, stop);
    if (path === "count" && Array.isArray(ways)) return document.count({ text, ways }, stop);
    if (path === "save" && typeof before === "string") return document.save({ text, before });
    if (path !== "row" || !Number.isSafeInteger(row) || Number(row) < 1) return undefined;
    return document.row({ text, row: Number(row), onlyInvalid: Boolean(onlyInvalid) }, stop);
  }

  async function describe(): Promise<Description> {
    return {
      ...{ input: document.input, mapping: document.name, text: await document.read() },
      ...{ proposal, next, conversionKeys, columns: look.cells.counted() },
    };
  }

  return {
    url,
    stop() {
      server.close();
      // A browser keeps connections open for more to come.
      server.closeAllConnections();
    },
  };
}

const fromDisk = (name: string) => readFile(join(folderOfPage(), name), "utf8");

const files = {
  "": { type: "text/html", text: () => fromDisk("index.html") },
  "page.js": { type: "text/javascript", text: () => fromDisk("page.js") },
  "page.css": { type: "text/css", text: async () => lookOfPages + pageStyle },
  "look.js": { type: "text/javascript", text: async () => lookScript },
};

async function sendFile(response: ServerResponse, path: keyof typeof files): Promise<void> {
  const { type, text } = files[path];
  // The editor writes its own styles, which the policy lets through by this word only.
  const nonce = randomBytes(16).toString("base64url");
  const headers = pageHeaders("'self'", `'self' 'nonce-${nonce}'`);
  response.writeHead(200, { ...headers, "content-type": `${type}; charset=utf-8` });
  response.end((await text()).replace("{nonce}", nonce));
}

const asJson = "application/json";

function sendJson(response: ServerResponse, value: object): void {
  response.writeHead(200, { ...pageHeaders(), "content-type": asJson }).end(JSON.stringify(value));
}

type QueryMembers = Readonly<Record<string, unknown>>;

/** Two mappings, of which JSON escapes some. */
const maxQuestionBytes = 4 * 1024 * 1024;

/** The JSON object of a request; undefined if it has none. */
async function readJson(request: IncomingMessage): Promise<QueryMembers | undefined> {
  // A form of another site cannot say this without asking first.
  if (request.headers["content-type"] !== asJson) return undefined;
  let text = "";
  for await (const part of request.setEncoding("utf8")) {
    text += part;
    if (text.length > maxQuestionBytes) return undefined;
  }
  try {
    return Object(JSON.parse(text));
  } catch {
    return undefined;
  }
}
