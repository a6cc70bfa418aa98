import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { runResume } from "../../src/run/account/resume.ts";
import { runRetry } from "../../src/run/account/retry.ts";
import { sealed } from "../journal/given-import.ts";
import { sandboxUnderTest } from "../sandbox/sandbox-under-test.ts";
import { situation } from "./situation.ts";

/** A run that left a row to be retried, and another service that its token is not for. */
async function ended() {
  const [service, theirs] = [await sandboxUnderTest(), await sandboxUnderTest()];
  const place = await situation();
  const { path, write, read, run } = place;
  await write("people.csv", "Email,First Name,Code\na@x,A,1\n,B,2\n");
  await write(
    "theirs.mjs",
    `import { writeFileSync } from "node:fs";
writeFileSync(${JSON.stringify(path("theirs-ran"))}, "");
export default () => ({ resource: "users", body: { event: "x" } });
`,
  );
  const sent = await place.import(`--base-url ${service.url}`);
  expect(sent.status).toBe(1);
  await write("people.failed.csv", (await read("people.failed.csv")).replace(",B,2", "b@x,B,2"));
  const requests = () => [service.counts().requests, theirs.counts().requests];
  const [before = 0] = requests();
  return {
    ...{ ...place, service, theirs },
    /** Changes the manifest as anybody who may write there can. */
    edit: async (change: (manifest: Json, options: Json) => void) => {
      const manifest = JSON.parse(await read("people.run.json"));
      change(manifest, manifest.options);
      await write("people.run.json", JSON.stringify(manifest));
    },
    retry: (more = "", env: Record<string, string> = {}) =>
      run(`retry ${path("people.failed.csv")} ${more}`, { env }),
    /** How many the service got since, and how many the other one. */
    sent: () => [(requests()[0] ?? 0) - before, requests()[1]],
  };
}

// biome-ignore lint/suspicious/noExplicitAny: whatever a test wants to put there
type Json = Record<string, any>;

/** The flags that a refusal has ready, as a shell would split them. */
function flagsIn(stderr: string): string {
  return stderr.split("\n").find((one) => one.startsWith("  --")) ?? "";
}

/** A resume keeps the limit that stopped its run, unless it is given another. */
const maxErrors = (more: string) => (more.includes("--max-errors") ? "" : "--max-errors 9");

describe("a retry from any other manifest", () => {
  it("sends nothing to its address, runs none of its code, and shows what it says", async () => {
    const { edit, retry, service, theirs, path, read, sent } = await ended();
    const ours = path("people.yaml");
    await edit((manifest, options) => {
      manifest.base_url = theirs.url;
      manifest.mapping.path = path("theirs.mjs");
      options.allow_http = true;
      options.ca_files = ["/their ca.pem"];
      options.success_statuses = "2xx,4xx";
      options.delivery = "at-most-once";
      options.idempotency_header = "x-id";
    });
    const { status, stderr } = await retry();
    expect(status).toBe(2);
    expect(stderr).toContain("people.run.json cannot be verified (its seal does not match)");
    expect(stderr).toContain(`\n  --base-url ${theirs.url} --mapping ${path("theirs.mjs")}\n`);
    const given = await retry(`--base-url ${service.url} --mapping ${ours}`);
    expect(given.status).toBe(0);
    expect(given.stderr).toContain(`Service: ${service.url}, mapping: "people.yaml"\n`);
    expect(given.stderr).toMatch(/so\s+only its rate, limits and delivery mode are kept/);
    expect(JSON.parse(await read("people.run.json")).options).toMatchObject({
      ...{ allow_http: false, ca_files: [], success_statuses: null },
      ...{ delivery: "at-most-once", idempotency_header: null },
    });
    // What was not trusted has no good seal now.
    const { base_url: baseUrl, mapping } = JSON.parse(await read("people.run.json"));
    expect([baseUrl, mapping.path]).toEqual([service.url, ours]);
    expect(sent()).toEqual([1, 0]);
    expect(existsSync(path("theirs-ran"))).toBe(false);
  });

  it.each<[string, (manifest: Json, options: Json) => void, boolean]>([
    ["without a seal", (manifest) => delete manifest.seal, false],
    ["with one word changed", (_, options) => (options.strict = true), false],
    ["of another user or machine", () => {}, true],
  ])("%s takes the flags that the refusal has ready", async (_, change, isOfAnother) => {
    const { edit, retry, path, service, sent } = await ended();
    await edit(change);
    const env: Record<string, string> = isOfAnother ? { XDG_STATE_HOME: path("state") } : {};
    const { status, stderr } = await retry("", env);
    expect(status).toBe(2);
    expect(flagsIn(stderr)).toBe(`  --base-url ${service.url} --mapping ${path("people.yaml")}`);
    expect((await retry(flagsIn(stderr), env)).status).toBe(0);
    expect(sent()).toEqual([1, 0]);
  });

  it("does not go by eventload.yaml and the environment, though they say the same", async () => {
    const { edit, retry, write, path, service, sent } = await ended();
    await edit((manifest) => {
      delete manifest.seal;
      manifest.mapping.path = path("theirs.mjs");
    });
    await write("eventload.yaml", `mapping: ${path("theirs.mjs")}\nbase_url: ${service.url}\n`);
    const refusal = { status: 2, stderr: expect.stringContaining("cannot be verified") };
    expect(await retry()).toMatchObject(refusal);
    expect(await retry("", { EVENTLOAD_BASE_URL: service.url })).toMatchObject(refusal);
    expect(existsSync(path("theirs-ran"))).toBe(false);
    expect(sent()).toEqual([0, 0]);
  });

  it("does not go by its target, but has it among the flags", async () => {
    const { edit, retry, write, path, service, sent } = await ended();
    await edit((manifest) => {
      manifest.target = "north";
    });
    const north = `{ base_url: "${service.url}", token_file: "${path("token")}" }`;
    await write("eventload.yaml", `targets: { north: ${north} }\n`);
    await write("token", "token-of-north");
    const noToken = { EVENTLOAD_TOKEN: "" };
    const { status, stderr } = await retry(`--mapping ${path("people.yaml")}`, noToken);
    expect(status).toBe(2);
    expect(flagsIn(stderr)).toMatch(/^ *--target north /);
    expect((await retry(flagsIn(stderr), noToken)).status).toBe(0);
    expect(sent()).toEqual([1, 0]);
  });

  it("offers no value that a terminal does not show as it is", async () => {
    const { edit, retry } = await ended();
    await edit((manifest) => {
      manifest.mapping.path = "a'; rm -rf ~; '\n.mjs";
    });
    const { stderr } = await retry();
    expect(stderr).toMatch(/\n {2}--base-url \S+ --mapping …\n/);
    await edit((manifest) => {
      manifest.mapping.path = "a; rm -rf ~";
    });
    expect((await retry()).stderr).toContain(" --mapping 'a; rm -rf ~'\n");
  });

  it("is refused by the library as well", async () => {
    const { edit, theirs, path, sent } = await ended();
    await edit((manifest) => {
      manifest.base_url = theirs.url;
    });
    const options = { input: path("people.failed.csv"), token: "a-token" };
    await expect(runRetry(options)).rejects.toMatchObject({ code: "run_unsealed" });
    await expect(runRetry({ ...options, mapping: path("people.yaml") })).rejects.toMatchObject({
      code: "run_unsealed",
      details: [expect.stringContaining(theirs.url)],
    });
    expect(sent()).toEqual([0, 0]);
  });
});

it("a run whose key cannot be made is sent all the same, and says what will be asked for", async () => {
  const { path, write, service } = await ended();
  await write("state", "a file");
  const env = { XDG_STATE_HOME: path("state") };
  const place = await situation();
  const { status, stderr } = await place.import(`--base-url ${service.url}`, { env });
  expect(status).toBe(0);
  expect(stderr).toMatch(/^warning: This run is not sealed \(/m);
  expect(stderr).toContain("XDG_STATE_HOME");
  expect(JSON.parse(await place.read("people.run.json"))).not.toHaveProperty("seal");
});

/** A run that stopped before its end. */
async function stopped() {
  const place = await ended();
  const { path, write, run, service, theirs } = place;
  const rows = `${"a@x,A,1\n".repeat(5)},B,2\n`;
  await write("more.csv", `Email,First Name,Code\n${rows.repeat(3)}`);
  const more = ["import", path("more.csv"), "--mapping", path("people.yaml"), "--no-check"];
  const argv = [...more, "--base-url", service.url, "--max-errors", "0"];
  expect((await run(argv)).status).toBe(3);
  const before = service.counts().requests;
  const journal = path("more.results.csv.journal.1");
  return {
    ...place,
    ...{ journal, argv },
    /** How many of the 15 people are to be sent yet; one more was sent before. */
    left: 16 - before,
    resume: (more = "", env: Record<string, string> = {}) =>
      run(`resume ${path("more.results.csv")} ${maxErrors(more)} ${more}`, { env }),
    /** Changes what the run was started with, as anybody can who may write there. */
    edit: async (change: (run: Json) => void) => {
      const lines = (await readFile(journal, "utf8")).split("\n");
      const record = JSON.parse(lines[0] ?? "");
      change(record.run);
      const end = lines.findIndex((line) => line.startsWith('{"sum"'));
      const batch = [JSON.stringify(record), ...lines.slice(1, end), ""].join("\n");
      const { synced } = JSON.parse(lines[end] ?? "");
      await writeFile(journal, sealed(batch, synced) + lines.slice(end + 1).join("\n"));
    },
    runOf: async () => {
      const last = journal.replace(/\d+$/, "2");
      const [first = ""] = (await readFile(last, "utf8")).split("\n");
      return JSON.parse(first).run as Json;
    },
    sent: () => [service.counts().requests - before, theirs.counts().requests],
  };
}

describe("a resume from any other journal", () => {
  it("sends nothing to its address, runs none of its code, and shows what it says", async () => {
    const { edit, resume, theirs, path, sent, service } = await stopped();
    await edit((run) => {
      run.imported.base_url = theirs.url;
      run.imported.mapping.path = path("theirs.mjs");
      run.imported.options.allow_http = true;
      run.imported.options.success_statuses = "2xx,4xx";
    });
    const { status, stderr } = await resume("", { EVENTLOAD_TOKEN: "" });
    expect(status).toBe(2);
    expect(stderr).toContain("more.results.csv.journal cannot be verified");
    expect(stderr).toContain(`\n  --base-url ${theirs.url} --mapping ${path("theirs.mjs")}\n`);
    const given = await resume(`--base-url ${service.url} --mapping ${path("people.yaml")}`);
    expect(given.stderr).toContain(`the base URL was ${theirs.url} and is ${service.url}`);
    expect(sent()).toEqual([0, 0]);
    expect(existsSync(path("theirs-ran"))).toBe(false);
    const library = { results: path("more.results.csv"), token: "a-token" };
    await expect(runResume(library)).rejects.toMatchObject({ code: "run_unsealed" });
  });

  it("takes the flags that the refusal has ready, and has a good seal from then on", async () => {
    const { edit, resume, sent, left, runOf } = await stopped();
    await edit((run) => {
      delete run.seal;
      run.imported.options.allow_http = true;
      run.imported.options.ca_files = ["/nowhere/ca.pem"];
    });
    const flags = flagsIn((await resume()).stderr);
    expect((await resume(`${flags} --max-errors 0`)).status).toBe(3);
    expect((await runOf()).imported.options).toMatchObject({ allow_http: false, ca_files: [] });
    expect((await resume()).status).toBe(1);
    expect(sent()).toEqual([left, 0]);
  });
});
