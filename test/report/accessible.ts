import axe from "axe-core";
import type { Page } from "playwright-core";
import { expect } from "vitest";

/**
 * Expects that axe-core has nothing to say against a page as it is now, contrast and names of controls among it, and
 * that it does not scroll to the side.
 */
export async function expectAccessible(page: Page): Promise<void> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<axe.AxeResults>("axe.run()");
  const found = violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`),
  );
  expect(found).toEqual([]);
  const { width = 0 } = page.viewportSize() ?? {};
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
}
