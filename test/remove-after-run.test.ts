import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";

const remover = fileURLToPath(new URL("./remove-after-run.mjs", import.meta.url));

it.runIf(existsSync("/proc/self/environ"))(
  "what a killed run has started ends, and its files are removed",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "killed-run-"));
    const env = { HOME: join(folder, "home") };
    mkdirSync(env.HOME);
    const script = `
      const { spawn } = require("node:child_process");
      spawn(process.execPath, [${JSON.stringify(remover)}, ${JSON.stringify(folder)}], {
        stdio: ["pipe", "ignore", "inherit"],
        detached: true,
      });
      const child = spawn("sleep", ["600"], { detached: true, stdio: "ignore" });
      console.log(child.pid);
      setInterval(() => {}, 1000);`;
    const run = spawn(process.execPath, ["-e", script], {
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const pid = Number(await once(run.stdout.setEncoding("utf8"), "data"));
    // What has ended and is not yet taken note of has no command line.
    const isRunning = () => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8") !== "";
      } catch {
        return false;
      }
    };
    onTestFinished(() => {
      if (isRunning()) process.kill(pid);
    });
    expect(isRunning()).toBe(true);
    run.kill("SIGKILL");
    await expect.poll(() => existsSync(folder) || isRunning(), { timeout: 10_000 }).toBe(false);
  },
);
