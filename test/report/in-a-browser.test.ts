import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { lookScript } from "../../src/model/look/look-script.ts";
import { writeReport } from "../../src/run/account/write-report.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { expectAccessible } from "./accessible.ts";
import { describeInChromium } from "./chromium.ts";
import { luminance } from "./contrast.ts";
import { hostile, runToReport, troubledReplies } from "./reported-run.ts";

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
      ...{ "open.invalid": counts.invalid, "open.rejected": counts.rejected },
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
    expect(await page.locator("script").allTextContents()).toEqual([lookScript]);
    const text = await page.locator("main").innerText();
    expect(text).toContain("<script>hacked = 1</script>");
    expect(text).toContain(`onerror="hacked=1">`);
    expect(await page.locator("mark", { hasText: hostile.slice(0, 20) }).count()).toBeGreaterThan(
      0,
    );
    expect(noises).toEqual([]);
  });

  it("would not run a script that stood in it", async () => {
    const script = "<script>hacked = 1</script><img src=x onerror='hacked=1'></main>";
    const { output } = await troubled((html) => html.replace("</main>", script));
    const { page, noises } = await open(output);
    expect(await page.evaluate(() => "hacked" in globalThis)).toBe(false);
    expect(noises.join()).toContain("Content Security Policy");
  });

  /** The report of an import of which nothing is open, or that stopped, or without cells. */
  async function otherwise(kind: "delivered" | "stopped" | "masked") {
    const stop = new AbortController();
    const replyTo = (request: number) => {
      if (kind === "stopped" && request === 9) stop.abort();
      return { status: 200 };
    };
    const { workspace, url } = await runToReport(replyTo);
    if (kind === "delivered") await workspace.write("people.csv", "Name,Age,Note\nAnn,40,\n");
    await workspace.import(url, { concurrency: 1, signal: stop.signal });
    const results = workspace.path("people.results.csv");
    return await writeReport({ results, maskCells: kind === "masked" });
  }

  it.each([
    ["open", "30 of 40 rows delivered", "light", 1280],
    ["open", "8 still open", "dark", 1920],
    ["open", "8 still open", "dark", 390],
    ["open", "8 still open", "light", 320],
    ["delivered", "1 row delivered", "light", 390],
    ["stopped", "rows to go", "dark", 1280],
    ["masked", "4 still open", "light", 1280],
  ] as const)(
    "of an import, %s, says %s, in the %s at a width of %d",
    async (kind, headline, colorScheme, width) => {
      const { output } = kind === "open" ? await troubled() : await otherwise(kind);
      const { page } = await open(output, { colorScheme, viewport: { width, height: 800 } });
      expect(await page.locator("h1").innerText()).toContain(headline);
      const ground = await page.evaluate<string>("getComputedStyle(document.body).backgroundColor");
      expect(luminance(ground) < 0.2).toBe(colorScheme === "dark");
      await expectAccessible(page);
      await page.evaluate(
        "for (const one of document.querySelectorAll('details')) one.open = true",
      );
      for (const all of await page.locator(".all").all()) await all.check();
      await expectAccessible(page);
    },
  );

  it("copies the next command, by keys alone", async () => {
    const { output } = await troubled();
    const { page } = await open(output);
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Copied" }).waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(
      "eventload retry people.failed.csv",
    );
  });

  it("on paper shows what is folded, but of that no rows", async () => {
    const { output } = await troubled();
    const { page } = await open(output);
    await page.emulateMedia({ media: "print" });
    expect(await page.locator(".group[open] .scroll").isVisible()).toBe(true);
    expect(await page.locator(".group:not([open]) .body").first().isVisible()).toBe(true);
    expect(await page.locator(".group:not([open]) .scroll").first().isVisible()).toBe(false);
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
