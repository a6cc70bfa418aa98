import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openGivenLines } from "../../../src/run/account/given-lines.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import {
  all,
  failedRows,
  names,
  oneEvent,
  openAccount,
  results,
  table,
} from "./account-under-test.ts";

/** Five people, of whom Ann is taken, and the others are refused for now. */
async function fourRefused() {
  const account = await openAccount(table("Ann", "Bo", "Cy", "Di", "Ed"), oneEvent);
  account.answer(all("Bo", "Cy", "Di", "Ed"));
  await account.import();
  account.received();
  account.answer(all());
  return account;
}

const rejected = (row: number) => `${row}/1 rejected http_422`;
const succeeded = (row: number) => `${row}/1 succeeded`;

test("the account decides what is sent a line that is set to skipped becomes skipped, and nothing of it is sent", async () => {
  const { edit, retry, received, account, selected } = await fourRefused();
  await edit(failedRows, (text) => text.replace("rejected", "skipped"));
  expect(await retry()).toMatchObject({ counts: { succeeded: 4, skipped: 1 } });
  expect(names(received())).toEqual(["Cy", "Di", "Ed"]);
  expect(selected()).toMatchObject({ skipped: 1, events: 3 });
  expect(await account()).toEqual([
    succeeded(1),
    "2/1 skipped by_hand",
    ...[3, 4, 5].map(succeeded),
  ]);
});

test("what of a given file is no line of an event is left out, and said once", async () => {
  const { edit, retry, received, people } = await fourRefused();
  await edit(failedRows, (text) => text.replace(/\n"?Di/, (di) => `\n${",".repeat(14)}${di}`));
  await retry();
  expect(names(received())).toEqual(["Bo", "Cy", "Di", "Ed"]);
  const said = people.notices.flatMap((one) => (one.kind === "warning" ? [one.message] : []));
  expect(said.filter((one) => /left out|no row/.test(one))).toEqual([
    "people.failed.csv: line 4 has no filled cell: it is no row.",
  ]);
});

test("the order of the lines of a large file has to be that of the rows", async () => {
  const name = "people.failed.csv";
  const path = join(await temporaryFolder(), name);
  const wide = "x".repeat(2000);
  async function* nothing(): AsyncGenerator<never> {}
  const lines = Array.from({ length: 9000 }, (_, at) => `${wide},${at + 1},1,rejected\n`);
  const open = async (given: readonly string[]) => {
    await writeFile(path, `name,import_row,import_event,import_status\n${given.join("")}`);
    return openGivenLines({ kind: "file", path, name }, {}, ["name"], nothing);
  };
  await expect(open(lines.toReversed())).rejects.toThrow(
    "people.failed.csv cannot be retried: its rows are in another order than the results, and it is too large to be sorted here: sort it by import_row. Nothing was sent.",
  );
  const sorted = await open(lines);
  const rows: number[] = [];
  for await (const { row } of sorted.rows()) rows.push(row);
  expect(rows).toEqual(lines.map((_, at) => at + 1));
});

describe("a line is refused with its number", () => {
  const at =
    (column: string, to: string) => async (place: Awaited<ReturnType<typeof fourRefused>>) => {
      const [header = []] = await place.people.records(failedRows);
      await place.editLines(failedRows, (lines) =>
        lines.map((cells, row) =>
          cells.map((cell, index) => (row === 1 && header[index] === column ? to : cell)),
        ),
      );
    };
  test.each<[string, (place: Awaited<ReturnType<typeof fourRefused>>) => Promise<void>, string]>([
    [
      "of a row that was never there",
      at("import_row", "9"),
      "line 3 (row 9) is for an event that the account does not have",
    ],
    [
      "of a row between two",
      at("import_row", "1.5"),
      'line 3, column import_row: "1.5" was changed, perhaps by a spreadsheet program',
    ],
    [
      "of an event that was never there",
      at("import_event", "2"),
      "line 3 (row 3) is for an event that the account does not have",
    ],
    [
      "of another input",
      at("import_input", "0123456789abcdef"),
      "line 3 (row 3) is for an event that the account does not have",
    ],
    [
      "that has lost its row",
      at("import_row", ""),
      "line 3 has no import_row: import rows that were added in a file of their own",
    ],
    [
      "with a status that nobody knows",
      at("import_status", "done"),
      'line 3, column import_status: "done" is not one of',
    ],
    [
      "that says succeeded",
      at("import_status", "succeeded"),
      "line 3 (row 3) says succeeded, and the account says rejected: set it to skipped if nothing is to be sent",
    ],
    [
      "that stands there twice",
      ({ editLines }) => editLines(failedRows, (lines) => [...lines, lines[1] ?? []]),
      "line 6 (row 3) is for the same event as line 3: keep one of them",
    ],
    [
      "that is blank from end to end",
      ({ edit }) => edit(failedRows, (text) => `${text}${",".repeat(14)}\n`),
      "",
    ],
    [
      "without the columns that say which event it is",
      ({ edit }) => edit(failedRows, (text) => text.replace("import_event,", "event,")),
      "it has lost the columns import_event: put them back",
    ],
    [
      "without a column of the input",
      ({ edit }) => edit(failedRows, (text) => text.replace("name,", "other,")),
      "it has lost the columns name: put them back",
    ],
  ])("%s", async (_what, change, why) => {
    const place = await fourRefused();
    await change(place);
    if (why === "") {
      // A person who clears a line takes it out.
      expect((await place.retry()).counts).toMatchObject({ succeeded: 5 });
      return;
    }
    expect(await place.refused(() => place.retry())).toMatchObject({
      code: "retry_refused",
      message: expect.stringContaining(`people.failed.csv cannot be retried: ${why}`),
    });
  });

  test("any other status, and none, is only what the account knows better", async () => {
    const { edit, retry } = await fourRefused();
    await edit(failedRows, (text) => text.replace("rejected", "failed").replace("rejected", ""));
    expect(await retry()).toMatchObject({ counts: { succeeded: 5 } });
  });
});

describe("nothing that a person or a program changed is overwritten or believed", () => {
  test("failed rows that were edited and are not the file given", async () => {
    const { people, edit, retry, refused } = await fourRefused();
    await people.write("old.csv", await people.text(failedRows));
    await edit(failedRows, (text) => text.replace("Bo", "Bob"));
    const options = { results: people.path(results) };
    for (const name of ["old.csv", results]) {
      expect(await refused(() => retry(name, options))).toMatchObject({
        code: "failed_rows_edited",
        message: expect.stringContaining(`people.failed.csv was edited, and a retry of ${name}`),
      });
    }
    expect(await retry()).toMatchObject({ counts: { succeeded: 5 } });
  });

  test.each<[string, (text: string) => string]>([
    ["by a byte", (text) => text.replace("Ann", "Anm")],
    ["by a status", (text) => text.replace("rejected", "rejectee")],
    ["by its order", (text) => text.replace(/(^Bo.*\n)(^Cy.*\n)/m, "$2$1")],
    ["by a line less", (text) => text.replace(/^Cy.*\n/m, "")],
    ["to nothing", () => ""],
  ])("results that were changed %s", async (_how, change) => {
    const { edit, retry, refused } = await fourRefused();
    await edit(results, change);
    for (const name of [failedRows, results]) {
      expect(await refused(() => retry(name))).toMatchObject({
        code: "account_damaged",
        message: expect.stringContaining("Restore what eventload wrote"),
      });
    }
  });
});

test("what a person fixed is not lost where --limit and --skip pass over its row", async () => {
  const { edit, retry, received, account, people } = await fourRefused();
  await edit(failedRows, (text) => text.replace(/^Bo/m, "Bob").replace(/^Ed/m, "Eddy"));
  expect(await retry(failedRows, { skip: 1, limit: 2 })).toMatchObject({
    counts: { succeeded: 3, rejected: 2 },
  });
  expect(names(received())).toEqual(["Cy", "Di"]);
  expect(await account(failedRows)).toEqual([rejected(2), rejected(5)]);
  expect((await people.lines(failedRows)).map(({ name }) => name)).toEqual(["Bob", "Eddy"]);
  await retry();
  expect(names(received())).toEqual(["Bob", "Eddy"]);
});
