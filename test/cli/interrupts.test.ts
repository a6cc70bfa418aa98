import { expect, it } from "vitest";
import { exitStatus, type InterruptSignal } from "../../src/cli/host.ts";
import { listenForInterrupts } from "../../src/cli/interrupts.ts";

it.each<[string, InterruptSignal[], InterruptSignal, string[]]>([
  ["a hang-up that is told again", ["SIGHUP", "SIGHUP", "SIGHUP"], "SIGHUP", ["first"]],
  ["a hang-up while it drains", ["SIGINT", "SIGHUP"], "SIGINT", ["first"]],
  ["another interrupt after a hang-up", ["SIGHUP", "SIGTERM"], "SIGHUP", ["first", "second"]],
  ["Ctrl-C twice", ["SIGINT", "SIGINT"], "SIGINT", ["first", "second"]],
  ["Ctrl-C three times", ["SIGINT", "SIGINT", "SIGINT"], "SIGINT", ["first", "second"]],
])("%s", async (_, signals, counted, stages) => {
  let interrupt = (_: InterruptSignal) => {};
  const told: string[] = [];
  const interrupts = listenForInterrupts(
    {
      onInterrupt(listener) {
        interrupt = listener;
        return () => {};
      },
    },
    { first: () => told.push("first"), second: () => told.push("second") },
  );
  for (const signal of signals) interrupt(signal);
  expect(interrupts.signal).toBe(counted);
  expect(told).toEqual(stages);
  if (stages.includes("second")) expect(await interrupts.left).toBe(exitStatus[counted]);
});
