import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { acquireLock, type Lock } from "../../src/journal/lock.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const built = new URL("../../build/journal/lock.js", import.meta.url).href;
const name = "people.run.json";
const isRoot = process.getuid?.() === 0;

async function held(lock: Promise<Lock | undefined>): Promise<boolean> {
  const taken = await lock;
  await taken?.release();
  return taken === undefined;
}

/** Takes a lock in another process, and keeps it until the test ends. */
async function heldElsewhere(path: string, more = {}) {
  const code = `
    import { acquireLock } from ${JSON.stringify(built)};
    const lock = await acquireLock(process.argv[1], process.env.ELSEWHERE);
    console.log(lock === undefined ? "refused" : "held");
    if (lock !== undefined) setInterval(() => {}, 1000);`;
  const args = ["--input-type=module", "-e", code, path];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"], ...more });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  let said = "";
  child.stderr.on("data", (text) => {
    said += text;
  });
  await Promise.race([
    once(child.stdout, "data").then(([text]) => (said += text)),
    once(child, "close"),
  ]);
  return { child, said: said.trim() };
}

test("one name of a folder has one lock, whatever the folder is called, and another name another", async () => {
  const folder = await temporaryFolder();
  await mkdir(join(folder, "real"));
  await symlink("real", join(folder, "link"));
  const lock = await acquireLock(join(folder, "link", name));
  expect(lock).toBeDefined();
  expect(await held(acquireLock(join(folder, "real", name)))).toBe(true);
  expect(await held(acquireLock(join(folder, "real", ".", name)))).toBe(true);
  expect(await held(acquireLock(join(folder, "real", "others.run.json")))).toBe(false);
  await lock?.release();
  expect(await held(acquireLock(join(folder, "real", name)))).toBe(false);
  expect(await readdir(join(folder, "real"))).toEqual([]);
});

test("of many that ask at once exactly one gets it", async () => {
  const folder = await temporaryFolder();
  for (let round = 0; round < 10; round++) {
    const asked = Array.from({ length: 8 }, () => acquireLock(join(folder, name)));
    const taken = (await Promise.all(asked)).filter((lock) => lock !== undefined);
    expect(taken).toHaveLength(1);
    await taken[0]?.release();
  }
  expect(await readdir(folder)).toEqual([]);
});

test("of many processes that find what a killed one has left exactly one gets it", async () => {
  const folder = await temporaryFolder();
  const first = await heldElsewhere(join(folder, name));
  expect(first.said).toBe("held");
  first.child.kill("SIGKILL");
  await once(first.child, "close");
  expect(await readdir(folder)).toHaveLength(1);
  const others = await Promise.all([1, 2, 3, 4].map(() => heldElsewhere(join(folder, name))));
  expect(others.map(({ said }) => said).sort()).toEqual(["held", "refused", "refused", "refused"]);
  expect(await readdir(folder)).toHaveLength(1);
});

test.skipIf(process.platform !== "linux")(
  "a process that is stopped keeps it, also where so many have asked that no more can",
  async () => {
    const folder = await temporaryFolder();
    const { child, said } = await heldElsewhere(join(folder, name));
    expect(said).toBe("held");
    child.kill("SIGSTOP");
    const [file = ""] = await readdir(folder);
    const asked: Socket[] = [];
    onTestFinished(() => {
      for (const socket of asked) socket.destroy();
    });
    const knock = async () => {
      const socket = connect(join(folder, file));
      asked.push(socket);
      await once(socket, "connect");
    };
    const full = (async () => {
      for (let more = 0; more < 10_000; more++) await knock();
    })();
    await expect(full).rejects.toMatchObject({ code: "EAGAIN" });
    expect(await held(acquireLock(join(folder, name)))).toBe(true);
    expect(await readdir(folder)).toEqual([file]);
  },
);

test.skipIf(!isRoot)("another user can neither block it nor see through it", async () => {
  const folder = await temporaryFolder();
  await chmod(folder, 0o1777);
  const other = { uid: 12_345, gid: 12_345 };
  const theirs = await heldElsewhere(join(folder, name), other);
  expect(theirs.said).toBe("held");
  // Who may write there, but owns neither the folder nor the run, has no say in it.
  const ours = await acquireLock(join(folder, name));
  expect(ours).toBeDefined();
  // They see that of the folder's owner.
  theirs.child.kill("SIGKILL");
  expect((await heldElsewhere(join(folder, name), other)).said).toBe("refused");
  await ours?.release();
});

test.skipIf(!isRoot)("a folder that cannot be written is said, and no other is taken", async () => {
  const folder = await temporaryFolder();
  const elsewhere = join(folder, "elsewhere");
  await mkdir(elsewhere);
  await chmod(elsewhere, 0o777);
  await chmod(folder, 0o755);
  const env = { ...process.env, ELSEWHERE: elsewhere };
  const { said } = await heldElsewhere(join(folder, name), { uid: 12_345, gid: 12_345, env });
  expect(said).toContain("cannot be written: permission denied");
});

test("where the folder takes no sockets it is in a folder of the user's own", async ({ skip }) => {
  const folder = await temporaryFolder();
  const mine = join(folder, "state", "eventload");
  // It takes no files at all, and says so to root as such file systems do.
  const refusing = "/sys";
  const lock = await acquireLock(join(refusing, name), mine).catch(() => skip("not as root"));
  expect(lock).toBeDefined();
  expect(await readdir(mine)).toHaveLength(1);
  expect(await held(acquireLock(join(refusing, name), mine))).toBe(true);
  expect(await held(acquireLock(join(refusing, "others.run.json"), mine))).toBe(false);
  await lock?.release();
  expect(await readdir(mine)).toEqual([]);
});

test("a folder of a very long name is no hindrance", async () => {
  const folder = join(await temporaryFolder(), ...Array(10).fill("a".repeat(100)));
  await mkdir(folder, { recursive: true });
  const path = join(folder, `${"n".repeat(240)}.run.json`);
  const lock = await acquireLock(path, "/nowhere");
  expect(await held(acquireLock(path, "/nowhere"))).toBe(true);
  await lock?.release();
});

test("what is left in the folder answers nobody, and holds nothing back", async () => {
  const folder = await temporaryFolder();
  const first = await acquireLock(join(folder, name));
  const [file = ""] = await readdir(folder);
  const socket = connect(join(folder, file));
  await once(socket, "close");
  await first?.release();
  await writeFile(join(folder, file), "");
  expect(await held(acquireLock(join(folder, name)))).toBe(false);
  expect(await readdir(folder)).toEqual([]);
});

test("what cannot be removed of it is a warning, and holds nothing back", async () => {
  const folder = await temporaryFolder();
  const lock = await acquireLock(join(folder, name));
  const [file = ""] = await readdir(folder);
  await rm(join(folder, file));
  await mkdir(join(folder, file));
  const warnings: string[] = [];
  await lock?.release((message) => warnings.push(message));
  expect(warnings).toEqual([expect.stringContaining(`The lock ${file} cannot be removed (`)]);
  expect(await held(acquireLock(join(folder, name)))).toBe(false);
});
