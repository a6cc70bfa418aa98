import fc from "fast-check";
import { expect, test } from "vitest";
import { type JournalRecord, journalFile } from "../../src/journal/read-journal.ts";
import { keyDigest } from "../../src/model/blocked-keys.ts";
import { eventStatuses, isDone, type Outcome } from "../../src/model/outcome.ts";
import { resultsColumnsOf } from "../../src/model/results-columns.ts";
import type { LineRecord, Tried } from "../../src/model/run-record.ts";
import { resultLine } from "../../src/results/result-line.ts";
import { outcomeGroupsOf } from "../../src/run/send/column-of-member.ts";
import {
  createPartRecord,
  type PartRecord,
  readPartRecord,
} from "../../src/run/send/part-record.ts";
import { beginOf, givenRun, intentOf, journalOf, lineOf, sealed } from "../journal/given-import.ts";
import { createSimulatedDisk } from "../journal/simulated-disk.ts";
import { nastyCells } from "../nasty-cells.ts";

const path = "people.results.csv.journal";
const [rows, events] = [6, 2];
const answers = ["answered", "unanswered", "not_sent", undefined] as const;

const steps = fc.array(
  fc.record({
    kind: fc.constantFrom(
      ...(["intent", "intent", "attempt", "line", "line", "write", "write", "kill"] as const),
      ...(["hold", "wait", "limit", "over", "stop"] as const),
    ),
    row: fc.integer({ min: 1, max: rows }),
    event: fc.integer({ min: 1, max: events }),
    status: fc.constantFrom(...eventStatuses),
    answer: fc.constantFrom(...answers),
    ms: fc.nat(5000),
    text: nastyCells,
    /** How much of its last batch a killed process has written. */
    torn: fc.double({ min: 0, max: 1, noNaN: true }),
  }),
  { maxLength: 60 },
);
type Step = typeof steps extends fc.Arbitrary<(infer One)[]> ? One : never;

/** A batch, without the seal that says that it was synced. */
const batchOf = (records: readonly JournalRecord[]) =>
  journalOf(records).replace(/\n\{"sum".*\n$/, "\n");

/** All that anybody asks. */
function said({ rows: done, unsettled, problems, blockedKeys, meter, ...record }: PartRecord) {
  const { count, upTo, heldChars } = done;
  const { run, processes, tally, waitUntil, rowsAtEnd } = record;
  const isDoneNow = Array.from({ length: rows }, (_, at) => done.isDone(at + 1));
  return structuredClone({
    ...{ count, upTo, heldChars, isDoneNow, run, processes, tally, waitUntil, rowsAtEnd },
    ...{
      withUnsettled: record.tallyWithUnsettled(),
      figures: meter.figures(),
      soFar: meter.soFar(),
    },
    ...{
      unsettled: [...unsettled.rows()],
      perhapsSent: unsettled.perhapsSent(),
      blocked: blockedKeys.rowOf("key"),
    },
    problems: problems.groups(),
  });
}

async function read(files: readonly string[]) {
  const disk = createSimulatedDisk();
  for (const [at, text] of files.entries()) {
    await (await disk.create(journalFile(path, at + 1))).write(Buffer.from(text), 0);
  }
  return readPartRecord(disk, path);
}

/** The processes of a part, each with a file of its own. */
async function startPart(hasSources: boolean) {
  const files: string[] = [];
  let record = createPartRecord(await outcomeGroupsOf(undefined));
  /** What the last process found: it decides until its own first record is whole. */
  let found: { files: readonly string[]; had: unknown } = { files: [], had: undefined };
  /** What the process had on record after so many bytes of its file. */
  let written: { end: number; had: unknown }[] = [];
  let batch: JournalRecord[] = [];
  const inFlight = new Set<string>();

  const take = (one: JournalRecord, settled?: Parameters<PartRecord["take"]>[1]) => {
    batch.push(one);
    expect(record.take(one, settled)).toBe(true);
  };
  const begin = (known: Readonly<Record<string, number>>) => {
    const startedAt = new Date(1.8e12 + files.length * 1e6).toISOString();
    const [first] = givenRun.parts as [(typeof givenRun.parts)[number]];
    const parts = [...(record.run?.parts ?? []), { ...first, startedAt }];
    files.push("");
    written = [];
    take(
      beginOf({ ...givenRun, columns: ["name", ...resultsColumnsOf(hasSources)], parts }, known),
    );
    write();
  };
  const write = () => {
    if (batch.length === 0) return;
    files.push(`${files.pop()}${batchOf(batch)}`);
    batch = [];
    written.push({ end: Buffer.byteLength(files.at(-1) ?? ""), had: said(record) });
  };
  begin({});

  return {
    write,
    take,
    async checkPrefixes() {
      const last = Buffer.from(files.at(-1) ?? "");
      const cuts = new Set(written.flatMap(({ end }) => [end - 1, end, end + 7]));
      for (const cut of [...cuts].filter((one) => one <= last.length)) {
        const by = written.findLast(({ end }) => end <= cut);
        const before = by === undefined ? found.files : files.slice(0, -1);
        const again = await read([...before, last.toString("utf8", 0, cut)]);
        expect(again && said(again.record)).toEqual((by ?? found).had);
      }
      return cuts.size;
    },
    async kill({ torn }: Step) {
      const left = batch.length === 0 ? "" : batchOf(batch);
      files.push(`${files.pop()}${left.slice(0, Math.floor(torn * left.length))}`);
      batch = [];
      inFlight.clear();
      const onDisk = await read(files);
      if (onDisk === undefined) throw new Error("nothing is read");
      record = onDisk.record;
      found = { files: [...files], had: said(record) };
      begin(onDisk.read);
      // What it still writes decides nothing.
      const late = `${JSON.stringify(intentOf(1, { attempt: 9, unanswered: 8 }))}\n`;
      files.splice(-2, 1, `${files.at(-2)}${sealed(late, 0)}`);
    },
    /** What happens to an event, if it can. */
    ofEvent({ kind, row, event, status, answer, ms, text }: Step) {
      const soFar = record.unsettled.before(row)?.find((one) => one.event === event);
      if (record.rows.isDone(row) || soFar?.outcome !== undefined) return;
      const name = `${row}/${event}`;
      const isInFlight = inFlight.has(name);
      const { attempts = 0, unanswered: before = 0 } = soFar ?? {};
      if (kind === "intent") {
        if (isInFlight) return;
        inFlight.add(name);
        take(intentOf(row, { event, attempt: attempts + 1, unanswered: before }));
        return;
      }
      if (kind === "attempt" && !isInFlight) return;
      inFlight.delete(name);
      // An attempt in flight counts as one that has no answer.
      const unanswered = before - (isInFlight && answer !== "unanswered" ? 1 : 0);
      const over: { tried?: Tried } =
        !isInFlight || answer === undefined
          ? {}
          : {
              tried: {
                sentMs: ms,
                endedMs: ms + 3,
                kind: answer,
                event: "e",
                ...(answer === "answered" ? { httpStatus: 503 } : {}),
              },
            };
      if (kind === "attempt") {
        const { attempt: _, ...of } = intentOf(row, { event, unanswered });
        take({ ...of, kind, attempts: attempts - (answer === undefined ? 1 : 0), ...over });
        return;
      }
      const failed = isDone(status) || text === "" ? {} : { errorCode: "code", error: text };
      const outcome: Outcome = { status, event, attempts, unanswered, ...failed };
      const place = { row, line: row + 1, ...(hasSources ? { source: text } : {}) };
      const ofPart = { inputId: givenRun.imported.input.id, hasSources, part: 1 };
      const others = record.unsettled.before(row)?.filter((one) => one.outcome !== undefined) ?? [];
      const line: LineRecord = {
        ...{ kind: "line", rowOfRun: row, at: event - 1, atMs: ms, ...over },
        ...resultLine({ ...place, cells: [text] }, [text], outcome, ofPart),
        ...(others.length === events - 1 ? { isLast: true } : {}),
        ...(status === "failed" ? { holdsBack: keyDigest("key") } : {}),
      };
      take(line, { outcome, place });
    },
  };
}

test("what is read of any prefix of a journal is what the process that wrote it had on record", async () => {
  let prefixes = 0;
  await fc.assert(
    fc.asyncProperty(steps, fc.boolean(), async (plan, hasSources) => {
      const part = await startPart(hasSources);
      for (const step of plan) {
        const { kind, answer, ms, row, text } = step;
        const [at, exitReason] = [givenRun.imported.started_at, "outage"] as const;
        const held = answer === undefined ? {} : ({ reason: exitReason, message: text } as const);
        if (kind === "write") part.write();
        else if (kind === "kill") {
          prefixes += await part.checkPrefixes();
          await part.kill(step);
        } else if (kind === "hold") part.take({ kind, atMs: ms, ...held });
        else if (kind === "wait") part.take({ kind, untilMs: ms });
        else if (kind === "limit") part.take({ kind, atMs: ms, allowed: row });
        else if (kind === "over") part.take({ kind, rows: row });
        else if (kind === "stop") part.take({ kind, atMs: ms, finishedAt: at, exitReason });
        else part.ofEvent(step);
      }
      part.write();
      prefixes += await part.checkPrefixes();
    }),
    { numRuns: 100 },
  );
  expect(prefixes).toBeGreaterThan(100);
});

test("an older process whose file had nothing when it was read decides nothing later", async () => {
  const own = journalOf([beginOf()]);
  const found = await read([own, "", ""]);
  expect(found?.read).toMatchObject({ 1: own.length, 2: 0 });
});

test("the file of a process that was held up until its part was over decides nothing", async () => {
  const disk = createSimulatedDisk();
  const late = journalOf([beginOf(), lineOf(1), lineOf(2)]);
  const retry = { ...givenRun, kind: "retry", part: 2 } as const;
  const current = journalOf([beginOf(retry), lineOf(1)]);
  for (const [number, text] of [late, current].entries()) {
    const file = await disk.create(journalFile(path, number + 1));
    await file.write(Buffer.from(text), 0);
    await file.datasync();
  }
  const found = await readPartRecord(disk, path);
  expect(found?.run).toMatchObject({ kind: "retry", part: 2 });
  expect(found?.record.rows.count).toBe(1);
  expect(found?.record.processes).toHaveLength(1);
});

test("a line whose status is blank is none that a part wrote", async () => {
  const blank = lineOf(1, { status: "not_sent" });
  for (const line of [blank, { ...blank, ownAt: 0, isKept: true } as const]) {
    await expect(read([journalOf([beginOf(), line])])).rejects.toThrow("does not fit");
  }
});
