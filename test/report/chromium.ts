import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, describe, onTestFinished } from "vitest";

/** Where Chromium is, if this machine has one: Debian's, or what `CHROMIUM_PATH` names. */
const chromiumPath = [process.env.CHROMIUM_PATH, "/usr/bin/chromium"].find(
  (path) => path !== undefined && path !== "" && existsSync(path),
);

/** Root may run it without its sandbox only, and on a closed network it should ask for nothing. */
const args = [
  ...["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"],
  ...["--disable-background-networking", "--disable-component-update", "--disable-sync"],
];

/** Describes what needs a browser, with one for all of its tests. Without Chromium it is skipped. */
export function describeInChromium(what: string, tests: (open: typeof openPage) => void) {
  const why =
    chromiumPath === undefined ? " (skipped: no /usr/bin/chromium, nor CHROMIUM_PATH)" : "";
  describe.skipIf(chromiumPath === undefined)(`${what}${why}`, () => {
    beforeAll(async () => {
      browser = await chromium.launch({ executablePath: chromiumPath ?? "", args });
    });
    afterAll(() => browser.close());
    tests(openPage);
  });
}

let browser: Browser;

/** Opens a page, and collects what it says or asks for elsewhere. */
async function openPage(url: string, look: Parameters<Browser["newPage"]>[0] = {}) {
  const page = await browser.newPage(look);
  page.setDefaultTimeout(10_000);
  onTestFinished(() => page.close());
  const noises: string[] = [];
  page.on("console", (message) => noises.push(message.text()));
  page.on("pageerror", (error) => noises.push(String(error)));
  page.on("request", (request) => {
    const isOwn = request.url().startsWith(url) || request.url().startsWith("data:");
    if (!isOwn) noises.push(request.url());
  });
  await page.goto(url);
  return { page, noises };
}
