import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import {
  chmod,
  chown,
  lchown,
  mkdir,
  readdir,
  readFile,
  rename,
  symlink,
  writeFile,
} from "node:fs/promises";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { answer, startRawServer } from "../delivery/raw-server.ts";
import { authority, identity } from "../faults/make-certificate.ts";
import { sandboxUnderTest } from "../sandbox/sandbox-under-test.ts";
import { situation } from "./situation.ts";

const somebody = 54_321;

/** Three people, and a folder for the file that gives authority. */
async function people() {
  const place = await situation();
  const { path, write } = place;
  await mkdir(path("own"), { mode: 0o755 });
  const [http, https] = [
    await sandboxUnderTest(),
    await startRawServer(
      { onRequest: (socket) => socket.write(answer("202 Accepted")) },
      { certificate: identity },
    ),
  ];
  const mark = (name: string) => `import { writeFileSync } from "node:fs";
writeFileSync(${JSON.stringify(path(name))}, "");
export default () => ({ resource: "users", body: { event: "x" } });
`;
  let runs = 0;
  return {
    ...{ ...place, http, https, mark },
    /** Imports the people, each time to results of their own. */
    send: (more: string, env: Record<string, string> = {}, cwd = place.folder) => {
      const results = path(`out/${++runs}.results.csv`);
      const line = `import ${path("people.csv")} --results ${results} ${more}`;
      return place.run(line, { cwd, env });
    },
    configuration: (more = `token_command: [touch, ${path("ran")}]`) =>
      write("own/eventload.yaml", `base_url: ${http.url}\n${more}\n`),
    sent: () => http.counts().requests + https.seen.length,
    hasRun: () => existsSync(path("ran")),
  };
}

type People = Awaited<ReturnType<typeof people>>;

/** A kind of file that has to be the user's own: how one is made, and used. Its row in the docs begins like this. */
interface Kind {
  readonly row: string;
  readonly file: string;
  make(place: People): Promise<unknown>;
  use(place: People, file: string): ReturnType<People["send"]>;
}

const noToken = { EVENTLOAD_TOKEN: "" };
const inConfiguration = "`eventload.yaml` in the working directory, and the file of `--config`";
const yaml = ({ path }: People) => `--mapping ${path("people.yaml")}`;
const kinds: Record<string, Kind> = {
  "eventload.yaml of the working directory": {
    ...{ row: inConfiguration, file: "eventload.yaml" },
    make: (place) => place.configuration("concurrency: 4"),
    use: (place) => place.send(yaml(place), {}, place.path("own")),
  },
  "the file of --config": {
    ...{ row: inConfiguration, file: "eventload.yaml" },
    make: (place) => place.configuration(),
    use: (place, file) => place.send(`${yaml(place)} --config ${file}`, noToken),
  },
  "the file of EVENTLOAD_CONFIG": {
    ...{ row: inConfiguration, file: "eventload.yaml" },
    make: (place) => place.configuration(),
    use: (place, file) => place.send(yaml(place), { ...noToken, EVENTLOAD_CONFIG: file }),
  },
  "a module": {
    ...{ row: "a `.mjs` mapping", file: "people.mjs" },
    make: ({ write, mark }) => write("own/people.mjs", mark("ran")),
    use: (place, file) => place.send(`--mapping ${file} --base-url ${place.http.url}`),
  },
  "a folder of packages above a module": {
    ...{ row: "a `.mjs` mapping", file: "node_modules" },
    async make({ write, path, mark }) {
      await mkdir(path("own/node_modules/codes"), { recursive: true });
      await write("own/node_modules/codes/package.json", '{ "exports": "./index.mjs" }');
      await write("own/node_modules/codes/index.mjs", mark("ran"));
      await mkdir(path("own/below"));
      await write("own/below/people.mjs", 'export { default } from "codes";');
    },
    use: ({ send, path, http }) =>
      send(`--mapping ${path("own/below/people.mjs")} --base-url ${http.url}`),
  },
  "a package.json above a module": {
    ...{ row: "a `.mjs` mapping", file: "package.json" },
    async make({ write, path, mark }) {
      await mkdir(path("own/below"));
      await write("own/package.json", '{ "name": "codes", "exports": "./index.mjs" }');
      await write("own/index.mjs", mark("ran"));
      await write("own/below/people.mjs", 'export { default } from "codes";');
    },
    use: ({ send, path, http }) =>
      send(`--mapping ${path("own/below/people.mjs")} --base-url ${http.url}`),
  },
  "a package.json above a module behind a link": {
    ...{ row: "a `.mjs` mapping", file: "package.json" },
    async make(place) {
      await kinds["a package.json above a module"]?.make(place);
      await symlink(place.path("own/below"), place.path("maps"));
    },
    use: ({ send, path, http }) =>
      send(`--mapping ${path("maps/people.mjs")} --base-url ${http.url}`),
  },
  "a module that a target names": {
    ...{ row: "a `.mjs` mapping", file: "people.mjs" },
    async make({ write, mark, http }) {
      await write("own/people.mjs", mark("ran"));
      const target = `{ base_url: "${http.url}", mapping: ./own/people.mjs }`;
      await write("named.yaml", `targets: { t: ${target} }\n`);
    },
    use: ({ send, path }) => send(`--target t --config ${path("named.yaml")}`),
  },
  "the key of seals": {
    ...{ row: "the [key](design.md#manifest) of seals", file: "eventload/key" },
    async make({ write, path, send, http }) {
      await write("people.csv", "Email,First Name,Code\na@x,A,1\n,B,2\n");
      const more = `--mapping ${path("people.yaml")} --base-url ${http.url}`;
      await send(more, { XDG_STATE_HOME: path("own") });
      await write(
        "out/1.failed.csv",
        (await readFile(path("out/1.failed.csv"), "utf8")).replace(",B", "b@x,B"),
      );
    },
    use: ({ run, path }) =>
      run(`retry ${path("out/1.failed.csv")}`, { env: { XDG_STATE_HOME: path("own") } }),
  },
  "the state of nights": {
    ...{ row: "the state of [nights]", file: "people.state.jsonl" },
    async make({ write, read, path, send, http }) {
      const mapping = await read("people.yaml");
      await write("people.yaml", mapping.replace("event:", "ordering_key: [Email]\nevent:"));
      const night = `--base-url ${http.url} --state ${path("own/people.state.jsonl")}`;
      await send(`--mapping ${path("people.yaml")} ${night}`);
      await write("people.csv", (await read("people.csv")).replace("Ada", "Ida"));
    },
    use: (place, file) => place.send(`${yaml(place)} --base-url ${place.http.url} --state ${file}`),
  },
  "the journal of a state": {
    ...{ row: "the state of [nights]", file: "people.state.jsonl.journal.1" },
    async make(place) {
      await kinds["the state of nights"]?.make(place);
      await place.write("own/people.state.jsonl.journal.1", "");
    },
    use: (place) =>
      place.send(
        `${yaml(place)} --base-url ${place.http.url} --state ${place.path("own/people.state.jsonl")}`,
      ),
  },
  "a certificate file": {
    ...{ row: "a certificate file", file: "ca.pem" },
    make: ({ write }) => write("own/ca.pem", authority.cert),
    use: (place, file) =>
      place.send(`${yaml(place)} --base-url ${place.https.origin} --ca-file ${file}`),
  },
};

/** What somebody does to a file of this user in a folder of this user's. */
const attacks: Record<string, (file: string) => Promise<unknown>> = {
  "is somebody else's": (file) => chown(file, somebody, somebody),
  "is in a folder of somebody else": (file) => chown(dirname(file), somebody, somebody),
  async "is a link of somebody else, to a file of one's own"(file) {
    await rename(file, `${file}.moved`);
    await symlink(`${file}.moved`, file);
    await lchown(file, somebody, somebody);
  },
  "can be written by everybody": (file) => chmod(file, 0o702),
  "is in a folder that everybody can write": (file) => chmod(dirname(file), 0o777),
};

describe.skipIf(process.platform === "win32")("a file that gives authority", () => {
  const asRoot = process.getuid?.() === 0;
  const isForRoot = (attack: string) => !attack.includes("everybody");
  const possible = Object.keys(attacks).filter((attack) => asRoot || !isForRoot(attack));
  const cases = Object.keys(kinds).flatMap((kind) =>
    possible.map((attack) => [kind, attack] as const),
  );

  it.each(cases)("%s that %s: nothing runs, nothing is sent", async (kind, attack) => {
    const place = await people();
    const { make, use, file } = kinds[kind] as Kind;
    await make(place);
    const path = place.path(`own/${file}`);
    const before = place.sent();
    await attacks[attack]?.(path);
    const { status, stderr } = await use(place, path);
    expect(status).toBe(2);
    expect(stderr).toMatch(
      isForRoot(attack) ? /belongs to another user \(54321\)/ : /by everybody/,
    );
    expect(place.hasRun()).toBe(false);
    expect(place.sent()).toBe(before);
  });

  it.skipIf(!asRoot)("a first night makes no state in a folder of somebody else", async () => {
    const place = await people();
    const { path, write, read, send, http } = place;
    await write(
      "people.yaml",
      (await read("people.yaml")).replace("event:", "ordering_key: [Email]\nevent:"),
    );
    await chown(path("own"), somebody, somebody);
    const { status, stderr } = await send(
      `${yaml(place)} --base-url ${http.url} --state ${path("own/people.state.jsonl")}`,
    );
    expect([status, stderr]).toEqual([
      2,
      expect.stringContaining("belongs to another user (54321)"),
    ]);
    expect(place.sent()).toBe(0);
  });

  it.each(Object.keys(kinds))("%s that a group can write is used", async (kind) => {
    const place = await people();
    const { make, use, file } = kinds[kind] as Kind;
    await make(place);
    const before = place.sent();
    const path = place.path(`own/${file}`);
    // Nobody else may read a key.
    if (!kind.includes("key")) await chmod(path, 0o775);
    await chmod(dirname(path), 0o2775);
    await use(place, path);
    expect(place.hasRun() || place.sent() > before).toBe(true);
  });

  it("has its row in the docs, and each row of the docs its test", async () => {
    const docs = await readFile(
      new URL("../../docs/token-and-network.md", import.meta.url),
      "utf8",
    );
    const [, table = ""] = docs.split("| file | decides | believed |\n|---|---|---|\n");
    const [rows = ""] = table.split("\n\n");
    const tested = [...Object.values(kinds).map(({ row }) => row), ...elsewhere];
    const isTested = (row: string) => tested.some((one) => row.startsWith(`| ${one}`));
    expect(rows.split("\n").filter((row) => !isTested(row))).toEqual([]);
    expect(tested.filter((one) => !rows.includes(`| ${one}`))).toEqual([]);
  });
});

/** Rows of which other tests speak: further down, and of unsealed runs. */
const elsewhere = [
  ...["the program of a token command", "the token file", "the input, failed rows, results"],
  ...["the manifest and the journal of a run"],
];

describe("a module beside the input", () => {
  it.each(["check", "import --dry-run", "import", "map"])("is not run by %s", async (command) => {
    const { run, path, write, mark, hasRun, http } = await people();
    await rename(path("people.yaml"), path("other.yaml"));
    await write("people.mjs", mark("ran"));
    const [name = "", ...more] = command.split(" ");
    if (name === "map") {
      // It edits YAML alone.
      const { stderr } = await run(`map ${path("people.csv")} --mapping ${path("people.mjs")}`);
      expect(stderr).toContain("people.mjs is not a .yaml file");
    } else {
      const to = name === "import" ? ["--base-url", http.url] : [];
      const { status, stderr } = await run([name, path("people.csv"), ...more, ...to]);
      expect(status).toBe(2);
      const [typed = ""] = /--mapping \S+people\.mjs$/m.exec(stderr) ?? [];
      expect(stderr).toContain("people.mjs is a program, and runs only if you name it");
      expect(hasRun()).toBe(false);
      await run([name, path("people.csv"), ...more, ...to, ...typed.split(" ")]);
    }
    expect(hasRun()).toBe(name !== "map");
  });
});

describe("an eventload.yaml that nobody named", () => {
  const programs = {
    "a token command": (path: string) => `token_command: [touch, ${path}]`,
    "the module of a mapping": () => "token_file: token\nmapping: people.mjs",
    "the module of a target": () =>
      "token_file: token\ntarget: t\ntargets: { t: { mapping: people.mjs } }",
  };

  it.each(Object.entries(programs))("runs no program: %s", async (what, lines) => {
    const place = await people();
    const { path, write, mark, configuration, send, hasRun, http } = place;
    await configuration(lines(path("ran")));
    await write("own/people.mjs", mark("ran"));
    await write("own/token", "a-token");
    const more = what === "a token command" ? yaml(place) : "";
    const { status, stderr } = await send(more, noToken, path("own"));
    expect(status).toBe(2);
    expect(stderr).toMatch(/ runs a program, and nobody named eventload\.yaml/);
    expect({ hasRun: hasRun(), sent: http.counts().requests }).toEqual({ hasRun: false, sent: 0 });
    expect(stderr).toMatch(/--config eventload\.yaml$/m);
    await send(`${more} --config ${path("own/eventload.yaml")}`, noToken, path("own"));
    expect(hasRun()).toBe(true);
  });

  const outside = {
    "a log": "log_file: ../new.log",
    "a report": "report: ../new.html",
    "a token file": "token_file: ../token",
    "a log behind a folder that is a link": "log_file: out/new.log",
    "a log that is a link": "log_file: dangling.log",
    "a log that is one once its name is filled in": 'log_file: "{input}.log"',
    "a report in such a folder": 'report: "sub{input}/new.html"',
    "a report in a folder that is made behind a link": "report: subpeople/made/new.html",
    "a log upwards from behind a link": "log_file: subpeople/../new.log",
    "a certificate that is a pipe": "ca_file: pipe",
  };

  it.each(Object.entries(outside))("names no file elsewhere: %s", async (_, line) => {
    const { path, write, configuration, send, http, folder } = await people();
    await configuration(line);
    await write("token", "a-token");
    await symlink("..", path("own/out"));
    await symlink("../new.log", path("own/dangling.log"));
    await symlink("../new.log", path("own/people.log"));
    await symlink("..", path("own/subpeople"));
    await promisify(execFile)("mkfifo", [path("own/pipe")]);
    const env = line.startsWith("token") ? noToken : {};
    const { status, stderr } = await send(`--mapping ${path("people.yaml")}`, env, path("own"));
    expect(status).toBe(2);
    expect(stderr).toMatch(
      / names a file outside its folder, or a link or pipe, and nobody named eventload\.yaml/,
    );
    expect(http.counts().requests).toBe(0);
    expect((await readdir(folder)).filter((name) => name.startsWith("new"))).toEqual([]);
  });

  it("has to be a file", async () => {
    const { path, send } = await people();
    await promisify(execFile)("mkfifo", [path("own/eventload.yaml")]);
    const { status, stderr } = await send(`--mapping ${path("people.yaml")}`, {}, path("own"));
    expect({ status, stderr }).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("no file"),
    });
  });

  it("allows no plain http, not even for a token that it names", async () => {
    const { path, write, send } = await people();
    await write("own/token", "a-token");
    await write(
      "own/eventload.yaml",
      "base_url: http://192.0.2.1\nallow_http: true\ntoken_file: token\n",
    );
    const { status, stderr } = await send(`--mapping ${path("people.yaml")}`, noToken, path("own"));
    expect(status).toBe(2);
    expect(stderr).toContain("allow_http counts only if --config names the file");
  });
});

it.each(["pipe", "link to a device"])(
  "a mapping beside the input that is a %s is not read",
  async (kind) => {
    const { path, run } = await people();
    await rename(path("people.yaml"), path("other.yaml"));
    if (kind === "pipe") await promisify(execFile)("mkfifo", [path("people.yaml")]);
    else await symlink("/dev/zero", path("people.yaml"));
    const { status, stderr } = await run(["check", path("people.csv")]);
    expect([status, stderr]).toEqual([2, expect.stringContaining("it is no file")]);
  },
);

it.skipIf(process.getuid?.() !== 0)("data are believed whoever wrote them", async () => {
  const { send, path, folder, http, write } = await people();
  await writeFile(path("token"), "the-token", { mode: 0o600 });
  await write(
    "people.yaml",
    `${await readFile(path("people.yaml"), "utf8")}  twice: { column: Code, lookup: { file: codes.csv, key: Code, value: Twice }, otherwise: x }\n`,
  );
  await write("codes.csv", "Code,Twice\n1,2\n");
  for (const name of await readdir(folder)) await chown(path(name), somebody, somebody);
  const { status, stderr } = await send(
    `--mapping ${path("people.yaml")} --base-url ${http.url} --token-file ${path("token")}`,
    noToken,
  );
  expect(stderr).toContain("Complete: 3 rows");
  expect(status).toBe(0);
});

it("paths in a configuration file that is a link are relative to the file", async () => {
  const place = await people();
  const { path, write, http } = place;
  await mkdir(path("work"));
  await symlink("../own/eventload.yaml", path("work/eventload.yaml"));
  await write(
    "own/eventload.yaml",
    `token_command: [./print]\nbase_url: ${http.url}\nmapping: people.mjs\n`,
  );
  for (const folder of ["work", "own"]) {
    await write(`${folder}/people.mjs`, place.mark(`ran-in-${folder}`));
    const script = `#!/bin/sh\ntouch ${path("printed-in")}-${folder}\necho token\n`;
    await writeFile(path(`${folder}/print`), script, { mode: 0o755 });
  }
  const named = `--config ${path("work/eventload.yaml")}`;
  expect(await place.send(named, noToken, path("work"))).toMatchObject({ status: 0 });
  const made = (await readdir(place.folder)).filter((name) => name.includes("-in-"));
  expect(made.toSorted()).toEqual(["printed-in-own", "ran-in-own"]);
});
