import fc from "fast-check";
import { expect, test } from "vitest";
import { isOver } from "../../../src/run/state/compare.ts";
import type { Effect } from "../../../src/run/state/night.ts";
import { mulberry32 } from "../../../src/sandbox/faults.ts";
import { createSimulatedDisk, type Fault } from "../../journal/simulated-disk.ts";
import { runs } from "../../runs.ts";
import { compare, open, runNight, type TestRow } from "./night-under-test.ts";

const keys = ["ann@example.com", "bob@example.com", "eve@example.com", "joe@example.com"] as const;

/** A few rows that nights choose from, so that one is often much like the one before. */
const rows = fc.array(
  fc.record({
    key: fc.constantFrom(...keys),
    values: fc.array(fc.constantFrom("1", "2"), { minLength: 1, maxLength: 2 }),
  }),
  { minLength: 2, maxLength: 8 },
);
const night = fc.record({
  /** What becomes of each row. */
  rows: fc.array(
    fc.constantFrom("sound", "sound", "sound", "sound", "absent", "skipped", "invalid"),
  ),
  hasUnreadableRow: fc.constantFrom(false, false, false, true),
  seed: fc.integer(),
  /** The share of the events that are not accepted. */
  failing: fc.constantFrom(0, 0, 0.2, 0.6),
  fault: fc.option(
    fc.record({
      at: fc.integer({ min: 1, max: 40 }),
      kind: fc.constantFrom<Fault[]>("crash", "EIO", "ENOSPC", "short", "full"),
    }),
    { nil: undefined },
  ),
  after: fc.constantFrom("kill", "power cut"),
});

const numRuns = 300;

test(
  "whatever becomes of nights, one that succeeds brings the service to what its input says",
  async () => {
    let broken = 0;
    const property = fc.asyncProperty(
      rows,
      fc.array(night, { minLength: 1, maxLength: 6 }),
      fc.array(fc.boolean()),
      fc.boolean(),
      async (rows, nights, isInLast, makesGone) => {
        const asSent = rows.map((row): TestRow => ({ kind: "events", ...row }));
        /** All that took effect in the service, by key; undefined says that the key is gone. */
        const service = new Map<string, (string | undefined)[]>();
        const arrives = (key: string, value: string | undefined) => {
          service.set(key, [...(service.get(key) ?? []), value]);
        };
        let faultAt: (call: number) => Fault | undefined = () => undefined;
        const faults = (call: number) => faultAt(call);
        let disk = createSimulatedDisk(faults);
        for (const [at, { seed, failing, fault, after, ...night }] of nights.entries()) {
          const random = mulberry32(seed);
          const before = disk.calls();
          faultAt = (call) => {
            const isNow =
              fault?.kind === "crash" ? call >= before + fault.at : call - before === fault?.at;
            return isNow ? fault?.kind : undefined;
          };
          const tonights = asSent.flatMap((row, at): TestRow[] => {
            const fate = night.rows[at] ?? "sound";
            if (fate === "absent") return [];
            return fate === "sound" ? [row] : [{ kind: fate as "skipped", key: row.key ?? "" }];
          });
          if (night.hasUnreadableRow) tonights.push({ kind: "invalid" });
          const send = (key: string, value: string | undefined): Effect => {
            const isAccepted = random() >= failing;
            if (isAccepted || random() < 0.5) {
              arrives(key, value);
              return isAccepted ? "succeeded" : "unknown";
            }
            return random() < 0.5 ? "none" : "unknown";
          };
          const ports = { date: `2026-11-0${at + 1}`, makesGone, random, send };
          await runNight(disk, tonights, ports).catch((error: Error & { code?: string }) => {
            const isOfDisk = ["CannotStartError", "DiskError"].includes(error.name);
            // A fault may keep the state from being read, but damages it never.
            const isDamaged = error.code === "state_unreadable" && fault === undefined;
            if (!isOfDisk || isDamaged) throw error;
            broken++;
          });
          faultAt = () => undefined;
          if (after === "power cut") disk = disk.afterPowerCut(random, faults);
          // Where only the run fails or is killed, the machine may lose its power later.
          else if (fault?.kind === "crash" || fault?.kind === "full") disk = disk.afterKill(faults);
        }
        const last = asSent.filter((_, at) => isInLast[at] ?? true);
        const random = mulberry32(1);
        const send = (key: string, value: string | undefined): Effect => {
          arrives(key, value);
          return "succeeded";
        };
        const found = await runNight(disk, last, { date: "2026-11-30", makesGone, random, send });
        for (const key of keys) {
          const wanted = last.flatMap((row) => (row.key === key ? valuesOf(row) : []));
          const has = service.get(key) ?? [];
          if (wanted.length > 0) expect(has.slice(-wanted.length)).toEqual(wanted);
          else if (makesGone) expect(has.at(-1)).toBeUndefined();
        }
        // A night that sends nothing syncs nothing.
        const left = isOver(found) ? disk : disk.afterPowerCut(random);
        expect(isOver(compare(await open(left), last, makesGone))).toBe(true);
      },
    );
    await fc.assert(property, { numRuns });
    expect(broken).toBeGreaterThan(numRuns / 4);
  },
  runs(numRuns) * 200,
);

function valuesOf(row: TestRow): readonly string[] {
  return row.kind === "events" ? row.values : [];
}
