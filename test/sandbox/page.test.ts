import { expect, test } from "vitest";
import type { SandboxState } from "../../src/sandbox/sandbox-page.ts";
import type { Sandbox } from "../../src/sandbox/start-sandbox.ts";
import { expectAccessible } from "../report/accessible.ts";
import { describeInChromium } from "../report/chromium.ts";
import { fateOf, post, sandboxUnderTest } from "./sandbox-under-test.ts";

const hostile = `<img src=x onerror="document.title='hacked'">`;

/** What the page shows, for programs. */
async function stateOf(sandbox: Sandbox, find = ""): Promise<SandboxState> {
  const query = new URLSearchParams({ find });
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
  expect(state).toMatchObject({ found: 34, kept: 1000 });
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
    await page.getByText(`--base-url ${sandbox.url}`).waitFor();
    await expectAccessible(page);
    await post(sandbox, { body: JSON.stringify({ event: hostile, big: 1 }) });
    await post(sandbox, { body: '{"event":"b","id":12345678901234567890}' });
    await post(sandbox, { path: `/${hostile.replaceAll(" ", "%20")}` });

    await page.locator("#requests li:nth-child(3)").waitFor();
    expect(await page.locator("#counts li").allTextContents()).toEqual([
      ...["requests: 3", "accepted: 2 (users: 2)", "refused: 1 (404: 1)"],
    ]);
    await expectAccessible(page);
    // A number that would change stays as it came.
    const second = page.locator("#requests li:nth-child(2)");
    await second.locator("summary").click();
    expect((await second.locator("pre").textContent())?.trim()).toBe(
      '{"event":"b","id":12345678901234567890}',
    );
    await expectAccessible(page);
    const find = async (text: string) => {
      await page.fill("#find", text);
      await page.press("#find", "Enter");
    };
    await find("BIG");
    await page.getByText("1 of the last 3 requests", { exact: true }).waitFor();
    await page.locator("#requests summary").click();
    expect(await page.locator("#requests pre").textContent()).toBe(
      JSON.stringify({ event: hostile, big: 1 }, null, 2),
    );
    await find("nowhere");
    await page.getByText("0 of the last 3 requests").waitFor();
    expect(await page.title()).toBe("eventload sandbox");
    expect(noises).toEqual([]);
    await sandbox.stop();
    await page.getByText("it does not answer").waitFor();
    await expectAccessible(page);
  });

  test("a request that is open stays when more comes", async () => {
    const sandbox = await sandboxUnderTest();
    for (const id of [1, 2, 3]) await post(sandbox, { body: JSON.stringify({ event: "a", id }) });
    const { page } = await openPage(sandbox.pageUrl);
    await page.locator("#requests li:nth-child(2) summary").click();
    await post(sandbox, { body: '{"event":"a","id":4}' });
    await page.waitForResponse((response) => response.url() === sandbox.pageUrl);
    await page.locator("#requests li:nth-child(2) summary", { hasText: "#2" }).click();
    await page.locator("#requests li:nth-child(4)").waitFor();
  });
});
