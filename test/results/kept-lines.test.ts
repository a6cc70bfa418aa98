import { expect, test } from "vitest";
import { PendingRow } from "../../src/model/pending-row.ts";
import { createSimulatedDisk } from "../journal/simulated-disk.ts";
import { simulatedFiles as files, rowAt, writerUnderTest } from "./writer-under-test.ts";

test("lines that stay as they were are written as they were, and counted apart", async () => {
  const disk = createSimulatedDisk();
  const { writer } = await writerUnderTest({ disk, files });
  const row = new PendingRow(rowAt(1), 1);
  const text = "a1,b1,1,the line of an earlier part\n";
  Object.assign(row, { lines: [{ kind: "kept", text }] });
  writer.add(row);
  writer.settled(row);
  await writer.flush();
  expect((await disk.read(files.part))?.toString()).toContain(`\n${text}`);
  expect(writer.written.tally).toMatchObject({ kept: 1, lines: 0, events: 0 });
});
