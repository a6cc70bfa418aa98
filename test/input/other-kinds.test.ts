import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { cut, refusal, streamOf } from "./given-bytes.ts";
import { fileOf, xlsxParts, zipOf } from "./given-workbook.ts";

const mark = Buffer.from([0xff, 0xfe]);

test.each([
  ["HTML", '<html xmlns:x="urn:schemas">', "not_a_table", "an HTML page"],
  ["HTML after blank lines", "\r\n <TABLE border=1><tr>", "not_a_table", "an HTML page"],
  ["XML", '<?xml version="1.0"?>\n<Workbook>', "not_a_table", "Excel 2003 or a .fods"],
  [
    "XML in UTF-16",
    Buffer.concat([mark, Buffer.from("<?xml version='1.0'?>", "utf16le")]),
    "not_a_table",
    "or as CSV",
  ],
  ["bzip2", Buffer.from("BZh91AY&SY\xe3", "latin1"), "packed_otherwise", "with bzip2"],
  ["xz", Buffer.from("\xfd7zXZ\0\0", "latin1"), "packed_otherwise", "with xz"],
  ["zstd", Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x24]), "packed_otherwise", "with zstd"],
  ["gzip in gzip", gzipSync(gzipSync("a,b\n")), "packed_otherwise", "with gzip twice"],
  ["a PDF", "%PDF-1.4\n%\xe2\xe3\n", "not_a_table", "a PDF: save its table"],
  ["RTF", "{\\rtf1\\ansi", "not_a_table", "as .xlsx without a password, or as CSV"],
  [
    "JSON",
    '[\n  {"email": "a@x.org", "age": 5}\n]\n',
    "input_is_json",
    "or JSON Lines: convert it to CSV",
  ],
  [
    "JSON Lines",
    '{"email":"a@x.org","age":5}\n{"email":"b@x.org"}\n',
    "input_is_json",
    "jq -rs 'flatten",
  ],
  ["JSON in gzip", gzipSync('\ufeff{ "id" : 1 }'), "input_is_json", "give --no-header"],
])("%s is told as what it is, however it comes", async (_, content, code, says) => {
  const bytes = Buffer.from(content as Buffer);
  for (const size of [bytes.length, 1]) {
    const told = await refusal(streamOf(...cut(bytes, [size])));
    expect(told).toContain(`${code}: people.csv is `);
    expect(told).toContain(says);
  }
});

test("JSON is refused whatever delimiter is given, as a mapping of another file gives one", async () => {
  const json = () => streamOf(Buffer.from('[{"email":"a@x.org"}]'));
  expect(await refusal(json(), { delimiter: ";" })).toContain("convert it to CSV");
  expect(await refusal(json(), { header: false })).not.toContain("convert it to CSV");
});

test.each([
  "<a>,b\n1,2\n",
  "BZh9,b\n1,2\n",
  "<xml>,b\n",
  " ,b\n",
  "%PDF,b\n",
  "{\\r,b\n",
  "[a],b\n",
  '{"a",b\n',
])("%j is CSV", async (text) => {
  expect(await refusal(streamOf(...cut(Buffer.from(text), [1])))).toBe("opened");
});

test("documents that are packed like a workbook are told apart from one", async () => {
  const letter = Object.entries(xlsxParts("")).map(([part, bytes]) => [
    part.replace("xl/", "word/"),
    String(bytes).replace("xl/workbook.xml", "word/document.xml"),
  ]);
  const text =
    "<office:document-content><office:body><office:text><table:table/></office:text></office:body></office:document-content>";
  for (const parts of [Object.fromEntries(letter), { "content.xml": text }]) {
    const bytes = zipOf({ ...parts, "word/document.xml": "<document/>" });
    expect(await refusal(await fileOf(bytes))).toBe(
      "workbook_unreadable: input cannot be read as a workbook: it is a document or a presentation, so save the table in it as .xlsx or CSV.",
    );
  }
});

test("a cell that would be control characters is not offered as a reading", async () => {
  const told = await refusal(streamOf(Buffer.from("a\x01\xe9,b\n", "latin1")));
  expect(told).toContain("is not UTF-8");
  expect(told).not.toContain("windows-1252");
  const text = await refusal(streamOf(Buffer.from("Andr\xe9,b\n", "latin1")));
  expect(text).toContain("windows-1252");
});
