import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { readRecord, sandboxUnderTest, temporaryPath } from "../sandbox/sandbox-under-test.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { scenario } from "./scenario.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const example = (path: string) => readFileSync(join(root, "examples", path), "utf8");
const table = example("cron/crontab");
const units = ["people.service", "people.timer"].map((name) => example(`systemd/${name}`));

/** The command of a line of an example, as a shell is to run it. */
function commandOf(line: RegExp): string {
  const [, command] = line.exec([table, ...units].join("\n")) ?? [];
  if (command === undefined) throw new Error(`no example has a line like ${line}`);
  return command;
}

/** The folder of examples/cron, its service, and a shell that is told which night it is. */
async function nights() {
  const record = await temporaryPath("received.jsonl");
  const service = await sandboxUnderTest({ token: "token-of-the-night", recordFile: record });
  const { folder, read } = await scenario("readme");
  const write = (file: string, text: string) => writeFileSync(join(folder, file), text);
  const configuration = example("cron/eventload.yaml");
  write("eventload.yaml", configuration.replace("https://example.com", service.url));
  for (const token of ["token", "people.token"]) {
    write(token, "token-of-the-night\n");
    chmodSync(join(folder, token), 0o600);
  }
  mkdirSync(join(folder, "bin"));
  symlinkSync(process.execPath, join(folder, "bin/node"));
  // npm makes what it installs executable; the build does not.
  const started = `#!/bin/sh\nexec node "${join(root, "dist/cli/bin.js")}" "$@"\n`;
  writeFileSync(join(folder, "bin/eventload"), started, { mode: 0o755 });
  write(
    "bin/night.mjs",
    `const RealDate = Date;
const shiftMs = Number(process.env.NIGHT ?? 0) * 86_400_000;
globalThis.Date = class extends RealDate {
  constructor(...args) {
    super(...(args.length === 0 ? [RealDate.now() + shiftMs] : args));
  }
};
`,
  );

  // No more than cron gives, and what its table says.
  const surroundings = (night: number) => ({
    cwd: folder,
    env: {
      ...{ HOME: folder, LOGNAME: "people", SHELL: "/bin/sh", CREDENTIALS_DIRECTORY: folder },
      PATH: scriptOf(commandOf(/^PATH=(.*)$/m)),
      ...{ NIGHT: String(night), NODE_OPTIONS: `--import "${folder}/bin/night.mjs"` },
    },
  });
  const scriptOf = (command: string) =>
    command
      .replaceAll("/srv/people", folder)
      .replaceAll("/var/lib/node_exporter", folder)
      .replaceAll("/usr/local/bin", join(folder, "bin"));
  const run = (command: string, night = 0) =>
    promisify(execFile)("sh", ["-c", scriptOf(command)], surroundings(night)).then(
      ({ stderr }) => ({ status: 0, stderr }),
      ({ code, stderr }: { code: number; stderr: string }) => ({ status: code, stderr }),
    );
  /** Kills it as soon as something of it has arrived. */
  const kill = async (command: string, night: number) => {
    const before = service.counts().requests;
    const options = { ...surroundings(night), detached: true, stdio: "ignore" } as const;
    const child = spawn("sh", ["-c", scriptOf(command)], options);
    const ended = once(child, "exit");
    while (service.counts().requests === before) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    process.kill(-(child.pid ?? 0), "SIGKILL");
    await ended;
  };
  let seen = 0;
  /** Who was sent since it was asked the last time. */
  const sent = async () => {
    const all = await readRecord(record);
    const since = all.slice(seen).map(({ body }) => String(body.email));
    seen = all.length;
    return since.toSorted();
  };
  const files = () =>
    readdirSync(join(folder, "out")).map((name) => name.replaceAll(/\d{4}-\d\d-\d\d/g, "<date>"));
  return { folder, service, run, kill, sent, write, files, read };
}

const crontab = {
  import: () => commandOf(/^15 3 \* \* \* {2}(.*)$/m),
  tidy: () => commandOf(/^45 4 \* \* \* {2}(.*)$/m),
};

it("what the examples give to cron and to systemd does what they say", async () => {
  const { folder, service, run, files } = await nights();
  const first = await run(crontab.import());
  expect(first.status).toBe(1);
  expect(first.stderr.replaceAll(/\d{4}-\d\d-\d\d/g, "<date>").split("\n")).toEqual([
    "warning: there are no results out/people.*.results.csv yet, so no row is skipped because of them.",
    "eventload: 1 of 4 events did not succeed (1 invalid): see out/people.<date>.failed.csv",
    "Next: fix out/people.<date>.failed.csv, then type: eventload retry out/people.<date>.failed.csv",
    "",
  ]);
  expect(files()).toEqual([
    "people.<date>.failed.csv",
    "people.<date>.results.csv",
    "people.<date>.run.json",
  ]);
  // What is not old enough stays.
  expect(await run(crontab.tidy())).toMatchObject({ status: 0 });
  expect(files().length).toBe(3);
  await run(`rm -r ${join(folder, "out")}`);
  // The service needs no configuration file.
  await run(`rm ${join(folder, "eventload.yaml")}`);
  const address = commandOf(/^Environment=(.*)$/m).replace("https://example.com", service.url);
  const started = `env ${address} ${commandOf(/^ExecStart=(.*)$/m)}`;
  expect(await run(started)).toMatchObject({ status: 1 });
  expect(files().length).toBe(3);
  expect(service.counts().requests).toBe(4);
});

it("no line of the crontab is cut off at a percent sign", () => {
  const lines = table.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  expect(lines).toContain(`15 3 * * *  ${crontab.import()}`);
  for (const line of lines) {
    expect(line).toMatch(/^([A-Z]+=\S+|(\d+ ){2}\* \* \* {2}\S.*)$/);
    expect(line).not.toMatch(/(?<!\\)%/);
  }
});

const analyze = ["/usr/bin/systemd-analyze", "/bin/systemd-analyze"].find(existsSync);

it.skipIf(analyze === undefined)(
  `the units of examples/systemd are sound to systemd${analyze === undefined ? " (skipped: no systemd-analyze)" : ""}`,
  async () => {
    const folder = await temporaryFolder();
    const paths = units.map((text, at) => {
      const path = join(folder, at === 0 ? "people.service" : "people.timer");
      // It has to be there.
      writeFileSync(path, text.replaceAll("/usr/local/bin/eventload", process.execPath));
      return path;
    });
    // What it does not know it ignores, with a sentence and without a status.
    const verify = ["verify", "--man=no", ...paths];
    expect(await promisify(execFile)(analyze ?? "", verify)).toEqual({ stdout: "", stderr: "" });
    const [, when = ""] = /^OnCalendar=(.*)$/m.exec(units[1] ?? "") ?? [];
    const { stdout } = await promisify(execFile)(analyze ?? "", ["calendar", when]);
    expect(stdout).toContain("03:15:00");
  },
);

it("the crontab of the example sends each night what has changed, and goes on where a night was killed", async () => {
  const { folder, run, kill, sent, write, files, read } = await nights();
  const header = "Email,First Name,Last Name,Age,Plan,Zip,Status\n";
  const person = (name: string, plan: string, age = "30") =>
    `${name}@x,${name},X,${age},${plan},1,active\n`;
  const people = (...all: Parameters<typeof person>[]) =>
    write("people.csv", header + all.map((one) => person(...one)).join(""));

  people(["ada", "P"], ["bob", "F"], ["cyd", "F"]);
  expect(await run(crontab.import(), 0)).toMatchObject({ status: 0 });
  expect(await sent()).toEqual(["ada@x", "bob@x", "cyd@x"]);

  people(["ada", "F"], ["bob", "F"], ["cyd", "F"], ["dan", "P"]);
  expect(await run(crontab.import(), 1)).toEqual({ status: 0, stderr: "" });
  expect(await sent()).toEqual(["ada@x", "dan@x"]);

  // Back to what it was two nights before: only the last night tells what the service has.
  people(["ada", "P"], ["bob", "F"], ["cyd", "F", "old"], ["dan", "P"]);
  expect(await run(crontab.import(), 2)).toMatchObject({ status: 1 });
  expect(await sent()).toEqual(["ada@x"]);
  const failed = readdirSync(join(folder, "out")).find((name) => name.includes(".failed."));
  write(`out/${failed}`, (await read(`out/${failed}`)).replace(",old,", ",31,"));
  expect(await run(`/usr/local/bin/eventload retry out/${failed} --quiet`, 2)).toMatchObject({
    status: 0,
  });
  expect(await sent()).toEqual(["cyd@x"]);

  // What was retried is known the night after, and a killed night is resumed the next.
  people(["ada", "P"], ["bob", "P"], ["cyd", "F", "31"], ["dan", "F"], ["eve", "P"]);
  await kill(`${crontab.import()} --rate 1/s`, 3);
  expect(await run(crontab.import(), 4)).toEqual({ status: 0, stderr: "" });
  expect(new Set(await sent())).toEqual(new Set(["bob@x", "dan@x", "eve@x"]));
  expect(await run(crontab.import(), 4)).toEqual({ status: 0, stderr: "" });
  expect(await sent()).toEqual([]);
  expect(files().filter((name) => name.endsWith(".results.csv")).length).toBe(6);
  expect(await read("people.prom")).toContain('eventload_last_exit_status{run="people"} 0');
});
