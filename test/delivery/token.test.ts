import { spawnSync } from "node:child_process";
import { getEventListeners } from "node:events";
import { chmod, chown, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { readToken } from "../../src/delivery/http/token.ts";
import { createFakeClock } from "../fake-clock.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { refusalOf } from "./refusal-of.ts";

function valueToken(value: string) {
  return readToken({ kind: "value", value, from: "EVENTLOAD_TOKEN" });
}

async function tokenFile(text: string | Buffer): Promise<string> {
  const path = join(await temporaryFolder(), "token");
  await writeFile(path, text);
  return path;
}

describe("comes from", () => {
  test.each(["abc\n", "abc\r\n", "  abc  \n\n", "\ufeffabc"])("a file with %j", async (text) => {
    const token = await readToken({ kind: "file", path: await tokenFile(text) });
    expect(token.authorization).toBe("Bearer abc");
  });

  test("a file that PowerShell wrote, in UTF-16", async () => {
    const path = await tokenFile(Buffer.from("\ufeffabc\r\n", "utf16le"));
    expect((await readToken({ kind: "file", path })).authorization).toBe("Bearer abc");
  });

  test.each<[string | string[], string]>([
    ["printf 'ab'; echo c; echo no >&2", "abc"],
    // Without a shell, if it is a list.
    [["printf", "%s%s", "a$HOME;", "`b`"], "a$HOME;`b`"],
  ])("the command %j", async (command, token) => {
    const { authorization } = await readToken({ kind: "command", command });
    expect(authorization).toBe(`Bearer ${token}`);
  });
});

describe.skipIf(process.platform === "win32")("a file that others can read", () => {
  test.each(["644", "604", "777", "600", "400", "700", "611"])("has mode %s", async (mode) => {
    const path = await tokenFile("abc");
    await chmod(path, Number.parseInt(mode, 8));
    const warnings: string[] = [];
    const warn = (message: string) => warnings.push(message);
    await readToken({ kind: "file", path }, undefined, { warn });
    const warning = `Others can read the token in ${path} (mode ${mode}): run chmod 600 ${path}`;
    expect(warnings).toEqual(/[4-7]/.test(mode.slice(1)) ? [warning] : []);
  });

  // As Kubernetes mounts a secret: of root, and of a group that the process is in.
  test.skipIf(process.getuid?.() !== 0).each([
    ["440", ""],
    ["640", ""],
    ["444", "(mode 444): whoever mounts or owns it can change that"],
  ])("and that is another user's has mode %s", async (mode, said) => {
    const path = await tokenFile("abc");
    await chmod(path, Number.parseInt(mode, 8));
    await chmod(dirname(path), 0o755);
    await chown(path, 0, 12_345);
    const code = `
      import { readToken } from ${JSON.stringify(new URL("../../build/delivery/http/token.js", import.meta.url).href)};
      await readToken({ kind: "file", path: process.argv[1] }, undefined, { warn: console.log });`;
    const args = ["--input-type=module", "-e", code, path];
    const user = { uid: 12_345, gid: 12_345, encoding: "utf8" } as const;
    const { stdout, stderr } = spawnSync(process.execPath, args, user);
    expect(stderr).toBe("");
    expect(stdout.trim()).toBe(said === "" ? "" : `Others can read the token in ${path} ${said}`);
  });
});

describe("is refused", () => {
  test.each([
    ["", "it is blank"],
    [" \r\n\t", "it is blank"],
    ["abc\ndef", "it has more than one line"],
    ["Bearer abc", 'it begins with "Bearer": leave that out'],
    ["abc\r\nX-Evil: 1", "it has more than one line"],
    ["abc def", "it has a space or a character outside of ASCII"],
    ["abcé", "it has a space or a character outside of ASCII"],
    ["abc\u0000", "it has a space or a character outside of ASCII"],
  ])("%j", async (value, why) => {
    const { code, message } = await refusalOf(() => valueToken(value));
    expect(code).toBe("token_invalid");
    expect(message).toBe(`The token from EVENTLOAD_TOKEN cannot be used: ${why}.`);
  });

  test("from a file that is not there", async () => {
    const { code, message } = await refusalOf(() =>
      readToken({ kind: "file", path: "/nowhere/token" }),
    );
    expect(code).toBe("token_unavailable");
    expect(message).toContain("/nowhere/token: there is no such file");
  });

  test.each([
    ["printf secret; exit 3", "it ended with status 3"],
    ["kill -9 $$", "it was ended by SIGKILL"],
    ["true", "it is blank"],
    ["eventload-has-no-such-command", "it ended with status 127"],
    [[], "it is blank"],
    [["eventload-has-no-such-command", "secret"], "there is no such program"],
    [["/", "secret"], "permission denied"],
    [["sh", "-c", "echo secret; exit 3"], "it ended with status 3"],
    [["printf", "secret\\nopen"], "it has more than one line"],
  ])("from the command %j, without a word of what it said", async (command, why) => {
    const { message } = await refusalOf(() => readToken({ kind: "command", command }));
    expect(message).toContain(why);
    expect(message).not.toContain("secret");
  });
});

describe("a command that does not end", () => {
  const interrupted = { code: "interrupted", message: "Interrupted." } as const;

  test.each(["exec sleep 5", "sleep 5; echo abc", "trap '' TERM; sleep 2"])(
    "is interrupted: %s",
    async (command) => {
      const stop = new AbortController();
      const refused = refusalOf(() => readToken({ kind: "command", command }, stop.signal));
      stop.abort(interrupted);
      expect((await refused).message).toBe(
        "The token cannot be read from the token command: it was interrupted before it had ended.",
      );
    },
  );

  test.each([["sleep 5"], [["sleep", "5"]]])("is given up after a minute: %j", async (command) => {
    const clock = createFakeClock();
    const refused = refusalOf(() => readToken({ kind: "command", command }, undefined, { clock }));
    expect((await refused).message).toBe(
      "The token cannot be read from the token command: it did not end within 60 s.",
    );
    expect(clock.delays).toEqual([60_000]);
    expect(clock.waiting).toBe(0);
  });

  test("and prints without end is given up", async () => {
    const { message } = await refusalOf(() =>
      readToken({ kind: "command", command: ["yes", "sesame"] }),
    );
    expect(message).toContain("it prints more than a token");
    expect(message).not.toContain("sesame");
  });

  test("and is told so", async () => {
    const stop = new AbortController();
    const folder = await temporaryFolder();
    const [ready, told] = [join(folder, "ready"), join(folder, "told")];
    const command = `trap 'echo > ${told}; exit' TERM; echo > ${ready}; while :; do sleep 0.01; done`;
    const refused = refusalOf(() => readToken({ kind: "command", command }, stop.signal));
    await vi.waitFor(() => readFile(ready));
    stop.abort(interrupted);
    await refused;
    await vi.waitFor(() => readFile(told));
  });

  test("is not started where the run has stopped already", async () => {
    const stop = new AbortController();
    stop.abort(interrupted);
    const command = "sleep 5";
    const { message } = await refusalOf(() => readToken({ kind: "command", command }, stop.signal));
    expect(message).toContain("interrupted before it began");
  });

  test("leaves nothing behind when it does end", async () => {
    const stop = new AbortController();
    const clock = createFakeClock();
    clock.end(); // the time limit is never reached
    await readToken({ kind: "command", command: "echo abc" }, stop.signal, { clock });
    expect(getEventListeners(stop.signal, "abort")).toEqual([]);
    expect(clock.delays).toEqual([60_000]);
    expect(clock.waiting).toBe(0);
  });
});
