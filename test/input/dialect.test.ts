import { describe, expect, test } from "vitest";
import { openSource } from "../../src/input/open-source.ts";
import { describeDialect } from "../../src/model/reading.ts";
import { cut, readAll, refusal, streamOf } from "./given-bytes.ts";

async function delimiterOf(text: string): Promise<string | undefined> {
  const source = await openSource(streamOf(text));
  return source.dialect.delimiter;
}

describe("the delimiter is found", () => {
  test.each([
    [";", '"Last, First";Age\n"Doe, J";5\n'],
    [";", "Price (EUR, net);Name\n1,5;x\n2;y\n"],
    [",", "id,name,tags a|b\n1,x,p|q\n2,y,r|s\n"],
    [",", "name\nAnn\nBob\n"],
    [",", "note\nfirst, second\nthird\nfourth\n"],
    [",", "When: at noon\n12:30\n14:45:10\n"],
    [";", 'sep=;\nname\n"x"\n'],
    ["\t", "SEP=\t\r\na,b\tc\r\n"],
    [",", "a;b;c,import_status,import_row\n1;2;3,failed,1\n"],
    [";", '"a;b";"import_status";import_row\n"1,2";failed;1\n'],
  ])("%j in %j", async (delimiter, text) => {
    expect(await delimiterOf(text)).toBe(delimiter);
  });

  test("in a line above the lines that are skipped", async () => {
    const text = "sep=;\nReport\nname, town;age\nAnn, Rome;5\nBob, Bonn;6\n";
    expect((await openSource(streamOf(text), { skipLines: 2 })).columns).toEqual([
      "name, town",
      "age",
    ]);
    expect((await openSource(streamOf("sep=;\na,b;c\n"), { skipLines: 1 })).columns).toHaveLength(
      2,
    );
  });
});

test.each([
  [
    "Report of May\nAnn;Rome\nBob;Bonn\nCyd;Ulm\n",
    'the lines from 2 on hold ";", unlike what is above. If line 2 names the columns, give --skip-lines 1; else say what separates cells, such as --delimiter ,.',
  ],
  [
    "Report\n\nAnn,5,x\nBob,6,y\n",
    "the lines from 3 on hold \",\", unlike what is above. If line 3 names the columns, give --skip-lines 2; else say what separates cells, such as --delimiter ';'.",
  ],
  [
    "Last, First;Age\nDoe, J;5\nRoe, K;6\n",
    'its header holds "," and ";", and either may separate cells',
  ],
])("an option has to say what cannot be detected: %j", async (text, sentence) => {
  expect(await refusal(streamOf(text))).toContain("delimiter_unclear: people.csv: ");
  for (const reading of [{}, { skipLines: 0 }, { header: false }]) {
    expect(await refusal(streamOf(...cut(Buffer.from(text), [1])), reading)).toContain(sentence);
  }
});

describe("what was said counts", () => {
  test("more lines than there are cannot be left out", async () => {
    expect(await refusal(streamOf("a\nb"), { skipLines: 2 })).toBe(
      "input_too_short: --skip-lines 2 skips all lines of people.csv: give a smaller number.",
    );
    expect(await refusal(streamOf("a\nb\nc"), { skipLines: 2 })).toBe("opened");
  });

  test("a record that is too long is reported before what is wrong further on", async () => {
    const long = `${"a,".repeat(599)}a`;
    const text = `A,B\nx,y\n${long}\nok,1\nb"c,2\n`;
    expect((await readAll(streamOf(text), { maxRecordBytes: 1024 })).damage?.message).toBe(
      "the row that starts on line 3 is longer than 1024 bytes: shorten its cells.",
    );
  });
});

test("how an input was read is reported where it is not as usual", () => {
  expect(describeDialect({ encoding: "UTF-8", delimiter: ",", quote: '"' })).toBeUndefined();
  expect(describeDialect({ encoding: "UTF-8", delimiter: ";", quote: '"' })).toBe(
    "UTF-8, delimiter ;",
  );
  expect(describeDialect({ encoding: "UTF-16LE", delimiter: "\t", quote: "" })).toBe(
    "UTF-16LE, delimiter tab, no quotes",
  );
});
