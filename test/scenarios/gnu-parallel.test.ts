import { execFile, execFileSync } from "node:child_process";
import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { homeAndPath } from "../cli/running-program.ts";
import { sandboxUnderTest } from "../sandbox/sandbox-under-test.ts";
import { scenario, testToken } from "./scenario.ts";

const pathOf = (name: string) => fileURLToPath(new URL(`../../${name}`, import.meta.url));

/** Kills the second shard the first time, when its run has begun. Only parallel says that it is the second. */
const eventloadThatIsKilled = `#!/bin/sh
run() { exec "${process.execPath}" "${pathOf("dist/cli/bin.js")}" "$@"; }
case "$1 $PARALLEL_SEQ" in
"import 2")
  if mkdir killed 2>/dev/null; then
    run "$@" & pid=$!
    while ! [ -s out/steps.2-of-4.run.json ]; do sleep 0.02; done
    sleep 0.5
    kill -9 $pid
    wait $pid
    exit 137
  fi ;;
esac
run "$@"
`;

function isInstalled(): boolean {
  try {
    return execFileSync("parallel", ["--version"], { encoding: "utf8" }).startsWith("GNU parallel");
  } catch {
    return false;
  }
}

const isHere = isInstalled();

test.skipIf(!isHere)(
  `examples/gnu-parallel.sh restarts a shard that was killed, and merges what one run writes${
    isHere ? "" : " (skipped: no GNU parallel)"
  }`,
  async () => {
    const service = await sandboxUnderTest({ latencyMs: 10 });
    const place = await scenario("ordering-key");
    const bin = join(place.folder, "bin");
    await mkdir(bin);
    await mkdir(join(place.folder, "out"));
    const executable = { mode: 0o755 };
    await writeFile(join(bin, "eventload"), eventloadThatIsKilled, executable);
    // A name that a shell would divide.
    await rename(join(place.folder, "steps.yaml"), join(place.folder, "how steps go.yaml"));
    const { HOME, PATH } = homeAndPath();
    const divide = () =>
      promisify(execFile)(
        "sh",
        [
          ...[pathOf("examples/gnu-parallel.sh"), "4", "steps.csv", service.url],
          ...["--mapping", "how steps go.yaml", "--rate", "60/s"],
        ],
        {
          cwd: place.folder,
          env: { HOME, PATH: `${bin}${delimiter}${PATH}`, EVENTLOAD_TOKEN: testToken },
        },
      );
    const { stderr } = await divide();
    expect(stderr).toContain("Complete: 150 rows, 150 events by 4 shards in ");
    expect(await readdir(place.folder)).toContain("killed");

    const merged = await place.records("out/steps.results.csv");
    expect(merged.map((line) => line.import_row)).toEqual(merged.map((_, at) => `${at + 1}`));
    const unanswered = merged.filter((line) => line.import_unanswered !== "0").length;
    const { requests, repeats } = service.counts();
    expect(repeats).toBeLessThanOrEqual(unanswered);

    // Shards that are complete send nothing when the whole is started again.
    await Promise.all(
      ["results.csv", "run.json"].map((name) => rm(join(place.folder, `out/steps.${name}`))),
    );
    expect((await divide()).stderr).toContain("Complete: 150 rows, 150 events by 4 shards in ");
    expect(service.counts().requests).toBe(requests);
  },
);
