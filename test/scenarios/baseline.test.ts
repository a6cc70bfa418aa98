import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { eventload } from "../cli/fake-host.ts";
import { readRecord, sandboxUnderTest, temporaryPath } from "../sandbox/sandbox-under-test.ts";
import { type Scenario, scenario } from "./scenario.ts";

/** Exports of 400 people, some of whom have several rows, and a service that keeps what it takes. */
async function nights(orderingColumns: boolean, latencyMs = 0) {
  const record = await temporaryPath("received.jsonl");
  const service = await sandboxUnderTest({ recordFile: record, latencyMs });
  const place = await scenario("plain");
  const write = (file: string, text: string) => writeFile(join(place.folder, file), text);
  const order = orderingColumns ? "ordering_key: [Email]\n" : "";
  await write(
    "nightly.yaml",
    `version: 1
resource: contacts
event: contact.imported
${order}members:
  email: Email
  plan: Plan
  reference: { meta: event_id }
  row: { meta: row }
  at: { meta: imported_at }
  from: { meta: input_name }
`,
  );
  /** Plans of people by number, where they are not the usual; numbers from 300 on are of 0 to 99. */
  const writeExport = (file: string, plans: Record<number, string> = {}) => {
    const lines = Array.from(
      { length: 400 },
      (_, at) => `${at % 300}@example.com,${plans[at] ?? `plan-${at}`}\n`,
    );
    return write(file, `Email,Plan\n${lines.join("")}`);
  };
  const path = (file: string) => join(place.folder, file);
  const send = (night: number, baselines: readonly string[], more: readonly string[] = []) => [
    ...["import", path(`${night}.csv`), "--mapping", path("nightly.yaml")],
    ...["--base-url", service.url, "--idempotency-header", "Idempotency-Key"],
    ...baselines.flatMap((file) => ["--baseline", path(file)]),
    ...more,
  ];
  /** The plans that came since it was asked the last time. */
  let seen = 0;
  const received = async () => {
    const all = await readRecord(record);
    const since = all.slice(seen).map(({ body }) => body.plan);
    seen = all.length;
    return since.toSorted();
  };
  return { place, service, path, writeExport, send, received, record };
}

/** What a run came to: of the built program where that is given, else in this process. */
async function counted(args: readonly string[], run: Scenario["eventload"] = eventload) {
  const { status, stdout } = await run([...args, "--json"]);
  const { succeeded, skipped, unchanged, rejected } = JSON.parse(stdout);
  return { status, succeeded, skipped, unchanged, rejected };
}

const nothing = { status: 0, succeeded: 0, skipped: 400, unchanged: 400, rejected: 0 };

describe("nightly exports, each compared with the results of the night before", () => {
  it.each([
    ["with ordering_key", true, ["new-7", "new-350", "plan-50"]],
    ["without", false, ["new-7", "new-350"]],
  ])("only what has changed is sent, %s", async (_, orderingColumns, expected) => {
    const { place, writeExport, send, received } = await nights(orderingColumns);
    const run = orderingColumns ? place.program : eventload;
    await writeExport("1.csv");
    expect(await counted(send(1, []), run)).toMatchObject({ status: 0, succeeded: 400 });
    await received();

    // Of a key with several rows all are sent, as the last of them has to be the last.
    await writeExport("2.csv", { 7: "new-7", 350: "new-350" });
    const sent = orderingColumns ? [...expected, "plan-307"] : expected;
    const unchanged = 400 - sent.length;
    const [, input = "", ...settings] = send(2, ["1.results.csv"]);
    const checked = await run(["check", input, ...settings]);
    expect(checked.stderr).toContain(
      `400 rows give ${sent.length} events, none is invalid, ${unchanged} unchanged. Nothing was sent.`,
    );
    const second = await counted(send(2, ["1.results.csv"]), run);
    expect(second).toEqual({ ...nothing, succeeded: sent.length, skipped: unchanged, unchanged });
    expect(await received()).toEqual(sent.toSorted());

    await writeExport("3.csv", { 7: "new-7", 350: "new-350" });
    const third = await run(send(3, ["2.results.csv"]));
    expect(third.stderr).toContain("  skipped    400  left out, as unchanged");
    expect(third.status).toBe(0);
    expect(await received()).toEqual([]);
    const [line = {}] = await place.records("3.results.csv");
    expect(line).toMatchObject({
      ...{ import_event: "1", import_status: "skipped", import_attempts: "0" },
      ...{ import_error_code: "unchanged", import_error: "unchanged since 2.results.csv" },
    });
    const manifest = JSON.parse(await place.read("3.run.json"));
    expect(manifest).toMatchObject({ unchanged: 400, reconciliation: { adds_up: true } });
    expect(manifest.baseline).toMatchObject([{ path: join(place.folder, "2.results.csv") }]);

    // And on from there, by the results of a night in which nothing was sent.
    await writeExport("4.csv", { 350: "new-350" });
    await counted(send(4, ["3.results.csv"]), run);
    expect(await received()).toEqual(orderingColumns ? ["plan-307", "plan-7"] : ["plan-7"]);
  });

  it("what did not succeed one night is sent the next, and what came back too", async () => {
    const { path, writeExport, send, received } = await nights(true);
    await writeExport("1.csv");
    await counted(send(1, []));
    await writeExport("2.csv", { 120: "new", 130: "new" });
    // Every answer is a refusal to this one, though the service has taken the event.
    await writeFile(path("refusing.yaml"), "statuses: { success: 299 }\n");
    const refusing = ["--config", path("refusing.yaml")];
    const second = await counted(send(2, ["1.results.csv"], refusing));
    expect(second).toMatchObject({ status: 1, rejected: 2, unchanged: 398 });
    await received();

    await writeExport("3.csv", { 120: "new" });
    const baselines = ["1.results.csv", "2.results.csv"];
    expect(await counted(send(3, baselines))).toMatchObject({ succeeded: 2 });
    expect(await received()).toEqual(["new", "plan-130"]);

    // What was retried meanwhile has arrived.
    await writeFile(path("usual.yaml"), "statuses: { success: 2xx }\n");
    const usual = ["--config", path("usual.yaml")];
    expect((await eventload(["retry", path("2.failed.csv"), ...usual])).status).toBe(0);
    await received();
    await writeExport("4.csv", { 120: "new", 130: "new" });
    const three = [...baselines, "3.results.csv", "2.retry-1.results.csv"];
    expect(await counted(send(4, three))).toEqual(nothing);
  });

  it("a night that is killed continues the same baseline, and only with that", async () => {
    const { place, service, path, writeExport, send, record } = await nights(true, 15);
    await writeExport("1.csv");
    await counted(send(1, []));
    const plans: Record<number, string> = {};
    for (let at = 100; at < 180; at++) plans[at] = `new-${at}`;
    await writeExport("2.csv", plans);
    const before = service.counts().requests;
    const command = send(2, ["1.results.csv"], ["--concurrency", "4"]);
    const run = place.start(command);
    while (service.counts().requests < before + 30) {
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    run.child.kill("SIGKILL");
    await run.ended;

    const sentSoFar = service.counts().requests;
    const baseline = join(place.folder, "1.results.csv");
    const whole = await readFile(baseline, "utf8");
    await writeFile(baseline, whole.replace("plan-5,", "other,"));
    const refused = await eventload(["resume", path("2.results.csv")]);
    expect(refused.status).toBe(2);
    expect(refused.stderr).toContain(`the baseline ${baseline} is not what it was`);
    await writeFile(baseline, whole);
    const without = await eventload([...send(2, []), "--resume"]);
    expect(without.stderr).toContain(
      `cannot be resumed: --baseline was ${baseline}. Nothing was sent.`,
    );
    expect(without.stderr).toContain("If you can put that back, do so and type: eventload resume");
    // Nor is it a baseline for the next as long as it has not ended.
    await writeExport("3.csv", plans);
    const next = await eventload(send(3, ["2.results.csv"]));
    expect(next.stderr).toContain(`eventload resume ${path("2.results.csv")}`);
    expect(service.counts().requests).toBe(sentSoFar);

    const resumed = await counted(["resume", "2.results.csv"], place.program);
    expect(resumed).toEqual({ ...nothing, succeeded: 80, skipped: 320, unchanged: 320 });
    const ids = (await readRecord(record))
      .slice(400)
      .map(({ headers }) => headers["idempotency-key"]);
    const lines = await place.records("2.results.csv");
    const sent = lines.filter((line) => line.import_status === "succeeded");
    expect(new Set(ids)).toEqual(new Set(sent.map((line) => line.import_event_id)));
    const perhapsTwice = sent.reduce((sum, line) => sum + Number(line.import_unanswered), 0);
    expect(ids.length - new Set(ids).size).toBeLessThanOrEqual(perhapsTwice);
    expect(await counted(send(3, ["2.results.csv"]))).toEqual(nothing);
  });
});
