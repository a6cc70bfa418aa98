import { open } from "node:fs/promises";
import { InputDamagedError } from "../model/errors.ts";
import type { Reading } from "../model/reading.ts";
import type { SourcePosition } from "../model/source-position.ts";
import { openSource } from "./open-source.ts";
import type { InputSpec } from "./read-bytes.ts";

const lookedAtBytes = 64 * 1024;
const mostTries = 8;
const convincingRows = 20;

/**
 * Finds a place from an offset on at which a record begins. A line can begin within quotes, so it is
 * one from which the next rows have as many cells as the header.
 */
export async function findRecordStart(
  input: Extract<InputSpec, { kind: "file" }>,
  reading: Reading,
  columnCount: number,
  offset: number,
): Promise<SourcePosition | undefined> {
  for (const start of await lineStarts(input.path, offset)) {
    // Which row and line it is nobody knows, and nobody asks.
    const position: SourcePosition = { offset: start, line: 1, rowsBefore: 0, blankLines: 0 };
    if (await isRecordStart(input, reading, columnCount, position)) return position;
  }
  return undefined;
}

async function lineStarts(path: string, offset: number): Promise<number[]> {
  const handle = await open(path, "r");
  try {
    const { buffer, bytesRead } = await handle.read({
      buffer: Buffer.alloc(lookedAtBytes),
      position: offset,
    });
    const starts: number[] = [];
    let at = buffer.indexOf(0x0a);
    while (at >= 0 && at < bytesRead && starts.length < mostTries) {
      starts.push(offset + at + 1);
      at = buffer.indexOf(0x0a, at + 1);
    }
    return starts;
  } finally {
    await handle.close();
  }
}

async function isRecordStart(
  input: InputSpec,
  reading: Reading,
  columnCount: number,
  position: SourcePosition,
): Promise<boolean> {
  const source = await openSource(input, reading, position);
  let sound = 0;
  try {
    for await (const batch of source.batches) {
      for (const { cells, problem } of batch) {
        if (problem !== undefined || cells.length !== columnCount) return false;
        if (++sound >= convincingRows) return true;
      }
    }
    return sound > 0;
  } catch (error) {
    if (error instanceof InputDamagedError) return false;
    throw error;
  } finally {
    await source.close();
  }
}
