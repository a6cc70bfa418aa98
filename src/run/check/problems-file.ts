import { createAtomicFile } from "../../model/disk/atomic-file.ts";
import { isOursAt } from "../../model/disk/exists.ts";
import { refuseWrite } from "../../model/errors.ts";
import type { Row, RowProblem } from "../../model/row.ts";
import { toCsv } from "../../results/to-csv.ts";

export type ProblemsFile = Awaited<ReturnType<typeof createProblemsFile>>;

const problemColumns = ["row", "line", "source", "column", "value", "code", "message"];
const maxWaitingChars = 64 * 1024;

/**
 * Begins a CSV file of every problem of a check, which is there in one step or not at all. One of an earlier check is
 * replaced at the end.
 *
 * Writes are synchronous: nothing else goes on in a check, and problems that come faster than the disk
 * takes them would fill the memory.
 *
 * @throws CannotStartError if there is another file of that name, or it cannot be written
 */
export async function createProblemsFile(path: string) {
  const refuse = refuseWrite(path);
  await isOursAt(path, [toCsv([problemColumns])], "--problems");
  const { addNow, finish, discard } = await createAtomicFile(path).catch(refuse);
  let lines = [problemColumns];
  let waitingChars = 0;
  const flush = () => {
    try {
      addNow(Buffer.from(toCsv(lines)));
    } catch (error) {
      refuse(error);
    }
    lines = [];
    waitingChars = 0;
  };

  return {
    add({ row, line, source = "" }: Row, problem: RowProblem) {
      const { column = "", value = "", code, message } = problem;
      // People open it, and nothing reads it back.
      lines.push([row, line, source, column, value, code, message].map(String).map(defuseCell));
      waitingChars += value.length + message.length + maxWaitingChars / 1000;
      if (waitingChars >= maxWaitingChars) flush();
    },
    async finish() {
      flush();
      await finish().catch(refuse);
    },
    discard,
  };
}

/**
 * A cell as a spreadsheet program can show it without running or changing it: an apostrophe goes
 * before what begins like a formula, and before digits that would be shown as another number.
 *
 * The signs are those of OWASP's "CSV Injection" and ASVS 5.0, 1.2.10. As that page says, it is not
 * enough to check the beginning of a cell: a program that assumes another delimiter begins a new
 * one after each semicolon, so text after a delimiter or a line break inside a cell is treated the
 * same way.
 */
export function defuseCell(cell: string): string {
  if (bendable.test(cell)) return `'${cell}`;
  return mayBeDangerous.test(cell) ? cell.replaceAll(formulaStart, "'") : cell;
}

/** Leading zeros, more digits than a column shows, or an exponent. */
const bendable = /^\s*(?:0\d+|\d{12,}|\d+(?:[.,]\d+)?e\d+)\s*$/i;

/** Spares most cells the search, as they hold none of the signs. */
const mayBeDangerous = /[=+\-@\t\r\0＝＋－＠]/;

/**
 * Any kind of space, even invisible, may precede the sign. It is one class: if a character were in two of
 * them, each would double the ways to match it.
 */
const formulaStart = /(?<=^|[,;|\t\r\n])(?=(?:(?![\t\r\n])[\s\p{Cf}"])*[=+\-@\t\r\0＝＋－＠])/gu;
