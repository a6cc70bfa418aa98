import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import type { Socket } from "node:net";
import { describe, expect, test } from "vitest";
import { mask } from "../../src/delivery/http/redact.ts";
import { startProxyServer } from "../delivery/proxy-server.ts";
import { answer, startRawServer } from "../delivery/raw-server.ts";
import { type Imported, rowOf, rowsToImport } from "./import-rows.ts";
import { makeCertificate } from "./make-certificate.ts";

const secret = "s3cr3t/Token+of=some_Length.0123-4567~89";

const each = (form: (character: string) => string) => (text: string) =>
  [...text].map(form).join("");
const hex = (character: string) => character.charCodeAt(0).toString(16);
const codeUnits = each((at) => `\\u00${hex(at)}`);
const percents = each((at) => `%${hex(at)}`);
const entities = each((at) => `&#${at.charCodeAt(0)};`);
const base64 = (text: string) => Buffer.from(text).toString("base64");
const joinedBy = (between: string) => [...secret].join(between);

const most = 64 * 1024;

/** A body that is cut where so many characters of what it ends with have been read. */
const cutAfter = (count: number, end: string) => `no${" ".repeat(most - 2 - count)}${end}`;

/** Of 361 characters, so that after 4,000 the twelfth is cut at its fourth. */
const longWritten = `${percents(percents(secret))} `;

/** What a service says with 422, and what the results may have of it. */
type Said = readonly [what: string, body: string | Buffer, shown: string, contentType?: string];

const bodies: readonly Said[] = [
  ["as it is", `bad token ${secret}.`, `bad token ${mask}.`],
  ["in JSON as code units", `{"message":"bad ${codeUnits(secret)}."}`, `bad ${mask}.`],
  [
    "in JSON in JSON",
    `{"message":${JSON.stringify(`{"token":"${codeUnits(secret)}"}`)}}`,
    `{"token":"${mask}"}`,
  ],
  ["in JSON that is none", `{"message":"bad ${codeUnits(secret)}`, `{"message":"bad ${mask}`],
  ["in HTML, all of it escaped", `<b>${entities(secret)}</b>`, `<b>${mask}</b>`],
  ["on a page with tags in between", `<html><p>bad ${joinedBy("<i>")} one`, `bad ${mask} one`],
  ["on a page with references", `<html><p>bad ${joinedBy("&#8203;")} one`, `bad ${mask} one`],
  ["with zeros in between", `bad ${joinedBy("\0\0")}.`, `bad ${mask}.`],
  ["with marks of direction, in JSON", `{"error":"bad ${joinedBy("\\u202e")}."}`, `bad ${mask}.`],
  ["in colours", `bad ${joinedBy("\u001b[31m")}.`, `bad ${mask}.`],
  ["over several lines", `bad ${secret.replace(/.{9}/g, "$&\r\n ")}.`, `bad ${mask}.`],
  ["in UTF-16", Buffer.from(`bad ${secret}.`, "utf16le"), `b a d ${mask} .`],
  [
    "in UTF-16, labelled",
    Buffer.from(`bad ${secret}.`, "utf16le"),
    `bad ${mask}.`,
    "text/plain; charset=utf-16le",
  ],
  ["where a long text is cut", `${"x".repeat(490)}${secret}`, `${"x".repeat(490)}${mask}`],
  [
    "where a long decoded text is cut",
    `{"error":"${"x".repeat(490)}${codeUnits(secret)}"}`,
    `${"x".repeat(490)}${mask}`,
  ],
  [
    "where a text is cut that becomes short",
    longWritten.repeat(20),
    `${`${mask} `.repeat(12).trim()}…`,
  ],
  ["after much that is not shown", `no${"\0".repeat(60_000)}${secret}`, `no ${mask}`],
  ...[3, 4, 10, 20, secret.length - 1].map(
    (count): Said => [
      `where the body is cut after ${count} of it`,
      cutAfter(count, `${secret} is bad`),
      `no ${mask}`,
    ],
  ),
];

/** All that a run has printed and written down: nothing in it may tell of the token. */
function expectNothingOf(token: string, folder: string, { stderr, summary }: Imported): void {
  const files = readdirSync(folder).map((name) => readFileSync(`${folder}/${name}`, "utf8"));
  const told = `${stderr}${JSON.stringify(summary)}${files}`
    .replaceAll(/[^\x21-\x7e]/g, "")
    .toLowerCase();
  const forms = [token, base64(token), base64(` ${token}`).slice(2), base64(`  ${token}`).slice(3)];
  for (const form of [...forms, Buffer.from(token).toString("hex")]) {
    for (const piece of [form.slice(0, 16), form.slice(-20, -4)]) {
      expect(told).not.toContain(piece.toLowerCase());
    }
  }
}

async function importFrom(
  token: string,
  count: number,
  respond: (socket: Socket, row: number) => void,
) {
  const server = await startRawServer({
    onRequest: (socket, request) => respond(socket, rowOf(request)),
  });
  const rows = await rowsToImport(count, { EVENTLOAD_TOKEN: token });
  const kept = { "log-file": "run.log", report: "run.html", "metrics-file": "run.prom" };
  const files = Object.entries(kept).flatMap(([name, file]) => [`--${name}`, rows.path(file)]);
  const quick = ["--concurrency", "1"];
  const imported = await rows.import(server.origin, ...quick, ...files);
  if (token.length >= 16) expectNothingOf(token, rows.folder, imported);
  return { ...imported, files: readdirSync(rows.folder) };
}

function sayingNo(socket: Socket, body: string | Buffer, contentType = "text/plain"): void {
  const bytes = Buffer.from(body);
  const head = `HTTP/1.1 422 No\r\ncontent-type: ${contentType}\r\ncontent-length: ${bytes.length}\r\n\r\n`;
  socket.write(Buffer.concat([Buffer.from(head), bytes]));
}

describe("of a token that the service repeats, nothing is left", () => {
  test("whatever it does to it", async () => {
    const { status, lines } = await importFrom(secret, bodies.length, (socket, row) => {
      const [, body, , contentType] = bodies[row - 1]!;
      sayingNo(socket, body, contentType);
    });
    expect(status).toBe(1);
    const shown = lines.map(({ import_error: error }, at) => `${bodies[at]![0]}: ${error}`);
    expect(shown).toEqual(bodies.map(([what, , error]) => `${what}: ${error}`));
  });

  test("where the connection ends within it", async () => {
    const { lines } = await importFrom(secret, 1, (socket) =>
      socket.end(answer("422 No", `bad token ${secret}`).slice(0, -5)),
    );
    expect(lines[0]?.import_error).toBe(`bad token ${mask}`);
  });

  test.each<[string, string]>([
    ["as it is", secret],
    ["escaped twice", percents(percents(secret))],
    ["in base64", base64(secret)],
  ])("where a redirect leads, %s", async (_, token) => {
    const { status, summary } = await importFrom(secret, 1, (socket) =>
      socket.write(answer("307 Elsewhere", "", [`location: https://example.com/?t=${token}&x`])),
    );
    expect(status).toBe(3);
    expect(summary.message).toContain(`https://example.com/?t=${mask}&x`);
  });

  test("where the run stops, in what is kept of it", async () => {
    const body = `{"error":"not ${joinedBy("\\u200b")}"}`;
    const { status, summary, files } = await importFrom(secret, 3, (socket, row) =>
      socket.write(answer(["202 OK", "422 No", "401 No"][row - 1]!, body)),
    );
    expect(status).toBe(3);
    expect(summary.message).toContain(`It says: not ${mask}`);
    expect(files).toContain("rows.results.csv.journal.1");
  });

  test("where it stands in a certificate, and no request leaves", async () => {
    const token = "tok3n-that-nobody-may-see.0123456789";
    const certificate = makeCertificate({ commonName: "Service", hosts: [token] });
    const server = await startRawServer({}, { certificate });
    const rows = await rowsToImport(1, { EVENTLOAD_TOKEN: token });
    writeFileSync(rows.path("ca.pem"), certificate.cert);
    const imported = await rows.import(
      server.origin.replace("127.0.0.1", "localhost"),
      ...["--ca-file", rows.path("ca.pem"), "--log-file", rows.path("log")],
    );
    expect(imported.status).toBe(3);
    expect(imported.summary.message).toContain(`DNS:${mask}`);
    expect(imported.stderr).not.toContain(token);
    expect(readFileSync(rows.path("log"), "utf8")).not.toContain(token);
  });
});

test("of a proxy's password that it repeats, nothing is left", async () => {
  const repeated = ["pr0xy-Pass", base64("me:pr0xy-Pass"), base64("pr0xy-Pass")];
  const proxy = await startProxyServer({
    onRequest: (socket) => socket.write(answer("407 No", `${repeated.join(", ")}: wrong`)),
  });
  const url = `http://me:pr0xy-Pass@${proxy.host}`;
  const rows = await rowsToImport(1, { EVENTLOAD_TOKEN: secret, http_proxy: url, HTTP_PROXY: url });
  const imported = await rows.import("http://service.invalid", "--allow-http");
  expect(imported.status).toBe(3);
  expect(imported.summary.message).toMatch(/It says: \*{8}, \*{8}, \*{8}\S*: wrong/);
  expectNothingOf("pr0xy-Pass", rows.folder, imported);
});

test("less than 16 characters stay, and the end of a body that is whole", async () => {
  const said = [`no ${secret.slice(0, 15)} there`, `no ${secret.slice(0, 15)}`];
  const { lines } = await importFrom(secret, 2, (socket, row) => sayingNo(socket, said[row - 1]!));
  expect(lines.map(({ import_error: error }) => error)).toEqual(said);
});

test("a token of less than eight characters is one where it stands as a word", async () => {
  const said = [
    ["Any company, many an ANY any_way any7.", `${mask} company, many an ${mask} any_way any7.`],
    ['{"error":"of any"}', `of ${mask}`],
    ["?token%3Dany%26x=any&y=%61ny", `?token%3D${mask}%26x=${mask}&y=${mask}`],
    [
      `Basic ${base64("any")} or 616E79, no fue posible`,
      `Basic ${mask} or ${mask}, no fue posible`,
    ],
    ["Brasiléany", "Brasiléany"],
  ];
  const { lines } = await importFrom("any", said.length, (socket, row) =>
    sayingNo(socket, said[row - 1]![0]!),
  );
  expect(lines.map(({ import_error: error }) => error)).toEqual(said.map(([, shown]) => shown));
});
