import { execFile, execFileSync } from "node:child_process";
import { copyFile, mkdir, readdir, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { homeAndPath } from "../cli/running-program.ts";
import { sandboxUnderTest } from "../sandbox/sandbox-under-test.ts";
import { scenario, testToken } from "./scenario.ts";

const pathOf = (name: string) => fileURLToPath(new URL(`../../${name}`, import.meta.url));

/** Kills the second shard the first time, when its run has begun. */
const eventloadThatIsKilled = `#!/bin/sh
run() { exec "${process.execPath}" "${pathOf("dist/cli/bin.js")}" "$@"; }
case " $* " in
*" 2/4 "*)
  if mkdir killed 2>/dev/null; then
    run "$@" & pid=$!
    while ! [ -s out/steps.2-of-4.results.csv ] || ! [ -s out/steps.2-of-4.results.csv.journal ]; do sleep 0.02; done
    sleep 0.5
    kill -9 $pid
    wait $pid
    exit 137
  fi ;;
esac
run "$@"
`;

/** What the example needs of GNU parallel, for machines that do not have it. */
const parallelStandIn = `#!/bin/sh
[ "$1 $3" = "--jobs --retries" ] || exit 255
retries=$4 command=$5
while read -r item; do
  job=$(printf %s "$command" | sed "s/{}/$item/g")
  (try=1; until sh -c "$job"; do [ $try -lt $retries ] || exit 1; try=$((try + 1)); done) </dev/null &
  pids="\${pids-} $!"
done
failed=0
for pid in $pids; do wait $pid || failed=$((failed + 1)); done
exit $failed
`;

function isInstalled(): boolean {
  try {
    return execFileSync("parallel", ["--version"], { encoding: "utf8" }).startsWith("GNU parallel");
  } catch {
    return false;
  }
}

test("examples/gnu-parallel.sh restarts a shard that was killed, and merges what one run writes", {
  timeout: 60_000,
}, async () => {
  const service = await sandboxUnderTest({ latencyMs: 10 });
  const place = await scenario("ordering-key");
  const bin = join(place.folder, "bin");
  await mkdir(bin);
  await mkdir(join(place.folder, "out"));
  const executable = { mode: 0o755 };
  await writeFile(join(bin, "eventload"), eventloadThatIsKilled, executable);
  if (!isInstalled()) await writeFile(join(bin, "parallel"), parallelStandIn, executable);
  await copyFile(pathOf("examples/gnu-parallel.sh"), join(place.folder, "divide.sh"));
  const { HOME, PATH } = homeAndPath();
  const { stderr } = await promisify(execFile)(
    "sh",
    ["divide.sh", "4", "steps.csv", service.url, "--rate", "60/s"],
    {
      cwd: place.folder,
      env: { HOME, PATH: `${bin}${delimiter}${PATH}`, EVENTLOAD_TOKEN: testToken },
    },
  );
  expect(stderr).toContain("Complete: 150 rows, 150 events by 4 shards in ");
  expect(await readdir(place.folder)).toContain("killed");

  const other = await sandboxUnderTest();
  await place.program([
    ...["import", "steps.csv", "--base-url", other.url, "--results", "whole.results.csv"],
  ]);
  const [merged, whole] = await Promise.all(
    ["out/steps.results.csv", "whole.results.csv"].map(place.records),
  );
  const kept = (lines: Record<string, string>[] = []) =>
    lines.map((line) => [line.import_row, line.import_event_id, line.import_status, line.Step]);
  expect(kept(merged)).toEqual(kept(whole));
  const unanswered = (merged ?? []).filter((line) => line.import_unanswered !== "0").length;
  expect(service.counts().repeats).toBeLessThanOrEqual(unanswered);
});
