import { createHash } from "node:crypto";
import { appendFile, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { startService } from "../delivery/service-under-test.ts";
import { xlsxParts, xlsxRow, zipOf } from "../input/given-workbook.ts";
import { type Scenario, scenario } from "./scenario.ts";

const results = "out/people.results.csv";
const failed = "out/people.failed.csv";
const byNpx = { env: { npm_lifecycle_event: "npx" } };

/** 40 people; the service refuses every fifth, and the 20th request waits until the test lets it go on. */
async function people() {
  let isWaited = true;
  let goOn = () => {};
  const mayGoOn = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const service = await startService(async ({ n }) => {
    if (isWaited && n === 20) {
      isWaited = false;
      await mayGoOn;
    }
    return { status: n % 5 === 4 && n < 40 ? 422 : 202 };
  });
  const place = await scenario("plain");
  const lines = Array.from({ length: 40 }, (_, at) => `p${at + 1}@example.com,P${at + 1},${at}`);
  await writeFile(join(place.folder, "people.csv"), `Email,First Name,Code\n${lines.join("\n")}\n`);
  const to = ["--base-url", service.url, "--concurrency", "1"];
  const send = ["import", "people.csv", ...to, "--results", results];
  const at = (file: string) => join(place.folder, file);
  return { service, place, send, goOn, at };
}

/** The same, stopped by a signal when 20 have been sent. */
async function stopped(signal: NodeJS.Signals, more: readonly string[] = []) {
  const all = await people();
  const { service, place, send, goOn } = all;
  const run = place.start([...send, ...more], byNpx);
  await service.received(21);
  run.child.kill(signal);
  if (signal !== "SIGKILL") await run.stderrHas("Interrupted");
  goOn();
  return { ...all, ...(await run.ended) };
}

const filesIn = async (place: Scenario, folder = "out") =>
  (await readdir(join(place.folder, folder))).toSorted();

const manifestOf = async (place: Scenario) => JSON.parse(await place.read("out/people.run.json"));

describe("an input that changes while it is read", () => {
  it("ends the run with all that was read, and its failed rows are retried", async () => {
    const { service, place, send, goOn, at } = await people();
    const run = place.start(send, byNpx);
    await service.received(21);
    await appendFile(at("people.csv"), "late@example.com,Late,41\n");
    goOn();
    const { status, stderr } = await run.ended;
    expect(status).toBe(3);
    expect(stderr).toContain("This run has ended. To send the new file, import it with other");
    expect(stderr).toContain(`Next: fix ${failed}, then run: npx eventload retry ${failed}`);
    const names = ["people.failed.csv", "people.results.csv", "people.run.json"];
    expect(await filesIn(place)).toEqual(names);
    expect(await place.records(results)).toHaveLength(40);
    expect(await manifestOf(place)).toMatchObject({
      ...{ exit_reason: "input_changed", counts: { succeeded: 32, rejected: 8, not_sent: 0 } },
      reconciliation: { rows_read: 40, rows_written: 40, adds_up: true },
    });

    const resumed = await place.eventload(`resume ${results}`, byNpx);
    expect(resumed.status).toBe(3);
    expect(resumed.stderr).toContain("was changed while it was read");
    expect(resumed.stderr).toContain(`npx eventload retry ${failed}`);
    expect((await place.eventload(`report ${results}`)).status).toBe(0);
    expect(service.receipts).toHaveLength(40);

    expect((await place.eventload(`retry ${failed}`)).status).toBe(0);
    expect(service.receipts).toHaveLength(48);
  });

  it.each([
    ["as it is", (bytes: Buffer) => bytes],
    ["with gzip", gzipSync],
    [
      "as a workbook",
      (bytes: Buffer) => {
        const lines = bytes.toString().trim().split("\n");
        return zipOf(xlsxParts(lines.map((line) => xlsxRow(...line.split(","))).join("")));
      },
    ],
  ])("is read as it was opened if another takes its name: %s", async (_, pack) => {
    const { service, place, send, goOn, at } = await people();
    const plain = await readFile(at("people.csv"));
    await writeFile(at("people.csv"), pack(plain));
    const run = place.start(send, byNpx);
    await service.received(21);
    await writeFile(
      at("new.csv"),
      pack(Buffer.from("Email,First Name,Code\nnew@example.com,N,1\n")),
    );
    await rename(at("new.csv"), at("people.csv"));
    goOn();
    const { status } = await run.ended;
    expect(status).toBe(1);
    const { input, ...manifest } = await manifestOf(place);
    expect(manifest).toMatchObject({ exit_reason: "complete", counts: { succeeded: 32 } });
    expect(input.sha256).toBe(createHash("sha256").update(pack(plain)).digest("hex"));
    const emails = (await place.records(results)).map(({ Email }) => Email);
    expect(emails).toEqual(Array.from({ length: 40 }, (_, n) => `p${n + 1}@example.com`));
  });

  it("ends it likewise where it breaks off, and says how to send the rest", async () => {
    const { place, send, goOn, at } = await people();
    goOn();
    const sound = await place.read("people.csv");
    await appendFile(at("people.csv"), '"never closed,x\nlast,x\n');
    const { status, stderr } = await place.eventload([...send, "--no-check"], byNpx);
    expect(status).toBe(3);
    expect(stderr).toContain("import it with --skip 40 and other --results");
    expect(await filesIn(place)).not.toContain("people.results.csv.journal.1");
    expect((await place.eventload(`retry ${failed}`)).status).toBe(0);
    await writeFile(at("people.csv"), `${sound}late@example.com,Late,41\n`);
    const rest = [...send.slice(0, -1), "out/rest.results.csv", "--skip", "40"];
    expect((await place.eventload(rest)).status).toBe(0);
    expect(await place.records("out/rest.results.csv")).toHaveLength(1);
  });
});

describe("an unfinished run without its journal", () => {
  it("of a retry says what to do with its rows", async () => {
    const { service, place, send, goOn, at } = await people();
    goOn();
    expect((await place.eventload(send)).status).toBe(1);
    const run = place.start(`retry ${failed} --rate 1/s`);
    await service.received(41);
    run.child.kill("SIGKILL");
    await run.ended;
    await rm(at(`${results}.journal.2`));
    for (const command of [
      ["resume", results],
      ["retry", failed],
    ]) {
      const { status, stderr } = await place.eventload(command);
      expect(stderr).toContain("A retry of out/people.results.csv is unfinished, and its journal");
      expect(stderr).toContain("move the failed rows to another folder");
      expect(status).toBe(2);
    }
    // As it says:
    await mkdir(at("there"));
    await rename(at(failed), at("there/people.failed.csv"));
    const to = ["--base-url", service.url, "--mapping", "people.yaml"];
    expect((await place.eventload(["import", "there/people.failed.csv", ...to])).status).toBe(0);
    expect((await place.records("there/people.failed.results.csv")).length).toBe(8);
  });
});

it.each(["SIGINT", "SIGKILL"] as const)(
  "from standard input is resumed after %s",
  async (signal) => {
    const { service, place, send, goOn } = await people();
    const stdin = await place.read("people.csv");
    const command = ["import", "-", "-m", "people.yaml", ...send.slice(2)];
    const run = place.start(command, { stdin });
    await service.received(21);
    run.child.kill(signal);
    if (signal === "SIGINT") await run.stderrHas("Interrupted");
    goOn();
    const { status, stderr } = await run.ended;
    expect(status).toBe(signal === "SIGINT" ? 130 : null);
    if (signal === "SIGINT")
      expect(stderr).toContain(`Next: resume it: eventload resume ${results}`);
    const other = await place.eventload([...command, "--resume"], { stdin: `${stdin}x@y.z\n` });
    expect(other).toMatchObject({ status: 2 });
    expect(other.stderr).toMatch(/^eventload: The unfinished run .*: the input stdin has changed/m);
    const again = signal === "SIGINT" ? ["resume", results] : [...command, "--resume"];
    expect((await place.eventload(again, { stdin })).status).toBe(1);
    const rows = (await place.records(results)).map((line) => Number(line.import_row));
    expect(rows).toEqual(Array.from({ length: rows.length }, (_, at) => at + 1));
    expect(rows).toHaveLength(stdin.trim().split("\n").length - 1);
    expect(await place.read(`${results}.input`).catch(() => "gone")).toBe("gone");
  },
);

/** Kills the process before or after the copy of its input has its name. */
const killsAtRename = (when: "before" | "after") => `
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
const { rename } = fs.promises;
fs.promises.rename = async (from, to) => {
  if (!to.endsWith(".csv.input")) return rename(from, to);
  if (${when === "after"}) await rename(from, to);
  process.kill(process.pid, "SIGKILL");
};
syncBuiltinESMExports();
`;

it.each([
  ["before", "import"],
  ["after", "import"],
  ["before", "night"],
  ["after", "night"],
] as const)(
  "from standard input, killed %s its copy has its name, is the same command again (%s)",
  async (when, kind) => {
    const { place, send, goOn, at } = await people();
    goOn();
    const stdin = await place.read("people.csv");
    const state = kind === "night" ? ["--state", "people.state.jsonl"] : [];
    if (kind === "night") {
      const mapping = await place.read("people.yaml");
      await writeFile(at("people.yaml"), `${mapping}\nordering_key: [Email]\n`);
    }
    const command = ["import", "-", "-m", "people.yaml", ...send.slice(2), ...state];
    await writeFile(at("kill.mjs"), killsAtRename(when));
    const { status } = await place.program(command, { stdin, node: ["--import", at("kill.mjs")] });
    expect(status).toBe(null);
    const left = when === "before" ? `${results}.input.new` : `${results}.input`;
    expect(await place.read(left)).toBe(stdin);
    const found = JSON.parse((await place.eventload("status out --json")).stdout);
    expect(found).toEqual({ accounts: [] });
    expect((await place.eventload(command, { stdin })).status).toBe(1);
    expect(await place.records(results)).toHaveLength(40);
    expect(await filesIn(place)).toEqual([
      "people.failed.csv",
      "people.results.csv",
      "people.run.json",
    ]);
  },
);

it("a night from standard input that is killed while it sends leaves nothing but its account", async () => {
  const { service, place, send, goOn, at } = await people();
  const stdin = await place.read("people.csv");
  const mapping = await place.read("people.yaml");
  await writeFile(at("people.yaml"), `${mapping}\nordering_key: [Email]\n`);
  const state = ["--state", "people.state.jsonl"];
  const run = place.start(["import", "-", "-m", "people.yaml", ...send.slice(2), ...state], {
    stdin,
  });
  await service.received(21);
  run.child.kill("SIGKILL");
  await run.ended;
  goOn();
  const next = send.slice(2, -1);
  const command = ["import", "-", "-m", "people.yaml", ...next, "next.results.csv", ...state];
  expect((await place.eventload(command, { stdin })).status).toBe(1);
  // The next command on the same account removes its lock.
  expect((await filesIn(place)).filter((name) => !name.endsWith(".lock"))).toEqual([
    "people.failed.csv",
    "people.results.csv",
    "people.run.json",
  ]);
});

it("files that were moved without the account say what to do", async () => {
  const { service, place, send, goOn, at } = await people();
  goOn();
  await place.eventload(send);
  await mkdir(at("moved"));
  await rename(at(failed), at("moved/people.failed.csv"));
  const retried = await place.eventload("retry moved/people.failed.csv");
  expect(retried.stderr).toContain("There is no account of moved/people.failed.csv beside it.");
  expect(retried.stderr).toContain("name them with --results");
  const named = ["--results", "out/nope.results.csv"];
  const misnamed = await place.eventload(["retry", "moved/people.failed.csv", ...named]);
  expect(misnamed.stderr).toContain("There is no account of out/nope.results.csv: it was never");
  for (const command of [`resume ${results}`, "status out"]) {
    const { stdout, stderr } = await place.eventload(command);
    expect(stdout + stderr).toContain(`eventload retry ${results}`);
  }
  await rename(at(results), at("moved/people.results.csv"));
  for (const command of [
    ["retry", "moved/people.results.csv"],
    ["report", "moved/people.results.csv"],
    ["resume", "moved/people.results.csv"],
  ]) {
    const { status, stderr } = await place.eventload(command);
    expect(stderr).toContain("people.run.json");
    expect(stderr).toContain("If it was moved or renamed, move them too");
    expect(status).toBe(2);
  }
  await rename(at("out/people.run.json"), at("moved/people.run.json"));
  expect((await place.eventload("report moved/people.results.csv")).status).toBe(0);
  expect(service.receipts).toHaveLength(40);
  expect((await place.eventload("retry moved/people.failed.csv")).status).toBe(2);
});

it("an input that was replaced before the run was resumed: the message has the whole way out", async () => {
  const { place, send, at } = await stopped("SIGKILL");
  await writeFile(at("people.csv"), "Email,First Name,Code\nnew@example.com,New,1\n");
  const { status, stderr } = await place.eventload([...send, "--resume"], byNpx);
  expect(status).toBe(2);
  expect(stderr).toContain(`do so and run: npx eventload resume ${results}`);
  expect(stderr).toContain("If not, import the file to other results");
  const others = [...send.slice(0, -1), "out/others.results.csv"];
  expect((await place.eventload(others)).status).toBe(0);
});
