import { readFile, writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { journalFile } from "../../../src/journal/read-journal.ts";
import type { RunIdentity } from "../../../src/journal/run-identity.ts";
import type { Manifest } from "../../../src/model/manifest.ts";
import { writeManifest } from "../../../src/results/manifest.ts";
import { readAccount } from "../../../src/run/account/read-account.ts";
import { mulberry32 } from "../../../src/sandbox/faults.ts";
import { accepted, openService, startService } from "../../delivery/service-under-test.ts";
import { hurry } from "../../hurry.ts";
import { beginOf, intentOf, journalOf, lineOf } from "../../journal/given-import.ts";
import { createSimulatedDisk, type SimulatedDisk } from "../../journal/simulated-disk.ts";
import { openWorkspace } from "../import-under-test.ts";
import { files, journalOn, manifestOf, put, retry, run } from "./account-on-disk.ts";

const first = journalFile(files.journal, 1);
const old = "old results";

/** What a manifest can be, as an import and a retry leave it. */
const manifests: Readonly<Record<string, string | Manifest | undefined>> = {
  none: undefined,
  damaged: "{",
  "of another version": '{"version":1}',
  "of an unfinished import": manifestOf(null, false),
  complete: manifestOf(old),
  "of an unfinished retry": manifestOf(old, false, 2),
};

const unversioned = beginOf({ ...run, version: 3 } as unknown as RunIdentity);
const journals: Readonly<Record<string, string | undefined>> = {
  none: undefined,
  empty: "\0".repeat(100),
  "of an import": journalOf([beginOf(), lineOf(1), intentOf(2)]),
  "of an import that sent nothing": journalOf([beginOf()]),
  "of an import with its end": journalOf([
    beginOf(),
    { kind: "end", end: { manifest: manifestOf("new") } },
  ]),
  "of a retry": journalOf([beginOf(retry), intentOf(1)]),
  "of a retry with its end": journalOf([
    beginOf(retry),
    { kind: "end", end: { manifest: manifestOf("new", true, 2) } },
  ]),
  damaged: journalOf([beginOf()]).replace("people.csv", "peeple.csv"),
  "of another version": journalOf([unversioned]),
};

const results: Readonly<Record<string, string | undefined>> = {
  none: undefined,
  old,
  shorter: old.slice(1),
  longer: `${old}x`,
};

async function diskWith(
  manifest: string | Manifest | undefined,
  journal: string | undefined,
  text: string | undefined,
): Promise<SimulatedDisk> {
  const disk = createSimulatedDisk();
  if (typeof manifest === "string") await put(disk, files.manifest, manifest);
  else if (manifest !== undefined) await writeManifest(files.manifest, manifest, disk);
  if (journal !== undefined) await put(disk, first, journal);
  if (text !== undefined) await put(disk, files.results, text);
  return disk;
}

const kindOn = async (disk: SimulatedDisk) => {
  const account = await readAccount(files.results, disk);
  return account.kind === "damaged" ? account.error.code : account.kind;
};

const anyResults = Object.keys(results);
const [changed, there] = [
  ["none", "shorter", "longer"],
  ["old", "shorter", "longer"],
];
const [unfinished, lost] = ["unfinished", "part_damaged"];
const unread = ["journal_damaged", "journal_outdated"];
const noManifest = (kind: string) => [
  // The journal of an import says all that its manifest does.
  ...[kind, kind, unfinished, kind, unfinished, lost, unfinished, ...unread],
];
const unreadable = (kind: string) => [
  ...[kind, kind, kind, kind, unfinished, kind, unfinished, ...unread],
];
const ofRetry = (kind: string) => [
  ...[lost, lost, lost, lost, unfinished, kind, unfinished, ...unread],
];

/** What the account is with each of the journals, in their order. */
test.each<[keyof typeof manifests, readonly string[], readonly string[]]>([
  ["none", ["none"], noManifest("none")],
  ["none", there, noManifest("journal_and_manifest_missing")],
  ["damaged", anyResults, unreadable("manifest_unreadable")],
  ["of another version", anyResults, unreadable("manifest_unreadable")],
  [
    "of an unfinished import",
    anyResults,
    [lost, lost, unfinished, unfinished, unfinished, lost, unfinished, ...unread],
  ],
  // What a journal beside it says was over, or never began.
  ["complete", ["old"], Object.keys(journals).map(() => "complete")],
  ["complete", changed, Object.keys(journals).map(() => "account_damaged")],
  ["of an unfinished retry", ["old"], ofRetry(unfinished)],
  ["of an unfinished retry", changed, ofRetry("part_damaged")],
])("with a manifest: %s, and results: %j", async (manifest, texts, kinds) => {
  hurry(100);
  for (const text of texts) {
    for (const [at, [name, journal]] of Object.entries(journals).entries()) {
      const disk = await diskWith(manifests[manifest], journal, results[text]);
      expect(await kindOn(disk), `journal: ${name}; results: ${text}`).toBe(kinds[at]);
    }
  }
});

test("it is found by its results and failed rows, and by what a person made of these", async () => {
  const disk = await diskWith(manifestOf(old), undefined, old);
  const names = ["results.csv", "failed.csv", "failed-fixed.csv", "failed (1).csv"];
  for (const name of [...names, "results.xlsx", "results.csv.journal.12"]) {
    const account = await readAccount(`out/people.${name}`, disk);
    expect(account, name).toMatchObject({ kind: "complete", files });
  }
});

test("a process that ended as it began a part has left nothing, or a part to be resumed", async () => {
  const random = mulberry32(5);
  const beginnings = [
    [createSimulatedDisk(), "none", run, manifestOf(null, false)],
    [
      ...([await diskWith(manifestOf(old), undefined, old), "complete", retry] as const),
      manifestOf(old, false, 2),
    ],
  ] as const;
  for (const [sound, before, of, begun] of beginnings) {
    const kinds = new Set<string>();
    let isReached = true;
    for (let failing = 1; isReached; failing++) {
      const disk = sound.afterKill((call) => (call === failing ? "crash" : undefined));
      await journalOn(disk, of)
        .then(() => writeManifest(files.manifest, begun, disk))
        .catch(() => {});
      isReached = disk.calls() >= failing;
      for (const left of [disk.afterKill(), disk.afterPowerCut(random)]) {
        kinds.add(await kindOn(left));
      }
    }
    expect([...kinds].toSorted()).toEqual([before, "unfinished"]);
  }
});

test("an import begins where a process ended before the manifest of its part", async () => {
  const workspace = await openWorkspace([["Name"], ["Ann"]], mapping);
  const service = await openService(() => ({ status: 200 }));
  const name = "people.results.csv.journal";
  await workspace.write(`${name}.1`, journals.empty ?? "");
  await workspace.write(`${name}.2`, journals["of an import that sent nothing"] ?? "");
  expect(await workspace.import(service.url)).toMatchObject({ exitReason: "complete" });
  for (const number of [1, 2, 3]) expect(workspace.has(`${name}.${number}`)).toBe(false);
});

const mapping = "version: 1\nresource: users\nevent: e\nmembers: { name: Name }\n";

test.each([
  [3, "unfinished"],
  [100, "journal_damaged"],
])("a journal of which %i reads meet a batch that is being written: %s", async (torn, kind) => {
  hurry(100);
  const disk = await diskWith(manifestOf(null, false), journals["of an import"], undefined);
  let reads = 0;
  const inWriting = {
    ...disk,
    async *readChunks(path: string) {
      const isTorn = path === first && ++reads <= torn;
      for await (const chunk of disk.readChunks(path)) {
        yield isTorn ? Buffer.from(chunk).fill(0, 20, 30) : chunk;
      }
    },
  };
  expect(await kindOn(inWriting)).toBe(kind);
});

test("a journal that lacks rows which its manifest counts is damaged: an older copy, or one that was cut", async () => {
  const names = Array.from({ length: 60 }, (_, at) => [`n ${at}`]);
  const mapping = "version: 1\nresource: users\nevent: e\nmembers:\n  name: name\n";
  const workspace = await openWorkspace([["name"], ...names], mapping);
  const interrupt = new AbortController();
  const service = await startService(({ n }) => {
    if (n === 40) interrupt.abort();
    return accepted;
  });
  await workspace.import(service.url, { concurrency: 2, signal: interrupt.signal });
  const path = workspace.path("people.results.csv");
  expect(await readAccount(path)).toMatchObject({ kind: "unfinished" });
  const journal = `${path}.journal.1`;
  const batches = (await readFile(journal, "utf8")).split(/(?<=\n\{"sum".*\n)/);
  await writeFile(journal, batches.slice(0, batches.length / 2).join(""));
  expect(await readAccount(path)).toMatchObject({
    kind: "damaged",
    error: { code: "part_damaged" },
  });
});
