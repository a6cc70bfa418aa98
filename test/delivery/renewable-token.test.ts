import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { mask as tokenMask } from "../../src/delivery/http/redact.ts";
import { createRenewableToken } from "../../src/delivery/http/renewable-token.ts";
import { readToken } from "../../src/delivery/http/token.ts";
import type { TokenSource } from "../../src/model/token-source.ts";
import { createFakeClock } from "../fake-clock.ts";
import { temporaryFolder } from "../temporary-folder.ts";

/** A token from a file that can be written anew. */
async function keptInFile(first: string) {
  const path = join(await temporaryFolder(), "token");
  const write = (text: string) => writeFile(path, text, { mode: 0o600 });
  await write(first);
  return { path, write, ...(await keptFrom({ kind: "file", path })) };
}

async function keptFrom(source: TokenSource) {
  const stop = new AbortController();
  let renewals = 0;
  const first = await readToken(source);
  const clock = createFakeClock({ waitsForDisk: true });
  const token = createRenewableToken(first, source, { stop: stop.signal, clock }, () => {
    renewals++;
  });
  return { token, stop, clock, renewals: () => renewals };
}

describe("a token that the service takes no longer", () => {
  test("is read once for all that met it at the same time", async () => {
    const folder = await temporaryFolder();
    const runs = join(folder, "runs");
    const command = `echo x >> "${runs}"; echo token-$(wc -l < "${runs}" | tr -d " ")`;
    const { token, renewals } = await keptFrom({ kind: "command", command });
    expect(token.renewing).toBeUndefined();
    const asked = [token.renew(0), token.renew(0), token.renew(0)];
    expect(token.renewing).toBeInstanceOf(Promise);
    for (const renewal of await Promise.all(asked)) expect(renewal).toEqual({ kind: "renewed" });
    expect(token.renewing).toBeUndefined();
    expect(token.authorization).toBe("Bearer token-2");
    expect(token.generation).toBe(1);
    expect(renewals()).toBe(1);
  });

  test("is not read again for one that left before the last renewal", async () => {
    const { token, write, renewals } = await keptInFile("token-one");
    await write("token-two");
    await token.renew(0);
    await write("token-three");
    expect(await token.renew(0)).toEqual({ kind: "renewed" });
    expect(token.authorization).toBe("Bearer token-two");
    expect(renewals()).toBe(1);
  });
});

describe("one that is being replaced", () => {
  test.each([
    [0, []],
    [500, [1000]],
    [2500, [1000, 2000]],
    [7500, [1000, 2000, 5000]],
  ])("is found where it is there after %i ms", async (afterMs, waits) => {
    const { token, path, write, clock } = await keptInFile("token-one");
    await rm(path);
    if (afterMs === 0) await write("token-two");
    else clock.schedule(afterMs, () => void write("token-two"));
    const known = clock.delays.length;
    expect(await token.renew(0)).toEqual({ kind: "renewed" });
    expect(token.authorization).toBe("Bearer token-two");
    expect(clock.delays.slice(known)).toEqual(waits);
  });

  test("is looked for after 1, 2 and 5 s, and then no more", async () => {
    const runs = join(await temporaryFolder(), "runs");
    const command = `echo x >> "${runs}"; echo token-one`;
    const { token, clock } = await keptFrom({ kind: "command", command });
    expect(await token.renew(0)).toMatchObject({ kind: "no_other" });
    expect(clock.delays).toEqual([1000, 2000, 5000]);
    expect((await readFile(runs, "utf8")).length).toBe(2 * 5);
    expect(token.renewing).toBeUndefined();
  });

  test("is looked for no longer when the run stops", async () => {
    const { token, stop, clock } = await keptInFile("token-one");
    clock.schedule(1500, () => stop.abort({ code: "interrupted", message: "" }));
    expect(await token.renew(0)).toMatchObject({ kind: "no_other" });
    expect([clock.now(), clock.waiting]).toEqual([1500, 0]);
  });
});

describe("there is no other", () => {
  test("where the file or the command still gives the same", async () => {
    const { token, path, write, renewals } = await keptInFile("token-one");
    await write("  token-one\n");
    const why = `${path} still gives the same token.`;
    expect(await token.renew(0)).toEqual({ kind: "no_other", why });
    expect(token.generation).toBe(0);
    expect(renewals()).toBe(0);
    const fromCommand = await keptFrom({ kind: "command", command: ["echo", "token-one"] });
    expect(await fromCommand.token.renew(0)).toEqual({
      kind: "no_other",
      why: "The token command still gives the same token.",
    });
  });

  test("where it is gone, or spoilt: the sentence says so, and the old one stays", async () => {
    const { token, path, write } = await keptInFile("token-one");
    for (const spoil of [() => write("two words"), () => rm(path)]) {
      await spoil();
      const why = expect.stringContaining(path);
      expect(await token.renew(0)).toEqual({ kind: "no_other", why });
    }
    expect(token.authorization).toBe("Bearer token-one");
    expect(token.renewing).toBeUndefined();
    await write("token-two");
    expect(await token.renew(0)).toEqual({ kind: "renewed" });
  });
});

test("every token that was ever in use is taken out of texts", async () => {
  const { token, write } = await keptInFile("token-one");
  const { redact } = token;
  const told = () => redact("was token-one, is token-two, will be token-three");
  expect(told()).toBe(`was ${tokenMask}, is token-two, will be token-three`);
  await write("token-two");
  await token.renew(0);
  expect(told()).toBe(`was ${tokenMask}, is ${tokenMask}, will be token-three`);
  await write("token-three");
  await token.renew(1);
  expect(told()).toBe(`was ${tokenMask}, is ${tokenMask}, will be ${tokenMask}`);
  // Where a body is cut, what it ends with may be the beginning of any of them.
  for (const cut of ["token-on", "token-tw", "token-thr"]) {
    expect(redact(`see ${cut}`, true)).toBe(`see ${tokenMask}`);
    expect(redact(`see ${cut}`)).toBe(`see ${cut}`);
  }
});
