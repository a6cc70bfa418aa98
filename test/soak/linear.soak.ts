import { expect, it } from "vitest";
import { runFuzz } from "../linear/run-fuzz.ts";

// SOAK_SECONDS and SOAK_SEED choose how long, and show a text again.
const seconds = process.env.SOAK_SECONDS ?? "60";
const firstSeed = process.env.SOAK_SEED ?? `${Math.floor(Math.random() * 2 ** 31)}`;

it.each([["plain"], [firstSeed, seconds]])(
  "no text that repeats itself makes a function take longer than in proportion: %s",
  async (...args) => {
    const { failures, ...counts } = await runFuzz(...args);
    console.log(JSON.stringify(counts));
    expect(failures).toEqual([]);
  },
);
