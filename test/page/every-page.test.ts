import { once } from "node:events";
import { request } from "node:http";
import { expect, it } from "vitest";
import { post, sandboxUnderTest } from "../sandbox/sandbox-under-test.ts";
import { pageOf } from "./page-under-test.ts";

const cell = "ada@example.com";

/** Every page that is served, with every address below its secret and what is sent there. */
const pages = {
  async map() {
    const { page } = await pageOf(`Email\n${cell}\n`);
    return page.url;
  },
  async sandbox() {
    const sandbox = await sandboxUnderTest({ pathPrefix: "/tenant" });
    await post(sandbox, { body: JSON.stringify({ event: "a", email: cell }) });
    return sandbox.pageUrl;
  },
};
const question = JSON.stringify({ text: "version: 1", before: "", row: 1, ways: [] });
const routes: [page: keyof typeof pages, route: string, body?: string][] = [
  ...["", "page.js", "page.css", "look.js", "description"].map((route): ["map", string] => [
    "map",
    route,
  ]),
  ...["check", "count", "save", "row"].map((route): ["map", string, string] => [
    "map",
    route,
    question,
  ]),
  ...["", "?find=a", "state.json"].map((route): ["sandbox", string] => ["sandbox", route]),
];

/** As any program can send it, with headers that no browser would let a page choose. */
async function send(url: string, body: string | undefined, headers: Record<string, string>) {
  const asked = request(url, { method: body === undefined ? "GET" : "POST", headers });
  asked.on("error", () => {}); // also after an answer that came before the body had left
  asked.end(body);
  const [answer] = await once(asked, "response");
  let text = "";
  for await (const part of answer) text += part;
  return { status: answer.statusCode as number, headers: answer.headers, text };
}

it.each(routes)(
  "%s/%s is for the owner's browser alone, and takes nothing from elsewhere",
  async (name, route, body) => {
    const url = await pages[name]();
    const { origin, host, port } = new URL(url);
    const own = { origin, "content-type": "application/json", "sec-fetch-site": "same-origin" };
    const { status, headers } = await send(url + route, body, own);
    expect(status).toBe(200);
    const policy = String(headers["content-security-policy"]);
    expect(policy).toMatch(
      /^default-src 'none'; script-src '(self|sha256-[^']+)'; style-src '[^*]*; connect-src 'self'; img-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'$/,
    );
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect(headers).toMatchObject({
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-resource-policy": "same-origin",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
    });
    expect(headers["access-control-allow-origin"]).toBeUndefined();
    expect(host).toBe(`127.0.0.1:${port}`);

    const others: Record<string, string>[] = [
      { host: "evil.example" },
      { host: `evil.example:${port}` },
      { host: "127.0.0.1" },
      { host: `localhost:${port}` },
      { origin: "https://evil.example" },
      { origin: "null" },
      { origin: `http://localhost:${port}` },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
    ];
    for (const other of others) {
      const refused = await send(url + route, body, { ...own, ...other });
      expect([other, refused.status, refused.text]).toEqual([other, 403, ""]);
      expect(refused.headers["content-security-policy"]).toContain("default-src 'none'");
    }
    if (body !== undefined) {
      const { origin: _, ...without } = own;
      expect((await send(url + route, body, without)).status).toBe(403);
    }
    // Another user of this machine knows the port, and not the secret.
    const secret = new URL(url).pathname.slice(1, -1);
    const guesses = [route, `${"A".repeat(secret.length)}/${route}`, `${secret.slice(1)}/${route}`];
    for (const guess of [...guesses, `${secret}x/${route}`, `/${secret}/${route}`]) {
      const answer = await send(`${origin}/${guess}`, body, own);
      expect([guess, answer.status]).toEqual([guess, 404]);
      expect(answer.text).not.toContain(cell);
      expect(answer.text + JSON.stringify(answer.headers)).not.toContain(secret);
    }
  },
);

it.each(["map", "sandbox"] as const)("%s has nothing else below its secret", async (name) => {
  const url = await pages[name]();
  for (const path of [
    "index.html",
    "../page.js",
    "..%2f..%2fpackage.json",
    "v1/users/events",
    "/",
    "constructor",
  ]) {
    const { status, text } = await send(url + path, undefined, {});
    expect([path, status]).toEqual([path, 404]);
    expect(text).not.toContain(cell);
  }
  // The slash at its end is lost easily.
  const { status, headers } = await send(url.slice(0, -1), undefined, {});
  expect([status, headers.location]).toEqual([307, new URL(url).pathname]);
});
