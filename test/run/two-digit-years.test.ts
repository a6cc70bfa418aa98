import { expect, onTestFinished, test } from "vitest";
import { situation } from "../cli/situation.ts";
import { accepted, startService } from "../delivery/service-under-test.ts";
import { createFakeClock, deadlineMs } from "../fake-clock.ts";
import { openWorkspace } from "./import-under-test.ts";

const mapping = `version: 1
resource: users
event: user.updated
members:
  birthday: { column: Born, type: date, format: dd/MM/yy }
`;

/** The clock of a run that begins on a day. */
const on = (day: string) => createFakeClock({ deadlineMs, date: `${day}T12:00:00.000Z` });

test("a run that goes on a day later reads dates of birth as it began, and another as of its own day", async () => {
  const drain = new AbortController();
  const service = await startService(() => {
    drain.abort();
    return accepted;
  });
  const born = () => service.receipts.map(({ body }) => JSON.parse(body).birthday);
  const people = await openWorkspace([["Born"], ["02/03/26"], ["02/03/26"]], mapping);
  onTestFinished(people.remove);
  const stopped = await people.import(service.url, {
    ...{ concurrency: 1, clock: on("2026-03-01"), signal: drain.signal },
  });
  expect(stopped.exitReason).toBe("interrupted");
  expect(born()).toEqual(["1926-03-02"]);
  const resumed = await people.import(service.url, { resume: "must", clock: on("2026-03-02") });
  expect(resumed).toMatchObject({ exitReason: "complete", counts: { succeeded: 2 } });
  expect(born()).toEqual(["1926-03-02", "1926-03-02"]);

  const results = people.path("again.results.csv");
  await people.import(service.url, { results, clock: on("2026-03-02") });
  expect(born().slice(2)).toEqual(["2026-03-02", "2026-03-02"]);
});

test("a check says what it takes years of two digits for, and shows a row so", async () => {
  const { check, write } = await situation();
  await write("people.csv", "Born\n12/05/45\n");
  await write("people.yaml", mapping);
  const { status, stderr } = await check();
  expect(status).toBe(0);
  expect(stderr).toMatch(
    /^warning: member "birthday": years of two digits are read as those from \d{4}-\d\d-\d\d to \d{4}-\d\d-\d\d, as nobody is born after the run\.$/m,
  );
  expect((await check("--row 1")).stdout).toContain('"birthday": "1945-05-12"');
});
