import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startService } from "../delivery/service-under-test.ts";
import { type Scenario, scenario } from "./scenario.ts";

const results = "people.results.csv";
const perSecond = 20;

/** So many people, and a service that knows when each request arrived. */
async function people(rows: number, rejects: (n: number) => boolean = () => false) {
  const arrivals: number[] = [];
  const service = await startService(({ n }) => {
    arrivals.push(performance.now());
    return { status: rejects(n) ? 422 : 202 };
  });
  const place = await scenario("plain");
  const lines = Array.from({ length: rows }, (_, at) => `p${at + 1}@example.com,P${at + 1},${at}`);
  await writeFile(join(place.folder, "people.csv"), `Email,First Name,Code\n${lines.join("\n")}\n`);
  const send = ["import", "people.csv", "--base-url", service.url];
  return { service, place, send, arrivals };
}

/** Machines that are busy only make it slower, so the time that all took is no less than the rate allows. */
function expectRate(arrivals: readonly number[]): void {
  const tookMs = (arrivals.at(-1) ?? 0) - (arrivals[0] ?? 0);
  const bucket = 2;
  expect(tookMs).toBeGreaterThan(((arrivals.length - 1 - bucket) / perSecond) * 1000 * 0.9);
}

const manifestOf = async (place: Scenario) =>
  JSON.parse(await readFile(join(place.folder, "people.run.json"), "utf8"));

describe("a run that was sent at 20/s, two at a time", () => {
  const slowly = ["--rate", `${perSecond}/s`, "-c", "2"];

  it("is resumed so after a kill, by a bare resume, and its failed rows are retried so", async () => {
    const { place, send, arrivals } = await people(60, (n) => n % 2 === 0 && n < 50);
    const killed = place.start([...send, ...slowly]);
    while (arrivals.length < 12) await new Promise((resolve) => setTimeout(resolve, 5));
    killed.child.kill("SIGKILL");
    await killed.ended;

    const before = arrivals.length;
    const resumed = await place.program(`resume ${results}`);
    expect(resumed.stderr).toContain("As before: --concurrency 2 --rate 20/s");
    expectRate(arrivals.slice(before));
    const manifest = await manifestOf(place);
    expect(manifest.options).toMatchObject({ concurrency: 2, rate_per_second: perSecond });
    const part = { concurrency: 2, rate_per_second: perSecond, adaptive: true };
    expect(manifest.parts).toMatchObject([part, part]);

    const beforeRetry = arrivals.length;
    const retried = await place.program("retry people.failed.csv");
    expect(retried.stderr).toContain("As before: --concurrency 2 --rate 20/s");
    expect(arrivals.length - beforeRetry).toBeGreaterThan(10);
    expectRate(arrivals.slice(beforeRetry));
    expect((await manifestOf(place)).parts).toMatchObject([part, part, part]);
  });

  it("is sent otherwise if a flag says so, and not for what eventload.yaml says", async () => {
    const { place, send } = await people(6, (n) => n <= 3);
    expect((await place.eventload([...send, ...slowly, "--delivery", "at-most-once"])).status).toBe(
      1,
    );
    await writeFile(
      join(place.folder, "eventload.yaml"),
      "rate: 50/s\nconcurrency: 9\ntimeout: 7s\ndelivery: at-least-once\n",
    );
    const retry = await place.eventload("retry people.failed.csv -c 3");
    expect(retry.stderr).toContain("As before: --rate 20/s");
    const { parts, options } = await manifestOf(place);
    expect(parts[1]).toMatchObject({
      ...{ concurrency: 3, rate_per_second: perSecond, timeout_ms: 30_000 },
    });
    expect(options.delivery).toBe("at-most-once");
  });

  it("keeps what only eventload.yaml can say, and says so, until the file is typed", async () => {
    const { place, send } = await people(4, (n) => n > 2);
    expect((await place.eventload(send)).status).toBe(1);
    await writeFile(
      join(place.folder, "eventload.yaml"),
      "max_attempts: 4\nconcurrency: 32\nsuccess_statuses: [2xx, 422]\n",
    );

    const retry = await place.eventload("retry people.failed.csv -q");
    expect(retry.status).toBe(1);
    expect(retry.stderr).toContain(
      "warning: eventload.yaml does not change what the import had: max_attempts (5), success_statuses (2xx). To change it, type the option, or name the file with --config where there is none.\n",
    );
    expect((await manifestOf(place)).options).toMatchObject({
      success_statuses: null,
    });

    const again = await place.eventload("retry people.failed.csv --config eventload.yaml");
    expect(again.stderr).not.toContain("statuses.success");
    expect(again.status).toBe(0);
  });

  it("keeps how many errors are too many, and no percentage, as its rows failed before", async () => {
    const { place, send } = await people(120, (n) => n > 2);
    await writeFile(join(place.folder, "eventload.yaml"), "max_errors: 99%\n");
    expect((await place.eventload(send)).status).toBe(1);

    const retry = await place.eventload("retry people.failed.csv");
    expect(retry.stderr).not.toMatch(/max.errors/);
    expect(retry.status).toBe(1);
    const typed = await place.eventload("retry people.failed.csv --max-errors 5%");
    expect(typed.stderr).toContain("more than --max-errors 5% allows");

    const other = await people(5, (n) => n > 2);
    expect((await other.place.eventload([...other.send, "--max-errors", "2"])).status).toBe(1);
    const kept = await other.place.eventload("retry people.failed.csv");
    expect(kept.stderr).toContain("As before: --max-errors 2");
  });

  it("is continued so by import --resume, whatever eventload.yaml says", async () => {
    const { place, send, arrivals } = await people(30, (n) => n < 4);
    const stopped = await place.eventload([...send, ...slowly, "--max-errors", "1"]);
    expect(stopped.status).toBe(3);
    await writeFile(join(place.folder, "eventload.yaml"), "rate: 50/s\nconcurrency: 9\n");
    const before = arrivals.length;
    const more = await place.eventload([...send, "--resume", "--max-errors", "100"]);
    expect(more.stderr).toContain("As before: --concurrency 2 --rate 20/s");
    expect(arrivals.length - before).toBeGreaterThan(15);
    expectRate(arrivals.slice(before));
    const part = { concurrency: 2, rate_per_second: perSecond };
    expect((await manifestOf(place)).parts).toMatchObject([part, part]);
  });
});
