import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Answer, Checked, Counted, RowQuestion, Way } from "../../src/page/contract.ts";
import { openMappingDocument } from "../../src/page/mapping-document.ts";
import { startPage } from "../../src/page/start-page.ts";
import { lookAt } from "../../src/run/check/init.ts";
import type { Preview } from "../../src/run/check/preview.ts";
import { temporaryFolder } from "../temporary-folder.ts";

/** A page of a file and its mapping, in a folder of its own; without a mapping, of what `init` would write. */
export async function pageOf(csv: string, mapping?: string) {
  const folder = await temporaryFolder();
  const path = (name: string) => join(folder, name);
  await writeFile(path("people.csv"), csv);
  const look = await lookAt({ input: path("people.csv") }, {});
  const proposal = look.propose({ schema: "x", maskSamples: false });
  await writeFile(path("people.yaml"), mapping ?? proposal);
  const document = await openMappingDocument(path("people.yaml"), path("people.csv"), {});
  const next = [{ what: "Import the file:", command: "eventload import people.csv" }];
  const page = await startPage(look, proposal, document, next);
  onTestFinished(() => page.stop());
  const { origin, pathname } = new URL(page.url);
  const own = { origin, "content-type": "application/json" };

  /** A request as any program can send it, with headers that no browser would. */
  async function send(to: string, body?: unknown, headers: Record<string, string> = {}) {
    const method = body === undefined ? "GET" : "POST";
    const asked = request(origin + to, { method, headers });
    asked.on("error", () => {}); // also after an answer that came before the body had left
    asked.end(typeof body === "string" ? body : JSON.stringify(body));
    const [answered] = await once(asked, "response");
    let text = "";
    for await (const part of answered) text += part;
    return { status: answered.statusCode as number, headers: answered.headers, text };
  }
  async function ask<What>(what: string, question: object): Promise<Answer<What>> {
    return JSON.parse((await send(`${pathname}${what}`, question, own)).text);
  }
  return {
    ...{ page, folder, path, origin, own, send },
    secret: pathname,
    mapping: () => readFile(path("people.yaml"), "utf8"),
    row: (question: RowQuestion) => ask<Preview>("row", question),
    check: (text: string) => ask<Checked>("check", { text }),
    count: (text: string, ways: readonly Way[]) => ask<readonly Counted[]>("count", { text, ways }),
    async save(text: string, before: string) {
      return JSON.parse((await send(`${pathname}save`, { text, before }, own)).text);
    },
  };
}
