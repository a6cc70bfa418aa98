import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { renderMetrics } from "../../../src/cli/terminal/metrics-file.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

const rules = fileURLToPath(new URL("../../../examples/prometheus/alerts.yml", import.meta.url));

const hasPromtool = spawnSync("promtool", ["--version"]).status === 0;
const why = hasPromtool ? "" : " (skipped: no promtool)";

type Measured = Parameters<typeof renderMetrics>[0];

/** The samples of a run as promtool takes them, the same for an hour of minutes. */
function seriesOf(run: Measured) {
  const samples = renderMetrics(run)
    .split("\n")
    .filter((line) => /^eventload_/.test(line));
  return samples.map((line) => {
    const at = line.lastIndexOf(" ");
    const series = line.slice(0, at).replace("{", '{instance="here",');
    return { series, values: `${line.slice(at + 1)}x60` };
  });
}

describe.skipIf(!hasPromtool)(`alerts${why}`, () => {
  const begun = { name: "people", startedAtSeconds: 0, labels: {} };
  const ended = (status: number) => ({ atSeconds: 0, status, reason: "", summary: undefined });
  const old = { last_exit_status: 1, last_end_timestamp_seconds: 0 };
  const hours = 3600;

  it.each<[what: string, run: Measured, writtenAtSeconds: number, wanted: string[]]>([
    ["a first run", begun, 0, []],
    ["a run after one that failed", { ...begun, last: old }, 0, []],
    ["a run of days", { ...begun, startedAtSeconds: -30 * hours }, 0, []],
    ["one that is complete", { ...begun, ended: ended(0) }, 0, []],
    ["one that failed", { ...begun, ended: ended(1) }, 0, ["ImportFailed"]],
    [
      "one that nobody calls any more",
      { ...begun, startedAtSeconds: -27 * hours, ended: ended(0) },
      0,
      ["ImportMissing"],
    ],
    ["one that was killed", begun, -600, ["ImportKilled"]],
  ])("of %s fire as they should", async (_, run, writtenAtSeconds, wanted) => {
    const folder = await temporaryFolder();
    const written = {
      series: 'node_textfile_mtime_seconds{instance="here",file="/var/lib/people.prom"}',
      values: `${writtenAtSeconds}x60`,
    };
    const labels = { instance: "here", run: "people" };
    const tests = ["ImportFailed", "ImportMissing", "ImportKilled"].map((alertname) => ({
      interval: "1m",
      input_series: [...seriesOf(run), written],
      alert_rule_test: [
        {
          eval_time: "1m",
          alertname,
          exp_alerts: wanted.includes(alertname) ? [{ exp_labels: labels }] : [],
        },
      ],
    }));
    // Its words are for people, and are not compared.
    const bare = readFileSync(rules, "utf8").replaceAll(/^ +annotations:\n.*\n/gm, "");
    await writeFile(`${folder}/alerts.yml`, bare);
    await writeFile(`${folder}/test.yml`, JSON.stringify({ rule_files: ["alerts.yml"], tests }));
    const { stdout, stderr, status } = spawnSync(
      "promtool",
      ["test", "rules", `${folder}/test.yml`],
      { encoding: "utf8" },
    );
    expect(stdout + stderr).toContain("SUCCESS");
    expect(status).toBe(0);
  });

  it("stand in a file that Prometheus takes, and so do metrics", () => {
    expect(spawnSync("promtool", ["check", "rules", rules], { encoding: "utf8" })).toMatchObject({
      status: 0,
    });
    const differences = { new: 1, changed: 2, open: 3, gone: 4, unchanged: 5 } as never;
    const input = renderMetrics({ ...begun, differences });
    expect(input).toContain('eventload_keys{run="people",fate="gone"} 4\n');
    expect(spawnSync("promtool", ["check", "metrics"], { input, encoding: "utf8" })).toMatchObject({
      status: 0,
      stderr: "",
      stdout: "",
    });
  });
});
