import { expect, it } from "vitest";
import { runFuzz } from "./run-fuzz.ts";

// Any other texts are for `npm run test:soak`.
it("no text that once took forever does so in any function that it passes", async () => {
  const { functions, texts, failures } = await runFuzz("hostile");
  expect(failures).toEqual([]);
  expect(functions).toBeGreaterThan(60);
  expect(texts).toBeGreaterThan(10 * functions);
});
