import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sum } from "../../src/model/quantities.ts";
import { startService } from "../delivery/service-under-test.ts";
import { scenario } from "../scenarios/scenario.ts";

const rows = 400;

/** Accepts an event for good, refuses some at first, and counts how often each has arrived. */
async function service() {
  const accepted = new Map<string, number>();
  let isStrict = true;
  const { url, receipts, received } = await startService(async ({ body }) => {
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

test("figures are those of account and service, over four parts of which one was killed", async () => {
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
  const signalled = async (args: readonly string[], signal: "SIGINT" | "SIGKILL") => {
    const coming = received(requests() + 60);
    const run = place.start([...args, "--concurrency", "4", "--quiet"]);
    await coming;
    run.child.kill(signal);
    return (await run.ended).status;
  };
  expect(await signalled(["import", "people.csv", "--base-url", url], "SIGINT")).toBe(130);
  expect(await signalled(["resume", results], "SIGKILL")).toBe(null);
  expect((await place.program(`resume ${results} --quiet`)).status).toBe(1);
  const beforeRetry = requests();
  relent();
  expect((await place.program("retry people.failed.csv --quiet")).status).toBe(1);

  const report = await place.eventload(`report ${results} --json`);
  const figures = JSON.parse(report.stdout);
  const page = await place.read("people.report.html");
  const account = await place.records(results);
  const counted: Record<string, number> = {};
  for (const { import_status: status = "" } of account)
    counted[status] = (counted[status] ?? 0) + 1;
  const add = (column: string) =>
    account.reduce((total, line) => total + Number(line[column] || 0), 0);

  expect(figures).toMatchObject({
    ...{ rows, lines: rows, verdict: "open" },
    ...{ delivered: accepted.size, open: rows - accepted.size, not_settled: 0 },
    ...{ attempts: add("import_attempts"), unanswered: add("import_unanswered") },
  });
  const { not_sent: _, ...counts } = figures.counts as Record<string, number>;
  const known = Object.entries(counts).filter(([, number]) => number > 0);
  expect(Object.fromEntries(known)).toEqual(counted);
  expect(figures.problems).toEqual([
    expect.objectContaining({ status: "rejected", code: "http_422", count: counted.rejected }),
    expect.objectContaining({ status: "invalid", code: "not_an_integer", count: counted.invalid }),
  ]);
  expect(figures.parts.map(({ command }: { command: string }) => command)).toEqual([
    ...["import", "resume", "resume", "retry"],
  ]);
  expect(figures.parts.at(-1)).toMatchObject({ attempts: requests() - beforeRetry });
  // A process that was killed counts as any other.
  type Part = Record<"delivered" | "attempts" | "unanswered", number> & { finished_at: unknown };
  const parts = figures.parts as readonly Part[];
  expect(sum(parts.map(({ delivered }) => delivered))).toBe(accepted.size);
  for (const name of ["attempts", "unanswered"] as const)
    expect(sum(parts.map((part) => part[name]))).toBe(figures[name]);
  const killed = parts.filter(({ finished_at: at }) => at === null);
  expect(killed).toHaveLength(1);
  expect(page).toContain(
    `${accepted.size} of 400 rows delivered, ${rows - accepted.size} still open`,
  );
  expect(page).toContain(", in 4 parts");
  expect(page).toMatch(
    new RegExp(`<td>resume, killed</td><td>[^<]*</td><td class="num">${killed[0]?.delivered}<`),
  );
  expect(page).toContain("email &#60;b&#62;taken&#60;/b&#62;");
  // An event that the kill left in doubt may have arrived twice, and no other.
  const twice = [...accepted.values()].filter((times) => times > 1).length;
  expect(twice).toBeLessThanOrEqual(figures.perhaps_twice);
});
