import {
  chmod,
  mkdir,
  readdir,
  readFile,
  rename,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sealOf, whyNotSealed } from "../../src/run/send/seal.ts";
import { temporaryFolder } from "../temporary-folder.ts";

async function place() {
  const folder = await temporaryFolder();
  const [state, path] = [join(folder, "new", "eventload"), join(folder, "people.run.json")];
  return { folder, state, path, key: join(state, "key") };
}

const content = {
  base_url: "https://example.com",
  counts: { b: 1, "1": 2 },
  mapping: { path: "x" },
};

describe("the key", () => {
  test("is made at first use, for its owner only, and stays", async () => {
    const { state, path, key } = await place();
    const seal = await sealOf(path, content, state);
    expect((await stat(key)).mode & 0o777).toBe(0o600);
    expect((await stat(state)).mode & 0o777).toBe(0o700);
    expect(await readFile(key, "utf8")).toMatch(/^[0-9a-f]{64}\n$/);
    expect(await readdir(state)).toEqual(["key"]);
    expect(await sealOf(path, content, state)).toBe(seal);
    expect(seal).not.toBe(await sealOf(path, content, (await place()).state));
  });

  test("is one, however many come first at the same time", async () => {
    const { state, path } = await place();
    const seals = await Promise.all(Array.from({ length: 20 }, () => sealOf(path, content, state)));
    expect(new Set(seals).size).toBe(1);
    expect(await readdir(state)).toEqual(["key"]);
  });

  test("is never written through a link", async () => {
    const { folder, state, path, key } = await place();
    await mkdir(state, { recursive: true });
    const theirs = join(folder, "precious");
    await symlink(theirs, key);
    await expect(sealOf(path, content, state)).rejects.toThrow();
    await expect(stat(theirs)).rejects.toThrow("ENOENT");
  });

  test.skipIf(process.platform === "win32").each([
    ["readable by others", async (key: string) => chmod(key, 0o640), "others can read it"],
    ["in a folder of others", async (key: string) => chmod(join(key, ".."), 0o777), "chmod o-w"],
    ["that is none", async (key: string) => writeFile(key, "abc\n"), "it is no key; remove it"],
  ])("%s proves nothing", async (_, spoil, why) => {
    const { state, path, key } = await place();
    const seal = await sealOf(path, content, state);
    expect(await whyNotSealed(path, { ...content, seal }, state)).toBeUndefined();
    await spoil(key);
    expect(await whyNotSealed(path, { ...content, seal }, state)).toContain(why);
    await expect(sealOf(path, content, state)).rejects.toThrow(why);
  });

  test("that is not there yet is not made to look at a seal", async () => {
    const { state, path } = await place();
    expect(await whyNotSealed(path, { ...content, seal: "00" }, state)).toContain("no such file");
    await expect(stat(state)).rejects.toThrow("ENOENT");
  });
});

describe("a seal", () => {
  test("is of every word, and not of how it is laid out", async () => {
    const { state, path } = await place();
    const json = fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 });
    await fc.assert(
      fc.asyncProperty(json, fc.jsonValue(), fc.nat(), async (given, other, at) => {
        const { seal: _, ...content } = JSON.parse(JSON.stringify(given));
        const seal = await sealOf(path, content, state);
        const read = JSON.parse(JSON.stringify({ ...content, seal }, null, 2));
        expect(await whyNotSealed(path, read, state)).toBeUndefined();
        const keys = Object.keys(content);
        const key = keys[at % keys.length] ?? "new";
        fc.pre(JSON.stringify(content[key]) !== JSON.stringify(other));
        const edited = Object.defineProperty({ ...content, seal }, key, {
          ...{ value: other, enumerable: true },
        });
        expect(await whyNotSealed(path, edited, state)).toBe("its seal does not match");
      }),
      { numRuns: 50 },
    );
  });

  test.each([undefined, "", "00", 1, null])("that is %j is none", async (seal) => {
    const { state, path } = await place();
    await sealOf(path, content, state);
    const written = { ...content, seal } as object;
    expect(await whyNotSealed(path, written, state)).toMatch(/^it has no seal|does not match$/);
  });

  test("counts for its place, by whatever way that is reached", async () => {
    const { folder, state } = await place();
    const at = (...names: string[]) => join(folder, ...names);
    await mkdir(at("out"));
    const seal = await sealOf(at("out", "a.run.json"), content, state);
    const sealed = { ...content, seal };
    await symlink(at("out"), at("link"));
    expect(await whyNotSealed(at("link", "a.run.json"), sealed, state)).toBeUndefined();
    expect(await whyNotSealed(at("out", "b.run.json"), sealed, state)).toContain("does not match");
    await rename(at("out"), at("elsewhere"));
    expect(await whyNotSealed(at("elsewhere", "a.run.json"), sealed, state)).toContain(
      "does not match",
    );
  });
});
