import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { shellWord } from "../../src/model/typed-command.ts";
import type { CommandLine } from "../cli/fake-host.ts";
import { startService } from "../delivery/service-under-test.ts";
import { describeInChromium } from "../report/chromium.ts";
import { sandboxUnderTest } from "../sandbox/sandbox-under-test.ts";
import { expectNoSilentRepeat, scenario } from "../scenarios/scenario.ts";
import {
  describeOnWindows,
  installed,
  nodeExe,
  preload,
  program,
  startNode,
  startThere,
  until,
  windowsEnv,
  windowsPath,
} from "./on-windows.ts";

/** People, each with an age. */
const people = (count: number, age = 1) =>
  `Email,Age\n${Array.from({ length: count }, (_, at) => `p${at}@example.com,${age}\n`).join("")}`;

const mapping = `version: 1
resource: contacts
event: contact.updated
ordering_key: [{ column: Email, transform: [trim, lowercase] }]
members:
  email: { column: Email, transform: [trim, lowercase] }
  age: { column: Age, type: integer }
`;

/** A service that accepts events, and answers none from one on until it is let go. */
async function heldService(from = Number.POSITIVE_INFINITY) {
  let letGo = () => {};
  const isLetGo = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const service = await startService(async ({ n }) => {
    if (n >= from) await isLetGo;
    return { status: 202 };
  });
  onTestFinished(letGo);
  const ids = () => service.receipts.map(({ headers }) => String(headers["idempotency-key"]));
  return { ...service, ids, letGo, count: () => service.receipts.length };
}

/** A folder with the files of a situation in it, where eventload runs on Windows. */
async function placeOnWindows(name: string) {
  const place = await scenario(name);
  type Env = Readonly<Record<string, string>>;
  return {
    ...place,
    startThere: (line: CommandLine) => startThere(place, line),
    /** Runs it to its end. */
    there: (line: CommandLine, env?: Env) => startThere(place, line, env).ended,
  };
}

async function placeOfPeople(count: number) {
  const place = await placeOnWindows("plain");
  const write = (name: string, text: string) => writeFileSync(join(place.folder, name), text);
  write("people.yaml", mapping);
  write("people.csv", people(count));
  return { ...place, write, files: () => readdirSync(place.folder) };
}

const keyed = ["--idempotency-header", "Idempotency-Key"];

describeOnWindows("on Windows", () => {
  it("help, init, check, import, status, fix and retry, report and export", async () => {
    const { url } = await sandboxUnderTest();
    const place = await placeOnWindows("readme");
    const { there, folder, read } = place;
    expect(await there("import --help")).toMatchObject({
      status: 0,
      stdout: expect.stringContaining("Examples:"),
    });
    mkdirSync(join(folder, "my files"));
    writeFileSync(join(folder, "my files/people.csv"), await read("people.csv"));
    const init = await there(["init", "my files\\people.csv", "--resource", "contacts"]);
    expect(init).toMatchObject({
      status: 0,
      stderr: expect.stringContaining('eventload check "my files\\people.csv"\n'),
    });
    expect((await there(["check", "my files\\people.csv"])).status).toBe(0);
    // Shells leave patterns to the program.
    writeFileSync(join(folder, "people-2.csv"), await read("people.csv"));
    const checked = await there("check peop*.csv --mapping people.yaml");
    expect(checked).toMatchObject({ status: 1, stderr: expect.stringContaining("8 rows give") });

    const to = ["--mapping", "people.yaml", "--base-url", url, "--json"];
    const sent = await there([
      ...["import", "people.csv", "--results"],
      "out\\p.results.csv",
      ...to,
    ]);
    expect(JSON.parse(sent.stdout)).toMatchObject({
      succeeded: 2,
      next: { retry: "eventload retry out\\p.failed.csv" },
    });
    expect(await there("status out")).toMatchObject({
      stdout: expect.stringContaining("p.results.csv  complete  4 rows  2 succeeded  1 open"),
    });
    expect(await there("export out\\p.failed.csv")).toMatchObject({
      status: 0,
      stderr: expect.stringContaining("eventload retry out\\p.failed.xlsx"),
    });
    expect(await there("retry out\\p.failed.xlsx")).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("row 2 (line 2 of p.failed.xlsx)"),
    });
    const failed = join(folder, "out/p.failed.csv");
    writeFileSync(failed, readFileSync(failed, "utf8").replace(",eighty,", ",80,"));
    // Names that differ by case only are the same, and so are their seals.
    const again = await there("retry OUT\\P.failed.csv");
    expect(again).toMatchObject({ status: 0, stderr: expect.stringContaining("succeeded  3") });
    for (const command of ["report", "export"]) {
      expect((await there(`${command} out\\p.results.csv`)).status).toBe(0);
    }
    expect(readdirSync(join(folder, "out")).toSorted()).toEqual([
      ...["p.failed.xlsx", "p.report.html", "p.results.csv", "p.results.xlsx", "p.run.json"],
    ]);
  });

  it("an import that is killed is shown while it runs, keeps others out, and is resumed", async () => {
    const service = await heldService(20);
    const { there, startThere, records, files } = await placeOfPeople(200);
    const command = `import people.csv --base-url ${service.url} --concurrency 4`;
    const first = startThere([...command.split(" "), ...keyed]);
    await service.received(21);
    const [status, second, another] = await Promise.all([
      there("status people.results.csv --json"),
      there(command),
      there("resume PEOPLE.results.csv"),
    ]);
    expect(JSON.parse(status.stdout).accounts[0]).toMatchObject({ state: "running" });
    for (const other of [second, another]) {
      expect(other).toMatchObject({
        status: 2,
        stderr: expect.stringMatching(/another (run|eventload|process)/i),
      });
    }
    first.kill();
    expect((await first.ended).status).toBeNull();
    expect(files()).toContain("people.results.csv.journal.1");
    expect(files().filter((name) => name.endsWith(".lock"))).toEqual([]);
    service.letGo();
    expect(await there("status")).toMatchObject({
      stdout: expect.stringMatching(/unfinished|interrupted/),
    });

    const resumed = await there("resume people.results.csv --json");
    expect(resumed).toMatchObject({ status: 0 });
    expect(JSON.parse(resumed.stdout)).toMatchObject({ rows: 200, succeeded: 200 });
    expectNoSilentRepeat(await records("people.results.csv"), service.ids());
    expect(service.count() - 200).toBeLessThanOrEqual(8);
    expect(files().toSorted()).toEqual([
      ...["people.csv", "people.results.csv", "people.run.json", "people.yaml"],
    ]);
  });

  it("a night, one that is killed, and the next", async () => {
    const service = await heldService(120);
    const { there, startThere, write, files } = await placeOfPeople(100);
    const night = (number: number) =>
      `import people.csv --state people.state.jsonl --base-url ${service.url} --results ${number}.results.csv --concurrency 4 --json`;
    const first = await there(night(1));
    expect(JSON.parse(first.stdout)).toMatchObject({ succeeded: 100, differences: { new: 100 } });
    write("people.csv", people(100, 2));
    const second = startThere(night(2));
    await service.received(121);
    second.kill();
    expect((await second.ended).status).toBeNull();
    service.letGo();
    const third = await there(night(3));
    expect(third).toMatchObject({ status: 0 });
    const left = JSON.parse(third.stdout).rows;
    expect(left).toBeLessThan(100);
    const last = new Map(
      service.receipts.map(
        ({ body }) => Object.values(JSON.parse(body)).slice(1) as [string, number],
      ),
    );
    expect([...last.values()]).toEqual(Array(100).fill(2));
    expect((await there(night(4))).stderr).toMatch(/nothing|unchanged/i);
    expect(files().filter((name) => /journal|\.new|lock/.test(name))).toEqual([]);
  });

  it("two shards are merged", async () => {
    const service = await heldService();
    const { there, records } = await placeOfPeople(30);
    const shards = await Promise.all(
      [1, 2].map((shard) =>
        there(`import people.csv --base-url ${service.url} --shard ${shard}/2`),
      ),
    );
    expect(shards.map(({ status }) => status)).toEqual([0, 0]);
    const merged = await there("merge people.*-of-2.results.csv --results all.results.csv");
    expect(merged).toMatchObject({ status: 0 });
    const rows = (await records("all.results.csv")).map((line) => line.import_row);
    expect(rows).toEqual(rows.map((_, at) => `${at + 1}`));
    expect(rows).toHaveLength(30);
  });

  it("files that a spreadsheet program has open stop a retry before it sends, or at its end", async () => {
    let isSlow = false;
    const service = await startService(async ({ body }) => {
      if (isSlow) await isOpened;
      return { status: body.includes('"age":1') ? 202 : 422 };
    });
    let opened = () => {};
    const isOpened = new Promise<void>((resolve) => {
      opened = resolve;
    });
    const { there, startThere, write, folder, read } = await placeOfPeople(2);
    write("people.csv", `${people(2)}p2@example.com,2\n`);
    const first = await there(`import people.csv --base-url ${service.url}`);
    expect(first.status).toBe(1);
    const sent = service.receipts.length;
    write("people.failed.csv", (await read("people.failed.csv")).replace(",2,", ",1,"));

    const close = await openInOtherProgram(folder, "people.failed.csv");
    const refused = await there("retry people.failed.csv");
    expect(refused).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("people.failed.csv is read-only, or open"),
    });
    expect(service.receipts).toHaveLength(sent);
    await close();

    isSlow = true;
    const retried = startThere("retry people.failed.csv");
    await service.received(sent + 1);
    const closeAgain = await openInOtherProgram(folder, "people.failed.csv");
    opened();
    expect(await retried.ended).toMatchObject({
      status: 3,
      stderr: expect.stringContaining(
        "people.failed.csv cannot be written: another program has it open, such as a spreadsheet program: close it there",
      ),
    });
    expect(await there("resume people.results.csv")).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("people.failed.csv cannot be written: another program"),
    });
    await closeAgain();
    expect(await there("resume people.results.csv")).toMatchObject({ status: 0 });
    expect(service.receipts).toHaveLength(sent + 1);
  });

  it("Ctrl-C drains what is in flight", async () => {
    const service = await heldService(20);
    const { folder, there } = await placeOfPeople(200);
    const { child, ended, output } = startInConsole(
      folder,
      `import people.csv --base-url ${service.url}`,
    );
    await service.received(21);
    child.stdin.write("\x03");
    await until(() => output().includes("Interrupted"));
    service.letGo();
    expect(await ended).toMatchObject({
      status: 130,
      output: expect.stringContaining("what was in flight is recorded"),
    });
    const resumed = await there("resume people.results.csv --json");
    expect(JSON.parse(resumed.stdout)).toMatchObject({ succeeded: 200, unanswered: 0 });
    expect(service.count()).toBe(200);
  });

  it("the token comes from a file of PowerShell's and from commands", async () => {
    const { url } = await sandboxUnderTest();
    const { there, write, folder } = await placeOfPeople(1);
    const text = "\ufeffany\r\n";
    writeFileSync(join(folder, "token.txt"), Buffer.from(text, "utf16le"));
    write("token.cmd", "@echo any\r\n");
    write("list.yaml", "token_command: [token]\n");
    let number = 0;
    const withToken = (...token: string[]) => {
      const results = `${++number}.results.csv`;
      return there(["import", "people.csv", "--base-url", url, "--results", results, ...token], {
        EVENTLOAD_TOKEN: "",
      });
    };
    expect((await withToken("--token-file", "token.txt")).status).toBe(0);
    expect((await withToken("--token-command", "token")).status).toBe(0);
    expect((await withToken("--token-command", "echo any")).status).toBe(0);
    expect(await withToken("--config", "list.yaml")).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("give the command as one text, not as a list"),
    });
  });

  it("names of outputs are those of files, and may be long", async () => {
    const { url } = await sandboxUnderTest();
    const { there, files } = await placeOfPeople(1);
    const to = (results: string) =>
      there(["import", "people.csv", "--base-url", url, "--results", results]);
    for (const name of ["q:1.results.csv", "nul.results.csv", "a?.results.csv"]) {
      expect((await to(name)).status).toBe(2);
    }
    expect(files()).toEqual(["people.csv", "people.yaml"]);
    const long = `${Array(4).fill("l".repeat(80)).join("\\")}\\people.results.csv`;
    expect((await to(long)).status).toBe(0);
    expect((await there(["status", long])).stdout).toContain("complete");
  });

  it("commands that are printed mean the same to cmd", async () => {
    const { folder, write } = await placeOfPeople(1);
    const said = "require('fs').writeFileSync('said', JSON.stringify(process.argv.slice(2)));\n";
    write("say.cjs", said);
    const words = [
      ...["out\\a.csv", "C:\\x\\y z.csv", "\\\\server\\share\\a.csv", "a;b,c=d", "(1)", "it's"],
      ...["a@b", "#1", "{date}", "~", "https://example.com:8443/x", "--x", "-", "10"],
    ];
    const line = words.map((word) => shellWord(word, "windows"));
    expect(line).not.toContain(undefined);
    // As npm makes one for each program.
    write("say.cmd", `@"${windowsPath(nodeExe)}" say.cjs %*\r\n`);
    await runCmd(folder, `say.cmd ${line.join(" ")}`).ended;
    expect(JSON.parse(readFileSync(join(folder, "said"), "utf8"))).toEqual(words);
  });

  it("the library imports", async () => {
    const { url } = await sandboxUnderTest();
    const { folder } = await placeOfPeople(3);
    const library = join(installed, "library.mjs");
    writeFileSync(
      library,
      `import { runImport } from "eventload";
      const [input, mapping, results] = ["people.csv", "people.yaml", "library.results.csv"];
      const summary = await runImport({ input, mapping, results, baseUrl: ${JSON.stringify(url)}, token: "any" });
      console.log(summary.counts.succeeded, summary.exitReason);`,
    );
    const { status, stdout } = await startNode([windowsPath(library)], folder).ended;
    expect([status, stdout]).toEqual([0, "3 complete\n"]);
  });
});

describeOnWindows("on Windows, in a browser elsewhere", () => {
  describeInChromium("the page of a mapping", (openPage) => {
    it("changes the mapping", async () => {
      const { startThere, read } = await placeOfPeople(3);
      const map = startThere("map people.csv");
      await until(() => map.stdout().includes("\n"));
      const { page, noises } = await openPage(map.stdout().trim());
      const state = page.locator("#state[aria-busy=false]");
      await state.filter({ hasText: /3 ready\s*0 to fix/ }).waitFor();
      await page.getByLabel("Type of Email").selectOption("Whole number");
      await state.filter({ hasText: /0 ready\s*3 to fix/ }).waitFor();
      await page.getByRole("button", { name: /^Save$/ }).click();
      await page.locator("#said", { hasText: "Saved people.yaml" }).waitFor();
      expect(await read("people.yaml")).toMatch(/email: \{.*type: integer/);
      expect(noises).toEqual([]);
    });
  });
});

/** Runs a line as it is typed into cmd. Wine would quote it anew as an argument. */
function runCmd(folder: string, line: string) {
  writeFileSync(join(folder, "typed.cmd"), `@${line}\r\n`);
  const options = { cwd: folder, env: windowsEnv(), stdio: "ignore" } as const;
  const child = spawn("wine", ["cmd", "/c", "typed.cmd"], { ...options, detached: true });
  return { child, ended: once(child, "close") };
}

/** Opens a file as Excel does: others can read it, and neither write nor replace it. @returns what closes it */
async function openInOtherProgram(folder: string, name: string): Promise<() => Promise<void>> {
  const waiting = join(folder, "wait.cjs");
  writeFileSync(
    waiting,
    "require('fs').writeFileSync('opened', ''); setInterval(() => {}, 1000);\n",
  );
  const { child, ended } = runCmd(folder, `"${windowsPath(nodeExe)}" wait.cjs < ${name}`);
  const close = async () => {
    process.kill(-(child.pid ?? 0), "SIGKILL");
    await ended;
    rmSync(join(folder, "opened"), { force: true });
  };
  onTestFinished(() => void (child.exitCode ?? child.signalCode ?? close()));
  await until(() => existsSync(join(folder, "opened")));
  return close;
}

/** Starts eventload in a console, where its standard input is a keyboard. */
function startInConsole(folder: string, line: string) {
  const command = `wine ${nodeExe} --import file:///Z:${preload} ${program} ${line}`;
  const child = spawn("script", ["--quiet", "--return", "--command", command, "/dev/null"], {
    cwd: folder,
    env: { ...windowsEnv(), EVENTLOAD_TOKEN: "any" },
    stdio: ["pipe", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.on("data", (text) => {
    output += text;
  });
  onTestFinished(() => void child.kill());
  const ended = once(child, "close").then(([status]) => ({ status, output }));
  return { child, ended, output: () => output };
}
