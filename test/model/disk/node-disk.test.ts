import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import {
  chmod,
  type FileHandle,
  open,
  readdir,
  readFile,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { writeAtomically } from "../../../src/model/disk/atomic-file.ts";
import { type Disk, writeWhole } from "../../../src/model/disk/disk.ts";
import { nodeDisk } from "../../../src/model/disk/node-disk.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

/** What the system is asked to sync while a function runs, and whether the file had its name by then. */
async function syncsOf(path: string, act: () => Promise<unknown>): Promise<string[]> {
  const handle = await open(".", "r");
  const prototype = Object.getPrototypeOf(handle) as FileHandle;
  await handle.close();
  const syncs: string[] = [];
  for (const name of ["sync", "datasync"] as const) {
    const real = prototype[name];
    const spy = vi.spyOn(prototype, name).mockImplementation(async function (this: FileHandle) {
      const what = (await this.stat()).isDirectory() ? "folder" : "file";
      syncs.push(`${what} ${existsSync(path) ? "after" : "before"} its name`);
      return real.call(this);
    });
    onTestFinished(() => spy.mockRestore());
  }
  await act();
  return syncs;
}

const bothInOrder = ["file before its name", "folder after its name"];

test("a whole file is synced before it has its name, and then the name", async () => {
  const path = join(await temporaryFolder(), "a.txt");
  expect(await syncsOf(path, () => writeAtomically(path, "new"))).toEqual(bothInOrder);
  expect(await readFile(path, "utf8")).toBe("new");
});

test("a whole file is there with all its bytes, however few are written at a time", async () => {
  const path = join(await temporaryFolder(), "a.txt");
  const slow: Disk = {
    ...nodeDisk,
    async createTemporary(name) {
      const made = await nodeDisk.createTemporary(name);
      const write = made.file.write.bind(made.file);
      return { ...made, file: { ...made.file, write: (b, at) => write(b.subarray(0, 3), at) } };
    },
  };
  await writeWhole(slow, path, [Buffer.from("a long text")]);
  expect(await readFile(path, "utf8")).toBe("a long text");
});

test("a new file is its owner's alone, and never another one or where a link leads", async () => {
  const folder = await temporaryFolder();
  const path = join(folder, "a.txt");
  const file = await nodeDisk.create(path);
  onTestFinished(() => file.close());
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  await expect(nodeDisk.create(path)).rejects.toMatchObject({ code: "EEXIST" });
  await symlink("a.txt", join(folder, "link"));
  await expect(nodeDisk.open(join(folder, "link"))).rejects.toMatchObject({ code: "ELOOP" });
  expect(await readdir(folder)).toEqual(["a.txt", "link"]);
});

test("a file knows when another has its name", async () => {
  const folder = await temporaryFolder();
  const [path, other] = [join(folder, "a.txt"), join(folder, "b.txt")];
  const file = await nodeDisk.create(path);
  onTestFinished(() => file.close());
  expect(await file.lengthAt(path)).toBe(0);
  await writeWhole(nodeDisk, other, [Buffer.from("other")]);
  await nodeDisk.rename(other, path);
  expect(await file.lengthAt(path)).toBe("taken_over");
  await nodeDisk.remove(path);
  expect(await file.lengthAt(path)).toBe("gone");
});

test.skipIf(process.getuid?.() !== 0)(
  "what another user has in a folder for all is not removed, and that is said",
  async () => {
    const folder = await temporaryFolder();
    await chmod(folder, 0o1777);
    await writeFile(join(folder, "theirs"), "");
    const built = (name: string) =>
      JSON.stringify(new URL(`../../../build/model/${name}`, import.meta.url));
    const code = `
      import { nodeDisk } from ${built("disk/node-disk.js")};
      import { reasonOf } from ${built("errors.js")};
      await nodeDisk.remove(process.argv[1] + "/nothing");
      await nodeDisk.remove(process.argv[1] + "/theirs").catch((error) => console.log(reasonOf(error)));`;
    const args = ["--input-type=module", "-e", code, folder];
    const user = { uid: 12_345, gid: 12_345, encoding: "utf8" } as const;
    const { stdout, stderr } = spawnSync(process.execPath, args, user);
    expect(stderr + stdout).toMatch(/^not permitted, as where it belongs to another user/);
  },
);
