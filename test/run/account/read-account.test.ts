import { describe, expect, test } from "vitest";
import { journalOf } from "../../../src/journal/journal.ts";
import type { RunIdentity } from "../../../src/journal/run-identity.ts";
import type { AccountEnd, Checkpoint } from "../../../src/model/run-record.ts";
import { writeManifest } from "../../../src/results/manifest.ts";
import { readAccount } from "../../../src/run/account/read-account.ts";
import { beginning } from "../../../src/run/send/open-run.ts";
import { mulberry32 } from "../../../src/sandbox/faults.ts";
import { openService } from "../../delivery/service-under-test.ts";
import { createSimulatedDisk, type SimulatedDisk } from "../../journal/simulated-disk.ts";
import { openWorkspace } from "../import-under-test.ts";
import { files, journalOn, manifestOf, put, retry, run } from "./account-on-disk.ts";

const end: AccountEnd = { from: "people.results.csv.part", manifest: manifestOf("results") };
const written: Checkpoint = { ...beginning(), rows: 1, resultsBytes: 10 };

interface Found {
  readonly manifest?: ReturnType<typeof manifestOf>;
  /** A journal of this run. */
  readonly journal?: RunIdentity;
  readonly checkpoint?: Checkpoint;
  readonly end?: AccountEnd;
  /** Files with this text. */
  readonly texts?: Partial<Record<keyof typeof files, string>>;
}

async function diskWith(found: Found): Promise<SimulatedDisk> {
  const disk = createSimulatedDisk();
  if (found.manifest !== undefined) await writeManifest(files.manifest, found.manifest, disk);
  if (found.journal !== undefined) {
    const journal = await journalOn(disk, found.journal, found.checkpoint);
    if (found.end !== undefined) await journal.end(found.end);
    await journal.release();
  }
  for (const [name, text] of Object.entries(found.texts ?? {})) {
    await put(disk, files[name as keyof typeof files], text);
  }
  return disk;
}

async function kindOf(found: Found): Promise<string> {
  const account = await readAccount(files.results, await diskWith(found));
  return account.kind === "damaged" ? account.error.code : account.kind;
}

const results = "old results";
const complete: Found = { manifest: manifestOf(results), texts: { results, failed: "failed" } };
const emptyJournal = "\0".repeat(100);
const retried: Found = {
  ...{ manifest: complete.manifest!, journal: retry },
  texts: { results, given: "rows" },
};

test.each<[string, Found, string]>([
  ["nothing is there", {}, "none"],
  ["the mapping of a program is there", { texts: { mapping: "{}" } }, "none"],
  ["a journal has no first record", { texts: { journal: emptyJournal } }, "none"],
  ["an import has begun", { journal: run }, "unfinished"],
  [
    "an import has written lines",
    { journal: run, checkpoint: written, texts: { part: "x" } },
    "unfinished",
  ],
  [
    "an import has stopped",
    { journal: run, checkpoint: written, manifest: manifestOf(null, false), texts: { part: "x" } },
    "unfinished",
  ],
  ["its manifest is damaged", { journal: run, texts: { manifest: "{" } }, "unfinished"],
  ["only names are left to be changed", { journal: run, checkpoint: written, end }, "unfinished"],
  ["the same of a retry", { journal: retry, checkpoint: written, end }, "unfinished"],
  ["it is complete", complete, "complete"],
  ["failed rows were moved away to be fixed", { ...complete, texts: { results } }, "complete"],
  [
    "a retry did not come to its first record",
    { ...complete, texts: { results, journal: emptyJournal } },
    "complete",
  ],
  [
    "a retry has only selected rows",
    { ...complete, texts: { results, given: "rows" } },
    "complete",
  ],
  ["a retry has begun", retried, "unfinished"],
  [
    "a retry has written lines",
    { ...retried, checkpoint: written, texts: { ...retried.texts, part: "x" } },
    "unfinished",
  ],
])("where %s", async (_, found, kind) => {
  expect(await kindOf(found)).toBe(kind);
});

describe("damage is told, and nothing is guessed, where", () => {
  test.each<[string, Found, string]>([
    [
      "the journal is lost",
      { manifest: manifestOf(null, false), texts: { part: "x" } },
      "journal_missing",
    ],
    ["journal and part are lost", { manifest: manifestOf(null, false) }, "journal_missing"],
    ["journal and manifest are lost", { texts: { part: "x" } }, "journal_missing"],
    [
      "a part is beside a complete account",
      { ...complete, texts: { results, part: "x" } },
      "journal_missing",
    ],
    [
      "a part has a journal without a first record",
      { texts: { part: "x", journal: emptyJournal } },
      "journal_missing",
    ],
    ["the manifest is lost", { texts: { results } }, "journal_and_manifest_missing"],
    ["the manifest is none", { texts: { results, manifest: "{" } }, "manifest_unreadable"],
    [
      "the manifest is of another version",
      { texts: { results, manifest: '{"version":1}' } },
      "manifest_unreadable",
    ],
    ["the results are lost", { manifest: manifestOf(results) }, "account_damaged"],
    [
      "the results are shorter",
      { ...complete, texts: { results: results.slice(1) } },
      "account_damaged",
    ],
    [
      "the results are longer",
      { ...complete, texts: { results: `${results}x` } },
      "account_damaged",
    ],
    ["the part is lost", { journal: run, checkpoint: written }, "part_damaged"],
    [
      "a retry has lost its manifest",
      { journal: retry, texts: { results, given: "rows" } },
      "part_damaged",
    ],
    [
      "a retry has a manifest that is none",
      { journal: retry, texts: { results, given: "rows", manifest: "{" } },
      "part_damaged",
    ],
    ["a retry has lost its account", { ...retried, texts: { given: "rows" } }, "part_damaged"],
    ["a retry has lost its rows", { ...retried, texts: { results } }, "part_damaged"],
    [
      "the journal is of another version",
      { journal: { ...run, version: 3 as 8 } },
      "journal_outdated",
    ],
  ])("%s", async (_, found, code) => {
    expect(await kindOf(found)).toBe(code);
  });

  test("all that a retry lacks is said at once", async () => {
    const found = { journal: retry, texts: { results: "others", manifest: "{" } };
    const account = await readAccount(files.results, await diskWith(found));
    if (account.kind !== "damaged") throw new Error(account.kind);
    expect(account.error.message).toMatch(
      /^A retry of .* is unfinished, and people.run.json cannot be used \(.*\), and people.results.csv was changed, and people.results.csv.given is missing\./,
    );
  });

  test("the journal is damaged in its midst", async () => {
    const text = journalOf([{ kind: "run", run }]).replace("people.csv", "peeple.csv");
    expect(await kindOf({ texts: { journal: text } })).toBe("journal_damaged");
  });
});

test("it is found by its results and failed rows, and by what a person made of these", async () => {
  const disk = await diskWith(complete);
  for (const name of [
    "results.csv",
    "failed.csv",
    "failed-fixed.csv",
    "failed (1).csv",
    "results.excel.csv",
  ]) {
    const account = await readAccount(`out/people.${name}`, disk);
    expect(account, name).toMatchObject({ kind: "complete", files });
  }
});

test("a process that ended as it made its journal has left nothing, or an import to be resumed", async () => {
  const random = mulberry32(5);
  for (const before of [{}, complete] as Found[]) {
    const sound = await diskWith(before);
    const kinds = new Set<string>();
    let isReached = true;
    for (let failing = 1; isReached; failing++) {
      const disk = sound.afterKill((call) => (call === failing ? "crash" : undefined));
      await journalOn(disk).catch(() => {});
      isReached = disk.calls() >= failing;
      for (const left of [disk.afterKill(), disk.afterPowerCut(random)]) {
        kinds.add((await readAccount(files.results, left)).kind);
      }
    }
    const usual = before === complete ? "complete" : "none";
    expect([...kinds].toSorted()).toEqual([usual, "unfinished"].toSorted());
  }
});

test("an import begins where a process ended before the first record of its journal", async () => {
  const workspace = await openWorkspace([["Name"], ["Ann"]], mapping);
  const service = await openService(() => ({ status: 200 }));
  await workspace.write("people.results.csv.journal", emptyJournal);
  await workspace.write("people.results.csv.given", "rows");
  expect(await workspace.import(service.url)).toMatchObject({ exitReason: "complete" });
  expect(workspace.has("people.results.csv.journal")).toBe(false);
  expect(workspace.has("people.results.csv.given")).toBe(false);
});

const mapping = "version: 1\nresource: users\nevent: e\nmembers: { name: Name }\n";
