import { execFile } from "node:child_process";
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
import { sandboxUnderTest } from "../sandbox/sandbox-under-test.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { scenario } from "./scenario.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const example = (path: string) => readFileSync(join(root, "examples", path), "utf8");
const table = example("cron/crontab");
const unitNames = ["people.service", "people.timer", "people-failed.service"];
const units = unitNames.map((name) => example(`systemd/${name}`));

/** The command of a line of an example, as a shell is to run it. */
function commandOf(line: RegExp): string {
  const [, command] = line.exec([table, ...units].join("\n")) ?? [];
  if (command === undefined) throw new Error(`no example has a line like ${line}`);
  return command;
}

/** The folder of examples/cron, its service, and a shell. */
async function installed() {
  const service = await sandboxUnderTest({ token: "token-of-the-night" });
  const { folder } = await scenario("readme");
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

  // No more than cron gives, and what its table says.
  const surroundings = () => ({
    cwd: folder,
    env: {
      ...{ HOME: folder, LOGNAME: "people", SHELL: "/bin/sh", CREDENTIALS_DIRECTORY: folder },
      PATH: scriptOf(commandOf(/^PATH=(.*)$/m)),
    },
  });
  const scriptOf = (command: string) =>
    command
      .replaceAll("/srv/people", folder)
      .replaceAll("/var/lib/node_exporter", folder)
      .replaceAll("/usr/local/bin", join(folder, "bin"));
  const run = (command: string) =>
    promisify(execFile)("sh", ["-c", scriptOf(command)], surroundings()).then(
      ({ stderr }) => ({ status: 0, stderr }),
      ({ code, stderr }: { code: number; stderr: string }) => ({ status: code, stderr }),
    );
  const files = () => readdirSync(join(folder, "out")).map(withoutDates);
  return { folder, service, run, files };
}

function withoutDates(text: string): string {
  return text.replaceAll(/\d{4}-\d\d-\d\d\.\d{6}/g, "<date>");
}

const crontab = {
  import: () => commandOf(/^15 3 \* \* \* {2}(.*)$/m),
  tidy: () => commandOf(/^45 4 \* \* \* {2}(.*)$/m),
};

it("what the examples give to cron and to systemd does what they say", async () => {
  const { folder, service, run, files } = await installed();
  const first = await run(crontab.import());
  expect(first.status).toBe(1);
  for (const line of [
    "warning: people.state.jsonl does not exist: this is the first night, and every key is new to the service.",
    '1 × invalid: column "Age": "eighty" is not a whole number',
    "Next: fix out/people.<date>.failed.csv, then run: eventload retry out/people.<date>.failed.csv",
  ]) {
    expect(withoutDates(first.stderr)).toContain(`${line}\n`);
  }
  expect(files()).toEqual([
    "people.<date>.failed.csv",
    "people.<date>.results.csv",
    "people.<date>.run.json",
  ]);
  // What is not old enough stays.
  expect(await run(crontab.tidy())).toMatchObject({ status: 0 });
  expect(files().length).toBe(3);
  expect(service.counts().requests).toBe(2);
  // What the service has is not sent again, and what is old goes.
  await run(`rm -r ${join(folder, "out")}`);
  expect(await run(crontab.import())).toMatchObject({ status: 1 });
  expect(service.counts().requests).toBe(2);
  await run(
    `touch -d "40 days ago" ${join(folder, "out")}/* ${join(folder, "people.state.jsonl")}`,
  );
  expect(await run(crontab.tidy())).toMatchObject({ status: 0 });
  expect(files()).toEqual([]);
  await run(`rm ${join(folder, "people.state.jsonl")}`);
  // The service needs no configuration file.
  await run(`rm ${join(folder, "eventload.yaml")}`);
  const address = commandOf(/^Environment=(.*)$/m).replace("https://example.com", service.url);
  const started = `env ${address} ${commandOf(/^ExecStart=(.*)$/m).replaceAll("%%", "%")}`;
  expect(await run(started)).toMatchObject({ status: 1 });
  expect(files().length).toBe(3);
  expect(service.counts().requests).toBe(4);
  const stopPost = commandOf(/^ExecStopPost=-(.*)$/m);
  expect(await run(stopPost)).toMatchObject({ status: 0 });
  expect(files().length).toBe(3);
  await run(`touch -d "40 days ago" ${join(folder, "out")}/*`);
  expect(await run(stopPost)).toMatchObject({ status: 0 });
  expect(files()).toEqual([]);
});

it("the unit for a night that failed mails what the night said", async () => {
  const { folder, run } = await installed();
  const program = (name: string, text: string) =>
    writeFileSync(join(folder, "bin", name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  program("journalctl", 'echo "of $2"');
  program("mail", `{ echo "$2 to $3"; cat; } > ${join(folder, "mailed")}`);
  const command = commandOf(/^ExecStart=(\/bin\/sh .*)$/m);
  expect(await run(command)).toMatchObject({ status: 0 });
  expect(readFileSync(join(folder, "mailed"), "utf8")).toBe(
    "Import of people to someone@example.com\nof people.service\n",
  );
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
      const path = join(folder, unitNames[at] ?? "");
      // It has to be there.
      writeFileSync(path, text.replaceAll("/usr/local/bin/eventload", process.execPath));
      return path;
    });
    // What it does not know it ignores, with a sentence and without a status.
    const verify = ["verify", "--man=no", ...paths];
    expect(await promisify(execFile)(analyze ?? "", verify)).toEqual({ stdout: "", stderr: "" });
    expect(unitNames).toContain(/^OnFailure=(.*)$/m.exec(units[0] ?? "")?.[1]);
    const [, when = ""] = /^OnCalendar=(.*)$/m.exec(units[1] ?? "") ?? [];
    const { stdout } = await promisify(execFile)(analyze ?? "", ["calendar", when]);
    expect(stdout).toContain("03:15:00");
  },
);
