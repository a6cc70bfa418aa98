import { closeSync, openSync, readSync, renameSync, rmSync, writeSync } from "node:fs";
import { cannotStart, reasonOf } from "../domain/errors.ts";
import type { Row, RowProblem } from "../domain/row.ts";
import { createTextBuffer } from "../domain/text-buffer.ts";
import { toCsv } from "./to-csv.ts";

/** A CSV file of every problem of a check, which is there in one step or not at all. */
export interface ProblemsFile {
  /** @throws CannotStartError where it cannot be written */
  add(row: Row, problem: RowProblem): void;
  /** Gives it its name. */
  finish(): void;
  discard(): void;
}

const columns = ["row", "line", "source", "column", "value", "code", "message"];
const header = toCsv([columns]);
const mostWaitingChars = 64 * 1024;

/**
 * Begins such a file under the name of its part. One of an earlier check is replaced at the end.
 *
 * Writes are synchronous: nothing else goes on in a check, and problems that come faster than the disk
 * takes them would fill the memory.
 *
 * @throws CannotStartError where there is another file of that name, or it cannot be written
 */
export function createProblemsFile(path: string): ProblemsFile {
  const part = `${path}.part`;
  const orRefuse = <Result>(attempt: () => Result): Result => {
    try {
      return attempt();
    } catch (error) {
      throw cannotStart("output_not_writable", path, reasonOf(error));
    }
  };
  if (orRefuse(() => isOther(path))) throw cannotStart("output_exists", path, "--problems");
  const file = orRefuse(() => openSync(part, "w"));
  const toBytes = createTextBuffer();
  let lines = [columns];
  let waitingChars = 0;
  const flush = () => {
    const bytes = toBytes(toCsv(lines));
    for (let at = 0; at < bytes.length; ) at += orRefuse(() => writeSync(file, bytes, at));
    lines = [];
    waitingChars = 0;
  };

  return {
    add({ row, line, source = "" }, { column = "", value = "", code, message }) {
      lines.push([String(row), String(line), source, column, value, code, message]);
      waitingChars += value.length + message.length + mostWaitingChars / 1000;
      if (waitingChars >= mostWaitingChars) flush();
    },
    finish() {
      flush();
      closeSync(file);
      orRefuse(() => renameSync(part, path));
    },
    discard() {
      closeSync(file);
      rmSync(part, { force: true });
    },
  };
}

/** Whether there is a file that does not begin as a file of problems does. */
function isOther(path: string): boolean {
  let file: number;
  try {
    file = openSync(path, "r");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
  try {
    const beginning = Buffer.alloc(header.length);
    const bytes = readSync(file, beginning);
    return beginning.toString("latin1", 0, bytes) !== header;
  } finally {
    closeSync(file);
  }
}
