import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { writeReport } from "../../src/run/account/write-report.ts";
import { chromiumPath, launchChromium } from "./chromium.ts";
import { hostile, runToReport, troubledReplies } from "./reported-run.ts";
import { textColours } from "./text-colours.mjs";

const why = chromiumPath === undefined ? " (skipped: no /usr/bin/chromium, nor CHROMIUM_PATH)" : "";

describe.skipIf(chromiumPath === undefined)(`a report in a browser${why}`, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser.close());

  /** What a page says or asks for besides being shown. */
  async function open(path: string, look: Parameters<Browser["newPage"]>[0] = {}) {
    const page = await browser.newPage(look);
    onTestFinished(() => page.close());
    const noises: string[] = [];
    page.on("console", (message) => noises.push(message.text()));
    page.on("pageerror", (error) => noises.push(String(error)));
    page.on("dialog", (dialog) => {
      noises.push(dialog.message());
      void dialog.dismiss();
    });
    const url = pathToFileURL(path).href;
    page.on("request", (request) => {
      if (request.url() !== url) noises.push(request.url());
    });
    await page.goto(url);
    return { page, noises };
  }

  const figures = async (page: Page) =>
    Object.fromEntries(
      await page
        .locator("data[data-name]")
        .evaluateAll((found) =>
          found.map((one) => [one.getAttribute("data-name"), Number(one.getAttribute("value"))]),
        ),
    ) as Record<string, number>;

  const troubled = async () => {
    const run = await runToReport(troubledReplies);
    await run.workspace.import(run.url, { concurrency: 3 });
    const { output } = await writeReport({ results: run.workspace.path("people.results.csv") });
    return { run, output };
  };

  it("says what the manifest says, without a noise", async () => {
    const { run, output } = await troubled();
    const { page, noises } = await open(output);
    const manifest = await run.manifest();
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
      "holds.charts": 1,
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
    expect(await page.locator("script").count()).toBe(1);
    const text = await page.locator("main").innerText();
    expect(text).toContain("<script>hacked = 1</script>");
    expect(text).toContain(`onerror="hacked=1">`.replaceAll('"', '\\"'));
    expect(await page.locator("h4", { hasText: hostile.slice(0, 20) }).count()).toBeGreaterThan(0);
    expect(noises).toEqual([]);
  });

  it("would not run a script that stood in it", async () => {
    const { run, output } = await troubled();
    const page = await run.workspace.text("people.report.html");
    const bent = page.replace(
      "</main>",
      "<script>hacked = 1</script><img src=x onerror='hacked=1'></main>",
    );
    await run.workspace.write("bent.html", bent);
    const opened = await open(run.workspace.path("bent.html"));
    expect(await opened.page.evaluate(() => "hacked" in globalThis)).toBe(false);
    expect(opened.noises.join()).toContain("Content Security Policy");
    expect(output).toContain("people.report.html");
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
      const [light, dark] = [luminance(colour), luminance(behind)].toSorted((a, b) => b - a);
      const contrast = ((light ?? 0) + 0.05) / ((dark ?? 0) + 0.05);
      expect(contrast, text).toBeGreaterThanOrEqual(4.5);
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

  it("finds a row by its number or a cell, and says when it is not among the failed rows", async () => {
    const { output } = await troubled();
    const { page, noises } = await open(output);
    const field = page.getByLabel("Find a row by its number or a cell");
    const lines = page.locator("tr[data-row]:visible");
    const said = page.getByRole("status");
    expect(await lines.count()).toBe(0);
    await field.fill("row 14");
    expect(await lines.locator("th").allInnerTexts()).toEqual(["14"]);
    expect(await said.innerText()).toBe("1 line");
    await field.fill("aNN 33");
    expect(await lines.locator("th").allInnerTexts()).toEqual(["34"]);
    await field.fill("999");
    expect(await said.innerText()).toContain("That row is not among the failed rows: it was");
    expect(await page.locator(".group:visible").count()).toBe(0);
    await field.fill("33");
    expect(await said.innerText()).toMatch(/^That row is not .* In a cell: \d+ lines?$/);
    await field.fill("");
    expect(await page.locator(".group:visible").count()).toBeGreaterThan(1);
    expect(await lines.count()).toBe(0);
    expect(noises).toEqual([]);
  });

  it("without its script hides the field, and shows the rest", async () => {
    const { output } = await troubled();
    const { page } = await open(output, { javaScriptEnabled: false });
    expect(await page.getByLabel("Find a row").isVisible()).toBe(false);
    await page.locator(".list summary").first().click();
    expect(await page.locator("tr[data-row]").first().isVisible()).toBe(true);
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

/** As WCAG has it. */
function luminance(colour: string): number {
  const channels = (colour.match(/[\d.]+/g) ?? []).slice(0, 3).map((part) => {
    const share = Number(part) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  const [red = 0, green = 0, blue = 0] = channels;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
