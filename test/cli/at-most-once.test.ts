import { expect, it } from "vitest";
import { startService } from "../delivery/service-under-test.ts";
import { situation } from "./situation.ts";

it("says of what was sent once that it may have arrived, and gives a command that sends it again", async () => {
  const { url } = await startService(({ n }) =>
    n === 1 ? "cut" : { status: n === 2 ? 422 : 202 },
  );
  const { path, run, read, import: send } = await situation();
  const results = path("p.results.csv");
  const to = ["--base-url", url, "--results", results, "--concurrency", "1"];
  const { stderr: first } = await send([...to, "--delivery", "at-most-once"]);
  expect(first).toContain("1 attempt unanswered: that event may have arrived");
  expect(first).toContain("retry them with --delivery at-least-once if they may arrive twice.");
  expect(first).not.toContain("have arrived twice");

  // The second row is left as it is, and the third accepted.
  const retried = await run(["retry", path("p.failed.csv"), "--json"]);
  expect(JSON.parse(retried.stdout)).toMatchObject({ attempts: 4, unanswered: 1, unknown: 1 });
  const left = path("p.failed.csv");
  expect(await read("p.failed.csv")).toMatch(/,unknown,,1,1,/);
  const next = `eventload retry ${left} --delivery at-least-once`;
  expect(retried.stderr.replaceAll(/\s+/g, " ")).toContain(
    `Next: look up in the service what is unknown, and set it to skipped in ${left}; to send it again, if it may arrive twice, run: ${next} `,
  );
  await run(["report", path("p.results.csv")]);
  expect(await read("p.report.html")).toContain(
    "<code>eventload retry p.failed.csv --delivery at-least-once</code>",
  );

  const last = await run([...next.split(" ").slice(1), "--json"]);
  expect(JSON.parse(last.stdout)).toMatchObject({ succeeded: 3, attempts: 5, unanswered: 1 });
  expect(last.status).toBe(0);
});

it("says what may have arrived twice where it was sent again", async () => {
  const { url } = await startService(({ n }) => (n === 1 ? "cut" : { status: 202 }));
  const { path, read, import: send } = await situation();
  const to = ["--base-url", url, "--results", path("p.results.csv"), "--json"];
  const { stderr, stdout } = await send([...to, "--report", path("p.html")]);
  expect(stderr).toContain("1 attempt unanswered: 1 event may have arrived twice");
  expect(JSON.parse(stdout)).toMatchObject({ unanswered: 1, perhaps_twice: 1 });
  expect(await read("p.html")).toContain("1 event may have arrived twice");
});
