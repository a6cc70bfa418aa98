import { basename } from "node:path";
import { describe, expect, test } from "vitest";
import { journalFile, journalNumbers } from "../../../src/journal/read-journal.ts";
import type { RunIdentity } from "../../../src/journal/run-identity.ts";
import type { AccountEnd } from "../../../src/model/run-record.ts";
import { writeManifest } from "../../../src/results/manifest.ts";
import { completeLeft } from "../../../src/run/account/hold-account.ts";
import { placeFiles, removePart } from "../../../src/run/account/place-files.ts";
import { readAccount } from "../../../src/run/account/read-account.ts";
import { mulberry32 } from "../../../src/sandbox/faults.ts";
import { createSimulatedDisk, type SimulatedDisk } from "../../journal/simulated-disk.ts";
import { fingerprintOf } from "../../results/written-results.ts";
import { files, journalOn, manifestOf, put, retry, run, textOn } from "./account-on-disk.ts";

const [results, failed] = ["the new results", "the new failed rows"];
const manifest = manifestOf(results);
const withFailed = { ...manifest, failed_rows_file: fingerprintOf(failed) };

interface Ending {
  readonly of: RunIdentity;
  readonly before: Partial<Record<keyof typeof files, string>>;
  readonly end: AccountEnd;
  /** The failed rows afterwards. */
  readonly failed: string | undefined;
}

const endings: [string, Ending][] = [
  [
    "an import",
    {
      of: run,
      before: { newResults: results, newFailed: failed },
      end: { manifest: withFailed },
      failed,
    },
  ],
  [
    "a retry after which none is left",
    {
      of: { ...retry, failedRows: fingerprintOf("old failed rows").sha256 },
      before: {
        ...{ results: "old results", failed: "old failed rows", newResults: results },
      },
      end: { manifest: manifestOf(results, true, 2) },
      failed: undefined,
    },
  ],
];

async function diskBefore({ of, before }: Ending): Promise<SimulatedDisk> {
  const disk = createSimulatedDisk();
  const isRetry = of.kind === "retry";
  const begun = isRetry ? manifestOf("old results", false, 2) : manifestOf(null, false);
  await writeManifest(files.manifest, begun, disk);
  for (const [name, text] of Object.entries(before)) {
    await put(disk, files[name as "results"], text);
  }
  // Another process of the part was killed before.
  await (await journalOn(disk, of)).release();
  return disk;
}

const silent = () => {};

/** A process that has merged its lines. */
async function endPart(disk: SimulatedDisk, { of, end }: Ending): Promise<void> {
  const journal = await journalOn(disk, of);
  if (!(await journal.end(end))) return;
  await placeFiles(disk, files, end);
  await journal.release();
  await removePart(disk, files, silent);
}

/** The next one, as `resume` does it. @returns whether the end is on record */
async function endAgain(
  disk: SimulatedDisk,
  { of, end }: Ending,
  warn: (message: string) => void = silent,
): Promise<boolean> {
  const account = await readAccount(files.results, disk);
  switch (account.kind) {
    case "complete":
      if (account.manifest.results_file?.sha256 !== fingerprintOf(results).sha256) return false;
      await completeLeft(disk, account, silent);
      return true;
    case "damaged":
      throw account.error;
    case "unfinished":
      expect(account.part.run.part).toBe(of.part);
      if (account.part.record.end === undefined) return false;
      expect(account.part.record.end).toEqual(end);
      await completeLeft(disk, account, warn);
      return true;
    default:
      throw new Error(`it is ${account.kind}`);
  }
}

async function expectBefore(disk: SimulatedDisk, { before }: Ending) {
  for (const [name, text] of Object.entries(before)) {
    expect(await textOn(disk, files[name as "results"]), name).toBe(text);
  }
}

async function expectComplete(disk: SimulatedDisk, ending: Ending) {
  expect(await textOn(disk, files.results)).toBe(results);
  expect(await textOn(disk, files.failed)).toBe(ending.failed);
  const { manifest } = ending.end;
  expect(await readAccount(files.results, disk)).toMatchObject({
    kind: "complete",
    files,
    manifest,
  });
  for (const path of [files.newResults, files.newFailed]) {
    expect(await disk.length(path), path).toBeUndefined();
  }
  expect(await journalNumbers(disk, files.journal)).toEqual([]);
}

describe.each(endings)("the end of %s", (_, ending) => {
  test.each(["kill", "power cut"])(
    "is all there or not begun after a %s at any call, and is completed through another one",
    async (how) => {
      const sound = await diskBefore(ending);
      const random = mulberry32(11);
      const restart = (disk: SimulatedDisk, failing: number) => {
        const faultAt = (call: number) => (call === failing ? ("crash" as const) : undefined);
        return how === "kill" ? disk.afterKill(faultAt) : disk.afterPowerCut(random, faultAt);
      };
      const never = Number.POSITIVE_INFINITY;
      let recorded = 0;
      let isReached = true;
      for (let failing = 1; isReached; failing++) {
        const disk = restart(sound, failing);
        await endPart(disk, ending).catch(() => {});
        isReached = disk.calls() >= failing;
        const [left, again] = [restart(disk, never), restart(disk, never)];
        if (!(await endAgain(left.afterKill(), ending))) {
          await expectBefore(left, ending);
          continue;
        }
        recorded++;
        await endAgain(left, ending);
        await expectComplete(left, ending);
        // With all of it still ahead, the next process is ended at each of its calls too.
        for (let second = 1; recorded === 1; second++) {
          const next = restart(again.afterKill(), second);
          await endAgain(next, ending).catch(() => {});
          const last = restart(next, never);
          expect(await endAgain(last, ending), `${failing}, then ${second}`).toBe(true);
          await expectComplete(last, ending);
          if (next.calls() < second) break;
        }
      }
      expect(recorded).toBeGreaterThan(5);
    },
  );

  test("is refused where a new file is not as it was written, and nothing is lost", async () => {
    const newFailed = ending.failed === undefined ? [] : ["people.failed.csv.new"];
    for (const from of ["people.results.csv.new", ...newFailed]) {
      const disk = await diskBefore(ending);
      const journal = await journalOn(disk, ending.of);
      await journal.end(ending.end);
      await journal.release();
      await put(disk, `out/${from}`, "cut");
      const interrupted = { run: ending.of, warn: silent };
      const completing = placeFiles(disk, files, ending.end, interrupted);
      await expect(completing).rejects.toMatchObject({
        code: "account_damaged",
        message: expect.stringContaining(`${from} is missing or was changed`),
      });
      expect((await readAccount(files.results, disk)).kind).toBe("unfinished");
      // It is put back.
      await put(disk, `out/${from}`, from.includes("failed") ? failed : results);
      await endAgain(disk, ending);
      await expectComplete(disk, ending);
    }
  });
});

test("files that somebody has edited or moved away stay so, or are kept under another name", async () => {
  for (const [at, [, ending]] of endings.entries()) {
    for (const isInPlace of [true, false]) {
      const disk = await diskBefore(ending);
      const journal = await journalOn(disk, ending.of);
      await journal.end(ending.end);
      await journal.release();
      const edit = (text: string) => put(disk, files.failed, text);
      if (isInPlace && ending.failed !== undefined) {
        await disk.remove(files.newFailed); // it was renamed
        for (const isMoved of [true, false]) {
          const copy = disk.afterKill();
          if (isMoved) await copy.remove(files.failed);
          else await put(copy, files.failed, "edited");
          expect(await endAgain(copy, ending)).toBe(true);
          expect(await textOn(copy, files.failed)).toBe(isMoved ? undefined : "edited");
        }
        continue;
      }
      await edit("edited");
      await put(disk, files.failed.replace(".csv", "-kept.csv"), "an older one");
      await put(disk, files.results, "somebody's");
      const said: string[] = [];
      expect(await endAgain(disk, ending, (message) => said.push(message))).toBe(true);
      await expectComplete(disk, ending);
      for (const [name, text] of [
        ["people.failed-kept.csv", "an older one"],
        ["people.failed-kept2.csv", "edited"],
        ["people.results-kept.csv", "somebody's"],
      ] as const) {
        expect(await textOn(disk, `out/${name}`), `${at}`).toBe(text);
        if (text !== "an older one") expect(said.join()).toContain(`it is kept as ${name}`);
      }
    }
  }
});

test("what cannot be removed is said once, and the journal goes last, its end last of all", async () => {
  const ending = endings[1]?.[1] as Ending;
  const journals = [1, 2].map((number) => journalFile(files.journal, number));
  for (const [at, left] of [files.input, ...journals].entries()) {
    const disk = await diskBefore(ending);
    await put(disk, files.input, "rows");
    const journal = await journalOn(disk, ending.of);
    await journal.end(ending.end);
    await placeFiles(disk, files, ending.end);
    const said: string[] = [];
    const stubborn = {
      ...disk,
      async remove(path: string) {
        if (path === left) throw Object.assign(new Error("EACCES"), { code: "EACCES" });
        await disk.remove(path);
      },
    };
    await removePart(stubborn, files, (message) => said.push(message));
    const why = `${basename(left)} cannot be removed (permission denied): the account is complete, and a resume`;
    expect(said).toEqual([expect.stringContaining(why)]);
    expect(await journalNumbers(disk, files.journal)).toEqual(at === 2 ? [2] : [1, 2]);
    const account = await readAccount(files.results, disk);
    expect(account).toMatchObject({ kind: "complete", files, manifest: ending.end.manifest });
    expect(await endAgain(disk, ending)).toBe(true);
    await expectComplete(disk, ending);
  }
});
