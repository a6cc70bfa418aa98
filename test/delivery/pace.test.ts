import { expect, test } from "vitest";
import { faultsOf, measurePace } from "../pace/measure-pace.ts";
import { paceRows } from "../pace/pace-rows.ts";
import { isThorough } from "../runs.ts";

/** Some that cost little; `npm run bench:pace` has all of them. */
const few = [
  "10/s, burst 5, 503, 50 ms",
  "50/s, burst 1, 503, 5 ms",
  "50/s, burst 5, 503, 50 ms",
  "100/s, burst 20, 429, 50 ms",
  "100 in 10 s, 503",
  "4 at a time, 503, 20 ms",
  "4 connections, others refused, idle for 65 s",
  "4 connections, others reset, idle for 5 s",
  "10 s of silent",
  "5 % 429",
  "1000 in 10 s, estimated, refused ones count, 429, busy",
  "5 s asked by request 1 and 2 and 3, 429",
];

test.each(
  paceRows.flatMap((row) =>
    row.models
      .filter(({ name }) => isThorough || few.includes(name))
      .map((model) => [model.name, row, model] as const),
  ),
)("the limit of a service is found: %s", async (_, row, model) => {
  expect(faultsOf(row, await measurePace(model))).toEqual([]);
});
