import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { copyFile, mkdir, symlink, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Job } from "kubernetes-types/batch/v1.d.ts";
import type { Container, PersistentVolumeClaim } from "kubernetes-types/core/v1.d.ts";
import { describe, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { homeAndPath } from "../cli/running-program.ts";
import { sandboxUnderTest } from "../sandbox/sandbox-under-test.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { scenario, testToken } from "./scenario.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const example = (name: string) =>
  parse(readFileSync(join(root, "examples/kubernetes", name), "utf8"));
const volume: PersistentVolumeClaim = example("volume.yaml");
const importJob: Job = example("import.yaml");
const mergeJob: Job = example("merge.yaml");

const podOf = (job: Job) => job.spec?.template.spec;
const containerOf = (job: Job) => podOf(job)?.containers[0] as Container;
const settingOf = (job: Job, name: string) =>
  containerOf(job).env?.find((setting) => setting.name === name);

describe("examples/kubernetes", () => {
  test("has the members of the published types, and no others", async () => {
    const folder = await temporaryFolder();
    await symlink(join(root, "node_modules"), join(folder, "node_modules"));
    const { spec } = importJob;
    const shown = {
      importJob: ["batch/v1", "Job", importJob],
      mergeJob: ["batch/v1", "Job", mergeJob],
      volume: ["core/v1", "PersistentVolumeClaim", volume],
      misspelt: ["batch/v1", "Job", { ...importJob, spec: { ...spec, backofLimitPerIndex: 3 } }],
    };
    for (const [name, [from, type, value]] of Object.entries(shown)) {
      const text = `import type { ${type} } from "kubernetes-types/${from}";
export const it: ${type} = ${JSON.stringify(value)};
`;
      await writeFile(join(folder, `${name}.ts`), text);
    }
    const files = Object.keys(shown).map((name) => `${name}.ts`);
    const { stdout } = await promisify(execFile)(
      join(root, "node_modules/.bin/tsc"),
      ["--noEmit", "--strict", "--ignoreConfig", "--types", "", ...files],
      { cwd: folder },
    ).catch((error: { stdout: string }) => error);
    expect(stdout.replaceAll(/\(.*?\)/g, "")).toBe(
      "misspelt.ts: error TS2353: Object literal may only specify known properties, " +
        `and '"backofLimitPerIndex"' does not exist in type 'JobSpec'.\n`,
    );
  });

  test("is of one piece: volumes, and the number of shards wherever it is", () => {
    const { completions, parallelism } = importJob.spec ?? {};
    expect(settingOf(importJob, "SHARDS")?.value).toBe(String(completions));
    expect(parallelism).toBe(completions);
    expect(containerOf(mergeJob).args?.join()).toContain(`*-of-${completions}.results.csv`);
    for (const job of [importJob, mergeJob]) {
      const named = podOf(job)?.volumes?.map(({ name }) => name);
      expect(containerOf(job).volumeMounts?.map(({ name }) => name)).toEqual(named);
      const [{ persistentVolumeClaim: claim } = {}] = podOf(job)?.volumes ?? [];
      expect(claim?.claimName).toBe(volume.metadata?.name);
      expect(containerOf(job).image).toBe(containerOf(importJob).image);
      expect(settingOf(job, "XDG_STATE_HOME")?.value).toBe("/data/state");
    }
  });

  test("runs as an Indexed Job would run it, and merges what one run writes", async () => {
    const service = await sandboxUnderTest({ latencyMs: 10 });
    const place = await scenario("ordering-key");
    const [data, mapping, bin] = ["data", "mapping", "bin"].map((name) => join(place.folder, name));
    for (const folder of [data, mapping, bin]) await mkdir(folder ?? "");
    await copyFile(join(place.folder, "steps.csv"), join(data ?? "", "people.csv"));
    await copyFile(join(place.folder, "steps.yaml"), join(mapping ?? "", "people.yaml"));
    const program = `#!/bin/sh\nexec "${process.execPath}" "${root}/dist/cli/bin.js" "$@"\n`;
    await writeFile(join(bin ?? "", "eventload"), program, { mode: 0o755 });
    let pods = 0;
    /** Starts the container of a Pod, with a home folder of its own. */
    const start = async (job: Job, set: Record<string, string> = {}) => {
      const { command: [shell = "", ...options] = [], args = [], env = [] } = containerOf(job);
      const inPlace = (text: string) =>
        text
          .replaceAll("/data", data ?? "")
          .replaceAll("/etc/eventload", mapping ?? "")
          .replaceAll("https://example.com", service.url);
      const home = join(place.folder, `home-${pods++}`);
      await mkdir(home);
      const settings = env.map(({ name, value, valueFrom }) => [
        name,
        valueFrom?.secretKeyRef?.key === "token" ? testToken : inPlace(value ?? ""),
      ]);
      const child = spawn(shell, [...options, ...args.map(inPlace)], {
        env: {
          ...Object.fromEntries(settings),
          ...set,
          ...{ HOME: home, PATH: `${bin}${delimiter}${homeAndPath().PATH}` },
        },
        stdio: ["ignore", "ignore", "pipe"],
      });
      onTestFinished(() => {
        child.kill("SIGKILL");
      });
      let stderr = "";
      child.stderr.setEncoding("utf8").on("data", (text) => {
        stderr += text;
      });
      return { child, ended: once(child, "close").then(([status]) => ({ status, stderr })) };
    };
    const index = (of: number) => ({ JOB_COMPLETION_INDEX: String(of) });
    const shards = importJob.spec?.completions ?? 0;

    // The first Pod is deleted while it sends: it drains and says so, and the next one resumes.
    const first = await start(importJob, index(0));
    while (service.counts().requests < 3) await new Promise((resolve) => setTimeout(resolve, 5));
    first.child.kill("SIGTERM");
    expect(await first.ended).toMatchObject({ status: 143 });
    const journal = join(data ?? "", `out/shards/people.1-of-${shards}.results.csv.journal.1`);
    expect(existsSync(journal)).toBe(true);
    const all = Array.from({ length: shards }, (_, of) => start(importJob, index(of)));
    for (const { ended } of await Promise.all(all)) {
      expect(await ended).toEqual({ status: 0, stderr: "" });
    }
    expect(existsSync(journal)).toBe(false);
    // No Pod was killed, so nothing was sent twice.
    expect(service.counts()).toMatchObject({ requests: 150, repeats: 0 });
    const { ended } = await start(mergeJob);
    expect(await ended).toMatchObject({
      status: 0,
      stderr: expect.stringContaining("Complete: 150 rows, 150 events by 4 shards in "),
    });
    // What an engine does not try again: without its number a Pod cannot start.
    expect(await (await start(importJob)).ended).toMatchObject({ status: 2 });
  });

  test("has a shard complete of which rows did not succeed", async () => {
    const { folder } = await scenario("plain");
    const program = join(folder, "eventload");
    const path = `${folder}${delimiter}${homeAndPath().PATH}`;
    const env = { PATH: path, SHARDS: "4", JOB_COMPLETION_INDEX: "0" };
    const { command: [shell = "", ...options] = [], args = [] } = containerOf(importJob);
    const run = async (status: number) => {
      await writeFile(program, `#!/bin/sh\nexit ${status}\n`, { mode: 0o755 });
      const [ended] = await once(spawn(shell, [...options, ...args], { env }), "exit");
      return ended;
    };
    const ends = [];
    for (const status of [0, 1, 2, 3, 137]) ends.push(await run(status));
    expect(ends).toEqual([0, 0, 2, 3, 137]);
    // The one that is not tried again.
    const [rule] = importJob.spec?.podFailurePolicy?.rules ?? [];
    expect(rule?.onExitCodes?.values).toEqual([2]);
  });
});
