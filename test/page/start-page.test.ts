import { readdir, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { main } from "../../src/cli/main.ts";
import { openMappingDocument } from "../../src/page/mapping-document.ts";
import { checkImport } from "../../src/run/check/check.ts";
import { checkWithState } from "../../src/run/state/check-with-state.ts";
import { eventload, interruptibleHost } from "../cli/fake-host.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { pageOf } from "./page-under-test.ts";

const csv = "Email,Age,Plan\na@example.com,36,P\nb@example.com,old,F\nc@example.com,,X\n";
const mapping = `version: 1
resource: users
event: user.imported
members:
  email: { column: Email, required: true }
  age: { column: Age, type: integer }
  plan: { column: Plan, map: { P: pro, F: free } }
  id: { meta: event_id }
`;

describe("the page refuses", () => {
  const json = { "content-type": "application/json" };
  const save = { text: "", before: "" };
  /** What is asked of which address below the secret, with which headers; `origin` is the page's own. */
  it.each<[what: string, path: string, headers: Record<string, string>, body: unknown, number]>([
    ["a save by another site", "save", { ...json, origin: "https://evil.example" }, save, 403],
    ["a save by a program that does not say what it is", "save", json, save, 403],
    ["a form", "save", { "content-type": "text/plain", origin: "{origin}" }, "{}", 400],
    ["no JSON", "check", { ...json, origin: "{origin}" }, "{", 400],
    ["a count of no ways", "count", { ...json, origin: "{origin}" }, { text: "" }, 400],
    ["a question without a row", "row", { ...json, origin: "{origin}" }, { text: "" }, 400],
  ])("%s", async (_, path, given, body, status) => {
    const { send, secret, origin, mapping: read } = await pageOf(csv, mapping);
    const headers = Object.entries(given).map(([name, value]) => [
      name,
      value.replace("{origin}", origin),
    ]);
    const answer = await send(secret + path, body, Object.fromEntries(headers));
    expect(answer.status).toBe(status);
    expect(await read()).toBe(mapping);
  });

  it("which has too much to read", async () => {
    const { send, secret, own, mapping: read } = await pageOf(csv, mapping);
    const refused = send(`${secret}save`, { ...save, text: "x".repeat(5e6) }, own);
    expect(await refused.catch(() => ({ status: 400 }))).toMatchObject({ status: 400 });
    expect(await read()).toBe(mapping);
  });

  it("and its styles are let through by a word that is new each time", async () => {
    const { send, secret } = await pageOf(csv, mapping);
    const [one, two] = [await send(secret), await send(secret)];
    const nonce = /nonce-([^']+)/.exec(String(one.headers["content-security-policy"]))?.[1] ?? "";
    expect(one.text).toContain(nonce);
    expect(two.text).not.toContain(nonce);
  });
});

describe("an answer", () => {
  it("has the numbers of check, and a row as it is sent", async () => {
    const { check, row, path } = await pageOf(csv, mapping);
    const { rows, events, invalidRows, problemGroups, unusedColumns, findings } =
      await checkWithState({
        ...{ input: path("people.csv"), mapping: path("people.yaml") },
      });
    expect(invalidRows).toBe(2);
    const values = ["P", "F", "X"].map((code) => [code, 1]);
    const columns = [{}, { filled: 2 }, { values }];
    const report = { rows, events, invalidRows, problemGroups, unusedColumns, findings, columns };
    expect(await check(mapping)).toMatchObject(
      JSON.parse(JSON.stringify({ kind: "is", what: report })),
    );
    const body =
      '{"event":"user.imported","email":"a@example.com","age":36,"plan":"pro","id":"(id of the event)"}';
    const what = { kind: "requests", requests: [{ body }] };
    expect(await row({ text: mapping, row: 1 })).toMatchObject({ what });
  });

  it.each([
    [1, { kind: "invalid", row: { row: 2 } }],
    [3, { kind: "invalid", row: { row: 3 } }],
    [4, { kind: "no_such_row" }],
  ])("finds the next invalid row from %i on", async (from, what) => {
    const { row } = await pageOf(csv, mapping);
    const answer = await row({ text: mapping, row: from, onlyInvalid: true });
    expect(answer).toMatchObject({ kind: "is", what });
  });

  it("counts the cells that other ways would read, and says which ways no mapping may have", async () => {
    const { count } = await pageOf(csv, mapping);
    const path = ["members", "age"];
    const ways = [
      { path, keys: {} },
      { path, keys: { format: "MM/YY" } },
      { path, keys: { type: null } },
      { keys: { column: "Plan", map: { P: "pro" } } },
      { keys: { column: "Age", lookup: { file: "/etc/passwd", key: "a", value: "b" } } },
    ];
    expect(await count(mapping, ways.slice(0, 4))).toEqual({
      kind: "is",
      what: [
        { reads: 1, misfits: 1 },
        { problem: expect.stringContaining("no effect beside type") },
        { reads: 2, misfits: 0 },
        { reads: 1, misfits: 2 },
      ],
    });
    // A condition of the file leaves cells out here too.
    const some = `${mapping}when: { column: Plan, in: [P] }\n`;
    expect(await count(some, ways.slice(0, 1))).toMatchObject({ what: [{ reads: 1, misfits: 0 }] });
    // No way reads another file of the machine.
    const outside = { problem: expect.stringContaining("outside the folder") };
    expect(await count(mapping, ways.slice(4))).toMatchObject({ what: [outside] });
    // What is wrong with the mapping itself, a check tells.
    expect(await count(`${mapping}x: 1\n`, ways)).toMatchObject({ kind: "document_problems" });
  });

  it("names the lines of a text that is no mapping", async () => {
    const { check, row } = await pageOf(csv, mapping);
    const text = mapping.replace("integer", "int").replace("column: Email", "column: Mail");
    const problems = [
      { line: 5, path: "members.email.column" },
      { line: 6, path: "members.age.type" },
    ];
    for (const answer of [await check(text), await row({ text, row: 1 })])
      expect(answer).toMatchObject({ kind: "document_problems", problems });
    const broken = { kind: "document_problems", problems: [{ line: 1 }] };
    expect(await check("version: {")).toMatchObject(broken);
  });

  it("looks things up beside the mapping, and in no other file of the machine", async () => {
    const { check, path } = await pageOf(csv, mapping);
    await writeFile(path("plans.csv"), "Code,Name\nP,pro\nF,free\nX,none\n");
    const elsewhere = await temporaryFolder();
    await writeFile(`${elsewhere}/secret.csv`, "Code,Name\nP,secret\n");
    const looking = (file: string) =>
      mapping.replace(
        "map: { P: pro, F: free }",
        `lookup: { file: ${file}, key: Code, value: Name }`,
      );
    expect(await check(looking("plans.csv"))).toMatchObject({ kind: "is" });
    await symlink(`${elsewhere}/secret.csv`, path("link.csv"));
    for (const file of [`${elsewhere}/secret.csv`, "../secret.csv", "/etc/passwd", "link.csv"]) {
      const answer = await check(looking(file));
      expect(answer, file).toMatchObject({ kind: "document_problems" });
      expect(JSON.stringify(answer)).toContain("outside the folder");
    }
  });
});

it("a check that is stopped reads no further", async () => {
  const { path } = await pageOf(`Email\n${"a@example.com\n".repeat(200_000)}`);
  const stop = new AbortController();
  let seen = 0;
  const watch = {
    see() {
      seen++;
      stop.abort();
    },
  };
  const files = { input: path("people.csv"), mapping: path("people.yaml") };
  await checkImport({ ...files, stop: stop.signal }, async () => watch);
  expect(seen).toBeLessThan(100_000);
});

describe("a save", () => {
  it("writes the file whole, with its mode", async () => {
    const { save, mapping: read, path, folder } = await pageOf(csv, mapping);
    const before = await stat(path("people.yaml"));
    const text = mapping.replace("integer", "number");
    expect(await save(text, mapping)).toEqual({ kind: "saved" });
    expect(await read()).toBe(text);
    expect((await stat(path("people.yaml"))).mode).toBe(before.mode);
    expect((await readdir(folder)).toSorted()).toEqual(["people.csv", "people.yaml"]);
  });

  it("replaces nothing that the page has not shown", async () => {
    const { save, mapping: read, path } = await pageOf(csv, mapping);
    const others = `${mapping}# by another hand\r\n`;
    await writeFile(path("people.yaml"), others);
    const answer = await save("mine", mapping);
    expect(answer).toMatchObject({ kind: "changed" });
    expect(await read()).toBe(others);
    expect(await save("mine", answer.text)).toEqual({ kind: "saved" });
    expect(await read()).toBe("mine");
    // By another page with the same text, or by hand.
    expect(await save("mine", mapping)).toEqual({ kind: "saved" });
    await rm(path("people.yaml"));
    expect(await save("mine", "mine")).toEqual({ kind: "changed", text: "" });
    expect(await save("mine", "")).toEqual({ kind: "saved" });
    expect(await read()).toBe("mine");
  });

  it("goes to the file of a link, and to no other place that a request names", async () => {
    const { send, own, secret, path, mapping: read } = await pageOf(csv, mapping);
    const others = { path: path("other.yaml"), mapping: "/tmp/x" };
    await send(`${secret}save`, { text: "mine", before: mapping, ...others }, own);
    expect(await read()).toBe("mine");
    await symlink(path("people.yaml"), path("link.yaml"));
    const document = await openMappingDocument(path("link.yaml"), path("people.csv"), {});
    await document.save({ text: mapping, before: "mine" });
    expect(await read()).toBe(mapping);
  });

  it.each(["people.json", "people.mjs"])(
    "is not for %s, which is not made either",
    async (name) => {
      const { path, folder } = await pageOf(csv, mapping);
      const map = await eventload(`map ${path("people.csv")} --mapping ${path(name)}`);
      expect(map.status).toBe(2);
      expect(map.stderr).toMatch(/is not a .yaml file/);
      expect((await readdir(folder)).toSorted()).toEqual(["people.csv", "people.yaml"]);
    },
  );
});

it("reads the input as its mapping says, which init wrote", async () => {
  const folder = await temporaryFolder();
  const input = join(folder, "people.csv");
  await writeFile(input, Buffer.from("Name;E-Mail\nZo\xeb;zoe@example.com\n", "latin1"));
  expect((await eventload(`init ${input} --encoding windows-1252`)).status).toBe(0);
  const { host, stdout, interrupt } = interruptibleHost(`map ${input}`);
  const ended = main(host);
  while (stdout() === "") await Promise.race([ended, new Promise((next) => setTimeout(next, 5))]);
  interrupt("SIGINT");
  expect(await ended).toBe(0);
});
