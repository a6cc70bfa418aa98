import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { mulberry32 } from "../../src/sandbox/faults.ts";
import { readRecord, sandboxUnderTest, temporaryPath } from "../sandbox/sandbox-under-test.ts";
import { scenario } from "../scenarios/scenario.ts";

// SOAK_ROUNDS and SOAK_SEED choose how long, and play a round again.
const rounds = Number(process.env.SOAK_ROUNDS ?? 25);
const firstSeed = Number(process.env.SOAK_SEED ?? Math.floor(Math.random() * 2 ** 31));

for (let round = 0; round < rounds; round++) {
  const seed = firstSeed + round;
  it(`a service that misbehaves gets every row in the end, seed ${seed}`, async () => {
    const random = mulberry32(seed);
    const record = await temporaryPath("received.jsonl");
    const service = await sandboxUnderTest({
      recordFile: record,
      seed,
      // With more, the breaker is open for minutes.
      failRate: random() * 0.4,
      resetRate: random() * 0.2,
      latencyMs: Math.floor(random() * 5),
    });
    const rows = 1 + Math.floor(random() * 400);
    const { eventload, folder, records } = await scenario("plain");
    const lines = Array.from({ length: rows }, (_, at) => `p${at}@example.com,"P\n${at}",0${at}`);
    await writeFile(join(folder, "people.csv"), `Email,First Name,Code\n${lines.join("\n")}\n`);

    const base = ["--mapping", "people.yaml", "--base-url", service.url, "--max-attempts", "2"];
    let { status } = await eventload(["import", "people.csv", ...base]);
    for (let retry = 1; status !== 0; retry++) {
      // It stops if its first event gets no answer.
      expect([1, 3], `retry ${retry}`).toContain(status);
      // Either says the same.
      const file = random() < 0.5 ? "people.failed.csv" : "people.results.csv";
      const next = status === 3 ? "resume people.results.csv" : `retry ${file}`;
      ({ status } = await eventload(`${next} --quiet`));
    }

    // Every row succeeded, and whatever arrived more than once is said to be in doubt.
    const results = await records("people.results.csv");
    expect(results.map((line) => line.import_row)).toEqual(lines.map((_, at) => `${at + 1}`));
    expect(new Set(results.map((line) => line.import_status))).toEqual(new Set(["succeeded"]));
    const unanswered = new Map(
      results.map((line) => [line.import_row, Number(line.import_unanswered)]),
    );
    const received = new Map<string, number>();
    for (const { body } of await readRecord(record)) {
      const row = `${Number(String(body.code)) + 1}`;
      received.set(row, (received.get(row) ?? 0) + 1);
    }
    expect(received.size).toBe(rows);
    for (const [row, times] of received) {
      expect(times).toBeLessThanOrEqual(1 + (unanswered.get(row) ?? 0));
    }
  });
}
