import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { writeReport } from "../../src/run/account/write-report.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { describeInChromium } from "./chromium.ts";
import { contrast, luminance } from "./contrast.ts";
import { hostile, runToReport, troubledReplies } from "./reported-run.ts";
import { textColours } from "./text-colours.mjs";

describeInChromium("a report in a browser", (openPage) => {
  const open = (path: string, look?: Parameters<typeof openPage>[1]) =>
    openPage(pathToFileURL(path).href, look);

  const figures = async (page: Page) =>
    Object.fromEntries(
      await page
        .locator("data[data-name]")
        .evaluateAll((found) =>
          found.map((one) => [one.getAttribute("data-name"), Number(one.getAttribute("value"))]),
        ),
    ) as Record<string, number>;

  /** An import with much trouble, which takes some seconds: one for all tests. */
  async function made() {
    const run = await runToReport(troubledReplies);
    await run.workspace.import(run.url, { concurrency: 3 });
    await writeReport({ results: run.workspace.path("people.results.csv") });
    const html = await run.workspace.text("people.report.html");
    return { html, manifest: await run.manifest() };
  }
  let known: ReturnType<typeof made> | undefined;
  const troubled = async (change = (html: string) => html) => {
    known ??= made();
    const { html, manifest } = await known;
    const output = join(await temporaryFolder(), "people.report.html");
    await writeFile(output, change(html));
    return { output, manifest };
  };

  it("says what the manifest says, without a noise", async () => {
    const { output, manifest } = await troubled();
    const { page, noises } = await open(output);
    const { series, answers, kinds } = manifest.figures;
    const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
    const { not_sent: _, ...counts } = manifest.counts as Record<string, number>;
    const some = Object.entries(counts).filter(([, number]) => number > 0);
    expect(await figures(page)).toMatchObject({
      ...Object.fromEntries(some.map(([status, number]) => [`counts.${status}`, number])),
      ...Object.fromEntries(answers.map(({ status, count }) => [`answers.${status}`, count])),
      ...{ attempts: manifest.attempts, unanswered: 1, retries: sum(series.retries) },
      ...{ refused: counts.invalid, not_delivered: (counts.rejected ?? 0) + (counts.failed ?? 0) },
      ...{ "holds.rows": 1, "holds.written": 1, "holds.lines": 1, "holds.failed_rows": 1 },
    });
    expect(sum(answers.map(({ count }) => count)) + manifest.unanswered).toBe(manifest.attempts);
    expect(kinds).toEqual([
      { kind: "contact.imported", requests: manifest.attempts, succeeded: counts.succeeded },
    ]);
    expect(noises).toEqual([]);
  });

  it("shows hostile cells and messages as text", async () => {
    const { output } = await troubled();
    const { page, noises } = await open(output);
    expect(await page.evaluate(() => "hacked" in globalThis)).toBe(false);
    expect(await page.locator("img, iframe, object, [onerror]").count()).toBe(0);
    expect(await page.locator("script").count()).toBe(0);
    const text = await page.locator("main").innerText();
    expect(text).toContain("<script>hacked = 1</script>");
    expect(text).toContain(`onerror="hacked=1">`.replaceAll('"', '\\"'));
    expect(await page.locator("h4", { hasText: hostile.slice(0, 20) }).count()).toBeGreaterThan(0);
    expect(noises).toEqual([]);
  });

  it("would not run a script that stood in it", async () => {
    const script = "<script>hacked = 1</script><img src=x onerror='hacked=1'></main>";
    const { output } = await troubled((html) => html.replace("</main>", script));
    const { page, noises } = await open(output);
    expect(await page.evaluate(() => "hacked" in globalThis)).toBe(false);
    expect(noises.join()).toContain("Content Security Policy");
  });

  it.each([
    ["light", 1280],
    ["dark", 1280],
    ["light", 390],
    ["dark", 390],
    ["light", 320],
  ] as const)("can be read in the %s at a width of %d", async (colorScheme, width) => {
    const { output } = await troubled();
    const { page } = await open(output, { colorScheme, viewport: { width, height: 800 } });
    // What is wide has a scroll bar of its own, and the page has none to the side.
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
    const ground = await page.evaluate<string>("getComputedStyle(document.body).backgroundColor");
    expect(luminance(ground) < 0.2).toBe(colorScheme === "dark");
    const pale = await page.evaluate(textColours);
    for (const { text, colour, behind } of pale) {
      expect(contrast(colour, behind), text).toBeGreaterThanOrEqual(4.5);
    }
    expect(pale.length).toBeGreaterThan(50);
  });

  it("on paper shows what is folded, but no lists of rows", async () => {
    const { output } = await troubled();
    const { page } = await open(output);
    await page.emulateMedia({ media: "print" });
    expect(await page.locator(".list").first().isVisible()).toBe(false);
    expect(await page.getByText("Rows of the input = rows in the results").isVisible()).toBe(true);
  });

  it("has headings in their order, and a name for each chart and region", async () => {
    const { output } = await troubled();
    const { page } = await open(output);
    const levels = await page
      .locator("h1, h2, h3, h4")
      .evaluateAll((found) => found.map(({ tagName }) => Number(tagName[1])));
    expect(levels.filter((level) => level === 1)).toHaveLength(1);
    levels.forEach((level, at) => {
      expect(level - (levels[at - 1] ?? 0)).toBeLessThanOrEqual(1);
    });
    for (const region of await page.getByRole("region").all()) {
      expect(
        await region.evaluate((one) => one.ariaLabel ?? one.getAttribute("aria-labelledby")),
      ).toBeTruthy();
    }
    const ids = await page.locator("[id]").evaluateAll((found) => found.map(({ id }) => id));
    expect(new Set(ids).size).toBe(ids.length);
  });
});
