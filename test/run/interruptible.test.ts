import { describe, expect, test } from "vitest";
import type { StopController } from "../../src/model/stop.ts";
import { interruptible } from "../../src/run/account/interruptible.ts";
import type { ImportOptions } from "../../src/run/options/import-options.ts";
import type { ImportNotice } from "../../src/run/options/run-events.ts";

const least: ImportOptions = {
  input: "people.csv",
  mapping: "people.yaml",
  baseUrl: "https://example.com",
  token: "a-token",
};

const warning: ImportNotice = { kind: "warning", message: "odd" };

describe("a signal", () => {
  test("ends what it is given, with the reason", async () => {
    const interrupt = new AbortController();
    const reason = await interruptible({ ...least, signal: interrupt.signal }, async (_, stop) => {
      expect(stop.signal.reason).toBeUndefined();
      interrupt.abort();
      return stop.signal.reason;
    });
    expect(reason).toEqual({
      code: "interrupted",
      message: "Interrupted: what was in flight is recorded.",
    });
  });

  test("that was given before ends it before it begins", async () => {
    const options = { ...least, signal: AbortSignal.abort() };
    expect(await interruptible(options, async (_, { signal }) => signal.reason?.code)).toBe(
      "interrupted",
    );
  });

  test("is let go of, however it ends", async () => {
    const interrupt = new AbortController();
    let switches: StopController | undefined;
    const options = { ...least, signal: interrupt.signal };
    const failing = interruptible(options, async (_, stop) => {
      switches = stop;
      throw new Error("cannot start");
    });
    await expect(failing).rejects.toThrow("cannot start");
    interrupt.abort();
    expect(switches?.signal.reason).toBeUndefined();
  });
});

describe("a listener", () => {
  test("that throws ends the run; what it threw first is thrown when all is done", async () => {
    let isDone = false;
    const run = interruptible(
      {
        ...least,
        onNotice: () => {
          throw new Error("from a notice");
        },
        onProgress: () => {
          throw new Error("from progress");
        },
      },
      async ({ onNotice, onProgress }, stop) => {
        onNotice?.(warning);
        expect(stop.signal.reason?.code).toBe("interrupted");
        onProgress?.({ phase: "check", rows: 0, invalidRows: 0, bytesRead: 0, totalBytes: 0 });
        await Promise.resolve();
        isDone = true;
      },
    );
    await expect(run).rejects.toThrow("from a notice");
    expect(isDone).toBe(true);
  });

  test("gets each notice, and the result is handed on", async () => {
    const told: ImportNotice[] = [];
    const options = { ...least, onNotice: (notice: ImportNotice) => told.push(notice) };
    const result = await interruptible(options, async ({ onNotice }) => {
      onNotice?.(warning);
      return 7;
    });
    expect([result, told]).toEqual([7, [warning]]);
  });

  test("that was not given stays so, or nobody would know that nobody listens", async () => {
    const given = await interruptible(least, async (options) => options);
    expect(given).not.toHaveProperty("onProgress");
    expect(given).not.toHaveProperty("onNotice");
  });
});
