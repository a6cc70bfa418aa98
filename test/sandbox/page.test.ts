import { expect, test } from "vitest";
import type { SandboxState } from "../../src/sandbox/sandbox-page.ts";
import type { Sandbox } from "../../src/sandbox/start-sandbox.ts";
import { describeInChromium } from "../report/chromium.ts";
import { fateOf, post, sandboxUnderTest } from "./sandbox-under-test.ts";

const hostile = `<img src=x onerror="document.title='hacked'">`;

/** What the page shows, for programs. */
async function stateOf(sandbox: Sandbox, find = ""): Promise<SandboxState> {
  return JSON.parse(await (await fetch(`${sandbox.pageUrl}state.json?find=${find}`)).text());
}

test("the state tells what came and what was answered, and is no request itself", async () => {
  const sandbox = await sandboxUnderTest({ rejectRate: 0.5, resetRate: 0.2, seed: 3 });
  const fates: (number | "reset")[] = [];
  for (let id = 0; id < 30; id++) {
    fates.push(await fateOf(sandbox, { body: JSON.stringify({ event: "a", id: `n-${id}.` }) }));
  }
  for (const body of ["[1]", '{"x":1}', '{"x":2}']) await post(sandbox, { body });
  await post(sandbox, { path: "/elsewhere" });
  const state = await stateOf(sandbox);

  expect(state.counts).toEqual(sandbox.counts());
  expect(state.counts.requests).toBe(34);
  const endings = state.requests.map(({ ending }) => ending);
  expect(endings).toEqual([404, 400, 400, 400, ...fates.toReversed()]);
  const [most] = state.errors;
  const invalid = state.errors.filter(({ last }) => last.ending === 400);
  expect(invalid.map(({ count }) => count)).toEqual([2, 1]);
  expect(most?.last).toMatchObject({ ending: 422, message: "id is not accepted" });
  expect(most?.count).toBe(fates.filter((fate) => fate === 422).length);
  const found = await stateOf(sandbox, "N-7.");
  expect(found.requests).toMatchObject([
    { n: 8, body: '{"event":"a","id":"n-7."}', ending: fates[7] },
  ]);
});

test("the page remembers the last thousand requests at least, and shows fifty", async () => {
  const sandbox = await sandboxUnderTest();
  for (let at = 0; at < 2100; at += 100) {
    const ids = Array.from({ length: 100 }, (_, more) => at + more);
    await Promise.all(
      ids.map((id) => post(sandbox, { body: JSON.stringify({ event: "a", id: `-${id}-` }) })),
    );
  }
  const numbersOf = async (find: string) => {
    return (await stateOf(sandbox, find)).requests.map(({ n }) => n);
  };
  expect(await numbersOf("")).toEqual(Array.from({ length: 50 }, (_, at) => 2100 - at));
  expect(await numbersOf("-1199-")).toHaveLength(1);
  expect(await numbersOf("-99-")).toHaveLength(0);
});

describeInChromium("in a browser", (openPage) => {
  test.each([
    [1280, "light"],
    [390, "dark"],
  ] as const)("%i wide and %s it shows events as they come, as text", async (width, scheme) => {
    const sandbox = await sandboxUnderTest();
    const look = { viewport: { width, height: 800 }, colorScheme: scheme };
    const { page, noises } = await openPage(sandbox.pageUrl, look);
    await page.getByText("Nothing has arrived yet").waitFor();
    await post(sandbox, { body: JSON.stringify({ event: hostile, big: 1 }) });
    await post(sandbox, { body: '{"event":"b","id":12345678901234567890}' });
    await post(sandbox, { path: `/${hostile.replaceAll(" ", "%20")}` });

    await page.getByText("#3", { exact: true }).waitFor();
    const bodies = await page.locator("li pre").allTextContents();
    expect(bodies).toEqual([
      '{"event":"b","id":12345678901234567890}',
      JSON.stringify({ event: hostile, big: 1 }, null, 2),
    ]);
    expect(await page.locator("dl div").allTextContents()).toEqual([
      ...["requests3", "accepted2users: 2", "refused1404: 1"],
    ]);
    expect(await page.locator("tr.bad").count()).toBe(1);
    await page.fill("#find", "12345678");
    await page.locator("li:only-child").waitFor();
    await page.fill("#find", "nowhere");
    await page.getByText("None of the last 1,000 requests").waitFor();
    expect(await page.title()).toBe("eventload sandbox");
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
    expect(noises).toEqual([]);
    await sandbox.stop();
    await page.getByText("it has been stopped").waitFor();
  });
});
