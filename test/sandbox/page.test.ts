import { expect, test } from "vitest";
import { tilesOf } from "../../src/sandbox/sandbox-counts.ts";
import type { SandboxState } from "../../src/sandbox/sandbox-page.ts";
import type { Sandbox } from "../../src/sandbox/start-sandbox.ts";
import { expectAccessible } from "../report/accessible.ts";
import { describeInChromium } from "../report/chromium.ts";
import { fateOf, post, sandboxUnderTest } from "./sandbox-under-test.ts";

const hostile = `<img src=x onerror="document.title='hacked'">`;

/** What the page shows, for programs. */
async function stateOf(sandbox: Sandbox, find = "", answer = ""): Promise<SandboxState> {
  const query = new URLSearchParams({ find, answer });
  return JSON.parse(await (await fetch(`${sandbox.pageUrl}state.json?${query}`)).text());
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
  expect(invalid.map(({ count }) => count)).toEqual([3]);
  expect(most?.last).toMatchObject({ ending: 422, message: "id is not accepted" });
  expect(most?.count).toBe(fates.filter((fate) => fate === 422).length);
  expect(state).toMatchObject({ found: 34, kept: 1000 });
  const tiles = tilesOf(state.counts);
  for (const { answer, count } of tiles) {
    expect((await stateOf(sandbox, "", answer)).found, answer).toBe(count);
  }
  expect(tiles.map(({ name }) => name)).toEqual([
    ...["All", "Accepted", "Refused", "Failed", "No answer"],
  ]);
  const found = await stateOf(sandbox, "N-7.");
  expect(found.requests).toMatchObject([
    { n: 8, body: '{"event":"a","id":"n-7."}', ending: fates[7] },
  ]);
});

test("the page says what the sandbox does on purpose, and how a person sends to it", async () => {
  const sandbox = await sandboxUnderTest({
    ...{ rejectRate: 0.06, outage: { forMs: 3000, afterMs: 1000 }, latencyMs: 20 },
    ...{ rateLimitPerSecond: 400, seed: 3, token: "one", program: "npx eventload" },
  });
  expect(await stateOf(sandbox)).toMatchObject({
    faults: [
      ...["rejects 6 %", "is down for 3 s, 1 s after the first request"],
      ...["takes 400 requests a second", "waits 20 ms", "seed 3"],
    ],
    example: `npx eventload import people.csv --base-url ${sandbox.url}`,
  });
  expect((await stateOf(await sandboxUnderTest())).faults).toEqual([]);
});

test("kinds of errors beyond the first six are a click away", async () => {
  const failing = await sandboxUnderTest({ rejectRate: 1, seed: 3 });
  const members = Array.from({ length: 200 }, (_, at) => `m${at % 9}`);
  for (const name of members)
    await post(failing, { body: JSON.stringify({ event: "a", [name]: 1 }) });
  const chips = async (query: string) => {
    const text = await (await fetch(`${failing.pageUrl}?${query}`)).text();
    return [text.match(/class="chip"/g)?.length, /(\d more|Fewer)<\/a>/.exec(text)?.[1]];
  };
  expect([await chips(""), await chips("kinds=all")]).toEqual([
    [6, "3 more"],
    [9, "Fewer"],
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
    await page.getByText(`--base-url ${sandbox.url}`).waitFor();
    await expectAccessible(page);
    await post(sandbox, { body: JSON.stringify({ event: hostile, big: 1 }) });
    await post(sandbox, { body: '{"event":"b","id":12345678901234567890}' });
    await post(sandbox, { path: `/${hostile.replaceAll(" ", "%20")}` });

    await page.locator("#requests li:nth-child(3)").waitFor();
    expect(await page.locator("#tiles a").allTextContents()).toEqual([
      ...["All 3", "Accepted 2", "Refused 1", "Failed 0"],
    ]);
    // What went wrong is shown first.
    await page.locator("#title", { hasText: "404 #3" }).waitFor();
    if (width < 600) await page.getByRole("button", { name: "Show" }).click();
    await expectAccessible(page);
    await page.getByRole("link", { name: "Older" }).click();
    const body = async () => (await page.locator("#body").textContent())?.trim();
    // A number that would change stays as it came.
    expect(await body()).toBe('{"event":"b","id":12345678901234567890}');
    await page.fill("#find", "BIG");
    await page.locator("#title", { hasText: "202 #1" }).waitFor();
    expect(await body()).toBe(JSON.stringify({ event: hostile, big: 1 }, null, 2));
    expect(await page.locator("#body .hit").allTextContents()).toEqual(['  "big": 1\n']);
    await page.getByText("1 of the last 3 requests", { exact: true }).waitFor();
    await page.fill("#find", "nowhere");
    await page.getByText("None of the last 3 requests").waitFor();
    await page.fill("#find", "");
    await page.getByRole("link", { name: "Accepted 2" }).click();
    await page.locator("#requests li:nth-child(2):last-child").waitFor();
    expect(await page.title()).toBe("eventload sandbox");
    expect(noises).toEqual([]);
    await sandbox.stop();
    await page.getByText("it does not answer").waitFor();
    await expectAccessible(page);
  });

  test("the list goes by keys, and stays where it is when more comes", async () => {
    const sandbox = await sandboxUnderTest();
    for (const id of [1, 2, 3]) await post(sandbox, { body: JSON.stringify({ event: "a", id }) });
    const { page } = await openPage(sandbox.pageUrl);
    await page.locator("#requests a").first().focus();
    await page.keyboard.press("ArrowDown");
    await page.locator("#title", { hasText: "#2" }).waitFor();
    await post(sandbox, { body: '{"event":"a","id":4}' });
    await page.locator("#requests li:nth-child(4)").waitFor();
    expect(await page.evaluate("document.activeElement.textContent")).toContain("#2");
    expect(await page.locator("#title").textContent()).toContain("#2");
  });
});
