import fc from "fast-check";
import { expect, test } from "vitest";
import { keyFailureWords, type OnKeyFailure } from "../../src/model/outcome.ts";
import type { ImportOptions } from "../../src/run/options/import-options.ts";
import {
  openService,
  type Receipt,
  type Reply,
  startService,
} from "../delivery/service-under-test.ts";
import { openWorkspace, type Workspace } from "./import-under-test.ts";
import { accepted, eventIn } from "./planned-people.ts";

function mappingWith(onKeyFailure: OnKeyFailure): string {
  const policy = onKeyFailure === "default" ? "" : `on_key_failure: ${onKeyFailure}\n`;
  const members =
    "{ row: { meta: row }, id: { meta: event_id }, key: key, n: { column: n, type: integer } }";
  return `version: 1
ordering_key: [key]
${policy}events:
  - { resource: users, event: a, members: ${members} }
  - { resource: contacts, event: b, when: { column: both, in: [y] }, members: ${members} }
`;
}

interface Person {
  readonly key: string;
  readonly isValid: boolean;
  readonly isRagged: boolean;
  readonly both: boolean;
  /** How each of its events is taken, each time. */
  readonly replies: readonly [Reply, Reply];
}

const reply = fc.oneof(
  { weight: 6, arbitrary: fc.constant<Reply>(accepted) },
  fc.constantFrom<Reply>({ status: 422 }, { status: 500 }, "cut"),
);
const people = fc.array(
  fc.record<Person>({
    key: fc.constantFrom("a", "b", ""),
    isValid: fc.integer({ max: 5 }).map((chance) => chance % 6 !== 0),
    isRagged: fc.integer({ min: 0, max: 9 }).map((chance) => chance === 0),
    both: fc.boolean(),
    replies: fc.tuple(reply, reply),
  }),
  { minLength: 3, maxLength: 16 },
);

function csvOf(given: readonly Person[]): string {
  const lines = given.map(({ key, isValid, isRagged, both }) => {
    if (isRagged) return `${key},1,y,more`;
    return `${key},${isValid ? 1 : "x"},${both ? "y" : "n"}`;
  });
  return `key,n,both\n${lines.join("\n")}\n`;
}

function replyTo(given: readonly Person[], receipt: Receipt): Reply {
  const { row, event } = eventIn(receipt);
  return given[row - 1]?.replies[event - 1] ?? accepted;
}

async function endsOf(workspace: Workspace, name = "people.results.csv"): Promise<string[]> {
  const lines = await workspace.lines(name);
  return lines.map((line) =>
    ["row", "event", "status", "error_code", "error"].map((at) => line[`import_${at}`]).join(" "),
  );
}

/** Imports in as many parts as there are interrupts, each at a request of its part, and one more. */
async function importInParts(
  given: readonly Person[],
  policy: OnKeyFailure,
  options: Pick<ImportOptions, "delivery" | "concurrency">,
  interrupts: readonly number[],
) {
  const workspace = await openWorkspace([], mappingWith(policy));
  await workspace.write("people.csv", csvOf(given));
  let interrupt = new AbortController();
  let untilInterrupt = 0;
  let isAnswered = false;
  const service = await openService((receipt) => {
    if (--untilInterrupt === 0) interrupt.abort();
    // A part whose first event is never answered stops for that.
    const isFirstOfPart = !isAnswered;
    isAnswered = true;
    return isFirstOfPart ? { status: 503 } : replyTo(given, receipt);
  });
  let parts = 0;
  let exitReason = "interrupted";
  while (exitReason === "interrupted") {
    interrupt = new AbortController();
    isAnswered = false;
    untilInterrupt = interrupts[parts++] ?? Number.POSITIVE_INFINITY;
    // What fails always is the service's fault here and there, and no outage.
    const more = { resume: "if-unfinished", maxOutageMs: 0 } as const;
    const { signal } = interrupt;
    ({ exitReason } = await workspace.import(service.url, { ...options, ...more, signal }));
  }
  expect(exitReason).toBe("complete");
  const ends = await endsOf(workspace);
  await service.close();
  await workspace.remove();
  return { ends, parts };
}

const options = fc.record({
  delivery: fc.constantFrom("at-least-once", "at-most-once"),
  concurrency: fc.integer({ min: 1, max: 3 }),
});
const interrupts = fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 5 });

test.each<OnKeyFailure>(["default", ...keyFailureWords])(
  "a run that is interrupted again and again ends as one that nothing disturbs on_key_failure: %s",
  async (policy) => {
    let parts = 0;
    await fc.assert(
      fc.asyncProperty(people, options, interrupts, async (given, how, at) => {
        const undisturbed = await importInParts(given, policy, how, []);
        const inParts = await importInParts(given, policy, how, at);
        expect(inParts.ends).toEqual(undisturbed.ends);
        parts += inParts.parts;
      }),
      { numRuns: 8 },
    );
    expect(parts).toBeGreaterThan(8);
  },
);

test("an event that always fails ends, though the rows behind it fill the window", async () => {
  const workspace = await openWorkspace([], mappingWith("default"));
  const wide = "x".repeat(1_000_000);
  await workspace.write("people.csv", `key,n,both,note\n${`a,1,n,${wide}\n`.repeat(14)}`);
  const service = await startService((receipt) =>
    eventIn(receipt).row === 3 ? { status: 500 } : accepted,
  );
  expect(await workspace.import(service.url)).toMatchObject({
    exitReason: "complete",
    counts: { succeeded: 2, failed: 1, blocked: 11 },
  });
});

test("with on_key_failure: block what is refused or invalid holds back what comes after it, and not what comes before", async () => {
  const workspace = await openWorkspace([], mappingWith("block"));
  const lines = ["a,1,n", "a,1,n", "a,x,n", "a,1,y", "b,1,y", "b,1,n", "c,1,n,more", "c,1,n"];
  await workspace.write("people.csv", `key,n,both\n${lines.join("\n")}\n`);
  const service = await startService((receipt) =>
    eventIn(receipt).row === 5 ? { status: 422, body: "no" } : accepted,
  );
  const summary = await workspace.import(service.url);
  expect(summary).toMatchObject({ exitReason: "complete", counts: { blocked: 5 } });
  const blockedBy = (row: number) =>
    `blocked blocked blocked, because row ${row} of the same ordering key did not succeed`;
  expect(await endsOf(workspace)).toEqual([
    "1 1 succeeded  ",
    "2 1 succeeded  ",
    '3  invalid not_an_integer column "n": "x" is not a whole number',
    `4 1 ${blockedBy(3)}`,
    `4 2 ${blockedBy(3)}`,
    "5 1 rejected http_422 no",
    "5 2 blocked blocked blocked, because event 1 of its row did not succeed",
    `6 1 ${blockedBy(5)}`,
    expect.stringContaining("7  invalid ragged_row"),
    `8 1 ${blockedBy(7)}`,
  ]);
});

test("a key that was held back before an interrupt is held back after it", async () => {
  const mapping =
    "version: 1\nresource: users\nevent: e\nordering_key: [key]\non_key_failure: block\nmembers: { name: name }\n";
  // So many rows that the last one is not read before the interrupt.
  const rows = ["b", "a", ...Array.from({ length: 200 }, (_, at) => `c${at}`), "a"].map(
    (key, at) => [key, `n${at + 1}`],
  );
  const workspace = await openWorkspace([["key", "name"], ...rows], mapping);
  const interrupt = new AbortController();
  const service = await openService(({ body }) => {
    if (body.includes('"n3"')) interrupt.abort();
    return { status: body.includes('"n2"') ? 422 : 202 };
  });
  const how = { concurrency: 1, resume: "if-unfinished" } as const;
  const { signal } = interrupt;
  expect((await workspace.import(service.url, { ...how, signal })).exitReason).toBe("interrupted");
  await workspace.import(service.url, how);
  await service.close();
  const ends = (await workspace.lines("people.results.csv")).map((line) => line.import_status);
  expect([ends[1], ends.at(-1)]).toEqual(["rejected", "blocked"]);
});
