import { spawnSync } from "node:child_process";
import { rm, statfs, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { startService } from "../delivery/service-under-test.ts";
import { sandboxUnderTest, temporaryPath } from "../sandbox/sandbox-under-test.ts";
import { expectNoSilentRepeat, idsIn, type Scenario, scenario } from "./scenario.ts";

/** A disk of so many KiB where the tests may mount one; else nothing. */
function mountSmallDisk(path: string, kibibytes: number): boolean {
  const size = `size=${kibibytes}k`;
  const { status } = spawnSync("mount", ["-t", "tmpfs", "-o", size, "tmpfs", path]);
  if (status !== 0) return false;
  onTestFinished(() => {
    spawnSync("umount", ["-l", path]);
  });
  return true;
}

/** Rows that make results of more than the disk takes. */
async function manyRows(place: Scenario, rows: number): Promise<void> {
  const lines = Array.from(
    { length: rows },
    (_, at) => `p${at}@example.com,${"x".repeat(120)},${at}`,
  );
  await writeFile(join(place.folder, "people.csv"), `Email,First Name,Code\n${lines.join("\n")}\n`);
}

it("a full disk stops the run with 3, and it goes on when there is room", async () => {
  const record = await temporaryPath("received.jsonl");
  const service = await sandboxUnderTest({ recordFile: record });
  const place = await scenario("plain");
  await manyRows(place, 1500);
  const out = join(place.folder, "out");
  spawnSync("mkdir", [out]);
  const isMounted = mountSmallDisk(out, 3000);
  const limits = ["--concurrency", "4", "--idempotency-header", "Idempotency-Key", "--json"];
  const command = [
    ...["import", "people.csv", "--mapping", "people.yaml", "--base-url", service.url],
    ...["--results", "out/people.results.csv", ...limits],
  ];
  // Where nothing may be mounted, a limit on the size of files does the same.
  const run = place.start(command, isMounted ? {} : { fileBlocks: 900 });
  while (service.counts().requests < 50) await new Promise((resolve) => setTimeout(resolve, 5));
  // Somebody else fills it.
  const { bavail, bsize } = await statfs(out);
  if (isMounted) await writeFile(join(out, "filler"), Buffer.alloc((bavail - 20) * bsize));
  const full = await run.ended;
  expect(full.stderr).toMatch(/cannot be written: /);
  expect(full.status).toBe(3);
  const stopped = JSON.parse(full.stdout);
  expect(stopped).toMatchObject({ exit_reason: "disk", rows: 1500 });
  expect(stopped.not_sent).toBeGreaterThan(0);

  await rm(join(out, "filler"), { force: true });
  const resumed = await place.program("resume out/people.results.csv --json");
  expect(resumed.status).toBe(0);
  expect(JSON.parse(resumed.stdout)).toMatchObject({ rows: 1500, succeeded: 1500, not_sent: 0 });
  const lines = await place.records("out/people.results.csv");
  expect(lines).toHaveLength(1500);
  expectNoSilentRepeat(lines, await idsIn(record));
});

it("a disk without room for a start sends nothing", async () => {
  const service = await sandboxUnderTest();
  const place = await scenario("plain");
  const out = join(place.folder, "out");
  spawnSync("mkdir", [out]);
  const isMounted = mountSmallDisk(out, 560);
  if (isMounted) await writeFile(join(out, "filler"), Buffer.alloc(400 * 1024));
  const { status, stderr } = await place.program(
    `
      import people.csv --mapping people.yaml --base-url ${service.url}
      --results out/people.results.csv
    `,
    isMounted ? {} : { fileBlocks: 300 },
  );
  expect(stderr).toMatch(/journal\S* cannot be written: |may need \d+ KiB, and the disk has/);
  expect(status).toBe(2);
  expect(service.counts().requests).toBe(0);
  await rm(join(out, "filler"), { force: true });
});

it("a retry that has room for its events and not for its end sends nothing", async ({ skip }) => {
  let status = 422;
  const service = await startService(() => ({ status }));
  const place = await scenario("plain");
  await manyRows(place, 250);
  const out = join(place.folder, "out");
  spawnSync("mkdir", [out]);
  if (!mountSmallDisk(out, 800)) skip("no disk can be mounted");
  const first = await place.program([
    ...["import", "people.csv", "--mapping", "people.yaml", "--base-url", service.url],
    ...["--results", "out/people.results.csv", "--max-errors", "100%"],
  ]);
  expect(first.status).toBe(1);
  const sent = service.receipts.length;
  status = 202;
  const retry = "retry out/people.failed.csv";
  const refused = await place.program(retry);
  expect(refused.stderr).toMatch(/may need \d{3} KiB, and the disk has \d{3} KiB left/);
  expect([refused.status, service.receipts.length]).toEqual([2, sent]);
  spawnSync("mount", ["-o", "remount,size=64m", out]);
  expect((await place.program(retry)).status).toBe(0);
});
