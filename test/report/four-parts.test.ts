import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { eventStatuses } from "../../src/model/outcome.ts";
import { sum } from "../../src/model/quantities.ts";
import { parsePrometheusText } from "../cli/terminal/parse-prometheus-text.ts";
import { startService } from "../delivery/service-under-test.ts";
import { scenario } from "../scenarios/scenario.ts";

const rows = 400;

const outageMs = 1500;

/** Accepts an event for good, refuses some at first, is down for a while, and counts how often each has arrived. */
async function service() {
  const accepted = new Map<string, number>();
  let isStrict = true;
  let downUntilMs: number | undefined;
  const { url, receipts, received } = await startService(async ({ body }) => {
    if (accepted.size >= 150) downUntilMs ??= Date.now() + outageMs;
    if (Date.now() < (downUntilMs ?? 0)) return { status: 503 };
    const { email } = JSON.parse(body) as { email: string };
    const number = Number(/\d+/.exec(email)?.[0]);
    const isRefused = number % 50 === 7 || (isStrict && number % 10 === 3);
    if (!isRefused) accepted.set(email, (accepted.get(email) ?? 0) + 1);
    await new Promise((resolve) => setTimeout(resolve, 2));
    const body422 = '{"message":"email <b>taken</b>"}';
    return isRefused ? { status: 422, body: body422 } : { status: 200 };
  });
  return {
    ...{ url, accepted, received },
    requests: () => receipts.length,
    relent() {
      isStrict = false;
    },
  };
}

test("figures are the same everywhere, over a kill, an outage and two retries", async () => {
  const place = await scenario("readme");
  const { url, accepted, requests, received, relent } = await service();
  const lines = Array.from(
    { length: rows },
    (_, at) => `p${at + 1}@example.com,A,${at % 100 === 5 ? "x" : 30}`,
  );
  await writeFile(join(place.folder, "people.csv"), `Email,Name,Age\n${lines.join("\n")}\n`);
  const members = "{ email: Email, age: { column: Age, type: integer } }";
  await writeFile(
    join(place.folder, "people.yaml"),
    `version: 1\nresource: contacts\nevent: contact.imported\nmembers: ${members}\n`,
  );
  const results = "people.results.csv";
  const coming = received(60);
  const killed = place.start(`import people.csv --base-url ${url} --concurrency 4 --quiet`);
  await coming;
  killed.child.kill("SIGKILL");
  expect((await killed.ended).status).toBe(null);
  expect((await place.program(`resume ${results} --quiet`)).status).toBe(1);
  relent();
  expect((await place.program("retry people.failed.csv --quiet")).status).toBe(1);
  const beforeLast = requests();
  const metricsFile = ["--metrics-file", "people.prom"];
  const last = await place.eventload(["retry", results, "--json", ...metricsFile]);
  expect(last.status).toBe(1);

  const report = await place.eventload(`report ${results} --json`);
  const figures = JSON.parse(report.stdout);
  const page = await place.read("people.report.html");
  const summary = JSON.parse(last.stdout);
  const metrics = parsePrometheusText(await place.read("people.prom"));
  const metric = (name: string) => metrics.find((one) => one.name === `eventload_${name}`)?.value;
  const shown = (name: string) =>
    Number(new RegExp(`data-name="${name}" value="(\\d+)"`).exec(page)?.[1] ?? 0);
  const account = await place.records(results);
  const add = (column: string) => sum(account.map((line) => Number(line[column] || 0)));

  // What the service has and the results say is what everything else says.
  expect(account.filter(({ import_status: is }) => is === "succeeded")).toHaveLength(accepted.size);
  for (const status of eventStatuses) {
    const number = account.filter(({ import_status: is }) => is === status).length;
    const word = new RegExp(`^  ${status} +([\\d,]+)  `, "m").exec(last.stderr)?.[1];
    const told = [
      ...[summary[status], figures.counts[status], shown(`counts.${status}`), Number(word ?? 0)],
      metrics.find(({ labels }) => labels.status === status)?.value,
    ];
    expect(told, status).toEqual(Array(5).fill(number));
  }
  const attempts = add("import_attempts");
  expect(last.stderr).toContain(`${attempts} attempts in `);
  expect([summary.attempts, figures.attempts, shown("attempts"), metric("attempts_total")]).toEqual(
    Array(4).fill(attempts),
  );
  const unanswered = add("import_unanswered");
  expect([summary.unanswered, figures.unanswered, shown("unanswered")]).toEqual(
    Array(3).fill(unanswered),
  );
  expect([summary.retries, figures.retries, metric("retries_total")]).toEqual(
    Array(3).fill(shown("retries")),
  );
  expect([summary.perhaps_twice, summary.rows, metric("rows")]).toEqual([
    ...[figures.perhaps_twice, rows, rows],
  ]);

  type Part = Record<"delivered" | "attempts" | "unanswered", number> & { finished_at: unknown };
  const parts = figures.parts as readonly (Part & { command: string })[];
  expect(parts.map(({ command }) => command)).toEqual(["import", "resume", "retry", "retry"]);
  expect(parts.at(-1)).toMatchObject({ attempts: requests() - beforeLast });
  // A process that was killed counts as any other.
  expect(parts.map(({ finished_at: at }) => at === null)).toEqual([true, false, false, false]);
  expect(sum(parts.map(({ delivered }) => delivered))).toBe(accepted.size);
  for (const name of ["attempts", "unanswered"] as const)
    expect(sum(parts.map((part) => part[name]))).toBe(figures[name]);
  const open = rows - accepted.size;
  expect(figures).toMatchObject({
    verdict: "open",
    delivered: accepted.size,
    open,
    not_settled: 0,
  });
  expect(page).toContain(`${accepted.size} of ${rows} rows delivered, ${open} still open`);
  expect(page).toMatch(
    new RegExp(`<td>retry</td><td>[^<]*</td><td class="num">0</td><td class="num">${open}<`),
  );
  expect(page).toMatch(
    new RegExp(`<td>import, killed</td><td>[^<]*</td><td class="num">${parts[0]?.delivered}<`),
  );
  expect(figures.problems).toEqual([
    expect.objectContaining({ status: "rejected", code: "http_422", column: "Email" }),
    expect.objectContaining({ status: "invalid", code: "not_an_integer", column: "Age" }),
  ]);
  expect(page).toContain("email &#60;b&#62;taken&#60;/b&#62;");
  const outages = figures.incidents.filter(({ reason }: { reason: string }) => reason === "outage");
  expect(outages).toHaveLength(1);
  // An event that the kill left in doubt may have arrived twice, and no other.
  const twice = [...accepted.values()].filter((times) => times > 1).length;
  expect(twice).toBeLessThanOrEqual(figures.perhaps_twice);
});
