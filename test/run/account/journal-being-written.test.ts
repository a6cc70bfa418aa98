import { expect, test } from "vitest";
import type { Disk } from "../../../src/model/disk/disk.ts";
import { readAccount } from "../../../src/run/account/read-account.ts";
import { hurry } from "../../hurry.ts";
import { givenImport } from "../../journal/given-import.ts";
import { createSimulatedDisk } from "../../journal/simulated-disk.ts";
import { files, journalOn, put } from "./account-on-disk.ts";

/** A disk on which the first reads of a journal meet a batch that is being written. */
async function diskInWriting(tornReads: number): Promise<Disk> {
  const disk = createSimulatedDisk();
  const journal = await journalOn(disk);
  await put(disk, files.part, "");
  // What is on record of the run is behind what is torn, so that it looks like damage.
  const intent = {
    rowOfRun: 1,
    event: 1,
    attempt: 1,
    unanswered: 0,
    importedAt: givenImport.started_at,
  };
  journal.add({ kind: "intent", ...intent });
  await journal.write(true);
  let reads = 0;
  return {
    ...disk,
    async *readChunks(path) {
      const isTorn = path === files.journal && ++reads <= tornReads;
      for await (const chunk of disk.readChunks(path)) {
        yield isTorn ? Buffer.from(chunk).fill(0, 20, 30) : chunk;
      }
    },
  };
}

test("a journal that is just being written is read again, before it counts as damaged", async () => {
  hurry(100);
  expect(await readAccount(files.results, await diskInWriting(3))).toMatchObject({
    kind: "unfinished",
  });
  expect(await readAccount(files.results, await diskInWriting(100))).toMatchObject({
    kind: "damaged",
    error: { code: "journal_damaged" },
  });
});
