import { parseRate } from "../model/quantities.ts";
import { type Option, readAs, wrong } from "./option.ts";

const longestSeconds = 86_400;

/** An option that takes a duration in seconds, `1.5` or `1.5s`; it is read as milliseconds. */
export function seconds(describe: string): Option {
  return {
    describe,
    kind: "value",
    schema: {
      anyOf: [
        { type: "number", exclusiveMinimum: 0, maximum: longestSeconds },
        { type: "string", pattern: "^[0-9]+([.][0-9]+)?s$" },
      ],
    },
    read(given) {
      const [, digits] = /^(\d+(?:\.\d+)?)s?$/.exec(given.trim()) ?? [];
      const durationMs = Math.round(Number(digits) * 1000);
      if (durationMs >= 1 && durationMs <= longestSeconds * 1000) return readAs(durationMs);
      return wrong(` needs seconds, such as 30 or 2.5, not "${given}"`);
    },
  };
}

const unitMs: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000 };

/** An option that takes a duration, `90s`, `15m`, `1h` or 0; it is read as milliseconds. */
export function duration(describe: string): Option {
  return {
    describe,
    kind: "value",
    schema: { anyOf: [{ const: 0 }, { type: "string", pattern: "^[0-9]+([.][0-9]+)?[smh]$" }] },
    read(given) {
      if (given.trim() === "0") return readAs(0);
      const [, digits, unit = ""] = /^(\d+(?:\.\d+)?)([smh])$/.exec(given.trim()) ?? [];
      const durationMs = Math.round(Number(digits) * (unitMs[unit] ?? Number.NaN));
      if (durationMs <= longestSeconds * 1000) return readAs(durationMs);
      return wrong(` needs a duration such as 90s, 15m or 1h, a day at most, not "${given}"`);
    },
  };
}

/** An option that takes a rate; it is read as a number a second. */
export function rate(describe: string): Option {
  return {
    describe,
    kind: "value",
    schema: { type: "string", pattern: "^[0-9]+([.][0-9]+)?/[smh]$" },
    read(given) {
      const parsed = parseRate(given);
      return parsed.kind === "rate" ? readAs(parsed.perSecond) : wrong(`: ${parsed.message}`);
    },
  };
}
