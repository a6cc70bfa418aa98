import { expect, test } from "vitest";
import {
  type JournalRecord,
  journalFile,
  journalNumbers,
  readJournal,
} from "../../src/journal/read-journal.ts";
import { journalVersion } from "../../src/journal/run-identity.ts";
import { beginOf, givenRun, intentOf, journalOf, lineOf } from "./given-import.ts";
import { createSimulatedDisk } from "./simulated-disk.ts";

const path = "out/people.results.csv.journal";

/** A journal of so many processes, by their numbers. */
async function diskWith(files: Readonly<Record<number, string>>) {
  const disk = createSimulatedDisk();
  for (const [number, text] of Object.entries(files)) {
    await (await disk.create(journalFile(path, Number(number)))).write(Buffer.from(text), 0);
  }
  return disk;
}

async function recordsOf(files: Readonly<Record<number, string>>) {
  const all: JournalRecord[] = [];
  for await (const { records } of readJournal(await diskWith(files), path)) all.push(...records);
  return all;
}

const rowsOf = async (files: Readonly<Record<number, string>>) =>
  (await recordsOf(files)).flatMap((one) => ("rowOfRun" in one ? one.rowOfRun : []));

const ofProcess = (read: Readonly<Record<number, number>>, ...rows: readonly number[]) =>
  journalOf([beginOf(givenRun, read), ...rows.map((row) => lineOf(row))]);

test("processes are read in the order of their numbers, and other files are none of theirs", async () => {
  expect(await rowsOf({ 10: ofProcess({}, 3), 9: ofProcess({}, 2), 2: ofProcess({}, 1) })).toEqual([
    1, 2, 3,
  ]);
  const disk = await diskWith({ 2: "", 11: "", 3: "" });
  for (const name of ["", ".0", ".01", ".x", ".1.new", ".1234567890123456"]) {
    await disk.create(`${path}${name}`);
  }
  await disk.create("other/people.results.csv.journal.4");
  expect(await journalNumbers(disk, path)).toEqual([2, 3, 11]);
});

test("a file that lacks what a later process has read, or is gone, is refused", async () => {
  const first = ofProcess({}, 1, 2);
  const next = ofProcess({ 1: first.length }, 3);
  expect(await rowsOf({ 1: first, 2: next })).toEqual([1, 2, 3]);
  const [lost, cut] = [{ 2: next }, { 1: journalOf([beginOf()]), 2: next }];
  for (const files of [lost, cut, { ...lost, 3: ofProcess({}) }]) {
    await expect(rowsOf(files)).rejects.toMatchObject({ code: "journal_edited" });
  }
});

test("what an older process writes behind what a later one had read decides nothing", async () => {
  const before = ofProcess({}, 1);
  const late = journalOf([lineOf(7), intentOf(8)]);
  const read = { 1: before.length };
  expect(await rowsOf({ 1: before + late })).toEqual([1, 7, 8]);
  expect(await rowsOf({ 1: before + late, 2: ofProcess(read, 2) })).toEqual([1, 2]);
  // Whoever read least decides, and a process that has read nothing of it.
  expect(
    await rowsOf({ 1: before + late, 2: ofProcess(read, 2), 3: ofProcess({ 1: 9e9 }) }),
  ).toEqual([1, 2]);
  expect(await rowsOf({ 1: late, 2: ofProcess({ 1: 0 }, 2) })).toEqual([2]);
  // One that did not come to its first record has read nothing that counts.
  expect(await rowsOf({ 1: before + late, 2: "\0".repeat(4096) })).toEqual([1, 7, 8]);
});

test("each record that is written comes back as it was, and a file without one says nothing", async () => {
  const tried = {
    sentMs: 1.25,
    endedMs: 2.5,
    kind: "unanswered",
    isRetry: true,
    event: 'ü"\n',
  } as const;
  const { tried: _, isLast: __, ...line } = lineOf(1, { error: 'a "b"\n\u2028' });
  const { kind, ...ofEvent } = intentOf(3);
  const { attempt: ___, ...attempted } = { ...ofEvent, attempts: 1 };
  const records: JournalRecord[] = [
    ...[beginOf(), intentOf(1), intentOf(2, { event: 0, attempt: 3, unanswered: 2 })],
    ...[{ kind: "attempt", ...attempted, httpStatus: 503, tried } as const],
    ...[{ kind: "attempt", ...attempted, importedAt: "" } as const, line, lineOf(2)],
    { ...line, isLast: true, isKept: true, holdsBack: "0123456789abcdef", tried },
    { kind: "row", rowOfRun: 1, row: { row: 4, cells: ["a"] } },
    { kind: "selected", rows: 1 },
    { kind: "hold", atMs: 1, reason: "outage", message: "no answer" },
    ...[{ kind: "hold", atMs: 2 } as const, { kind: "wait", untilMs: 3 } as const],
    ...[{ kind: "limit", atMs: 4, allowed: 5 } as const, { kind: "over", rows: 6 } as const],
    { kind: "stop", atMs: 7, finishedAt: givenRun.imported.started_at, exitReason: "outage" },
  ];
  expect(kind).toBe("intent");
  expect(await recordsOf({ 1: journalOf(records) })).toEqual(records);
  for (const text of ["", "\0".repeat(4096), '{"kind":"run","run":{"v']) {
    expect(await recordsOf({ 1: text })).toEqual([]);
  }
});

test.each([
  ["eventload 0.0.9", { version: journalVersion - 1, eventload: "0.0.9" }],
  ["eventload 99.0.1", { version: journalVersion + 1, eventload: "99.0.1" }],
  ["another version of eventload", { version: journalVersion - 1, eventload: undefined }],
  ["another version of eventload", { version: journalVersion - 1, eventload: "\u001b[31m" }],
])("a journal that %s has written is refused, naming that", async (by, written) => {
  const records = [beginOf({ ...givenRun, ...written } as never)];
  await expect(recordsOf({ 1: journalOf(records) })).rejects.toMatchObject({
    code: "journal_outdated",
    message: expect.stringMatching(
      new RegExp(`was written by ${by}: resume the run with that version.$`),
    ),
  });
});

test.each<[string, object, string]>([
  ["that nobody knows", { kind: "checkpoint", rows: 1 }, "journal_edited"],
  ["with a wrong member", { ...intentOf(1), attempt: 1.5 }, "journal_edited"],
  ["of row 0", lineOf(0), "journal_edited"],
])("a record %s is refused", async (_, record, code) => {
  const text = journalOf([beginOf(), record as JournalRecord]);
  await expect(recordsOf({ 1: text })).rejects.toMatchObject({ code });
});

test("damage to what had reached the disk is refused", async () => {
  const text = ofProcess({}, 1, 2).replace("name 1", "name 9");
  await expect(recordsOf({ 1: text })).rejects.toMatchObject({ code: "journal_damaged" });
});
