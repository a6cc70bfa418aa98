import { expect, test } from "vitest";
import { createSealer, readLog } from "../../src/journal/log.ts";

test.each([
  ["a", 10],
  ["€", 21_845],
  ["€", 30_000],
  ["😀", 50_000],
  ["é", 200_000],
  ["é", 2_000_000],
])("A batch of %j, %i times, is read as it was, also after another", async (character, times) => {
  const sealed = createSealer();
  const begin = Buffer.from(sealed(`"${"x".repeat(100)}"\n`, 0));
  const text = character.repeat(times);
  const log = Buffer.concat([begin, sealed(`"${text}"\n`, begin.length)]);
  const batches: unknown[] = [];
  for await (const { lines } of readLog([log])) batches.push(...lines);
  expect(batches).toEqual(["x".repeat(100), text]);
});
