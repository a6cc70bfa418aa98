// Every function that text from outside passes: a cell, a header, an answer, a part of a workbook.
// A name a function; what it throws is its own affair, unless it is a bug.
import { Readable } from "node:stream";
import { describeUncaught } from "../../build/cli/refuse.js";
import { wrapWords } from "../../build/cli/terminal/lines.js";
import { renderOutcomeGroups } from "../../build/cli/terminal/render-problems.js";
import { parseRetryAfter } from "../../build/delivery/classify-attempt.js";
import { errorText, readAnswerBody } from "../../build/delivery/http/answer-body.js";
import { messageOf } from "../../build/delivery/http/connection-errors.js";
import { createRedact } from "../../build/delivery/http/redact.js";
import { readQuotas } from "../../build/delivery/rate-limit-fields.js";
import { readPreamble } from "../../build/input/csv-preamble.js";
import { openResultsFile } from "../../build/input/open-results-file.js";
import { openSource } from "../../build/input/open-source.js";
import { isQuoteText, quoteProblem } from "../../build/input/quote-faults.js";
import { watchRecords } from "../../build/input/watch-records.js";
import { openWorkbook } from "../../build/input/workbook/open-workbook.js";
import { createDamageFindings, createFindings } from "../../build/lint/create-findings.js";
import { createOddRows } from "../../build/lint/odd-rows.js";
import { findColumnUses } from "../../build/mapping/column-uses.js";
import { compileMapping } from "../../build/mapping/compile-mapping.js";
import { inferMapping } from "../../build/mapping/infer/infer-mapping.js";
import { writeMapping } from "../../build/mapping/infer/write-mapping.js";
import { loadMapping } from "../../build/mapping/load-mapping.js";
import { isLoopback, withoutSecrets } from "../../build/model/endpoint.js";
import { describeThrown } from "../../build/model/errors.js";
import { messageTemplate } from "../../build/model/groups.js";
import { foreign } from "../../build/model/look/html.js";
import { hasResultsColumns } from "../../build/model/results-columns.js";
import { problemText, quoteWhole } from "../../build/model/row.js";
import { createFailedRows } from "../../build/report/failed-rows.js";
import { problemsSection } from "../../build/report/problems-section.js";
import { ResultsReader } from "../../build/results/results-reader.js";
import { csvCells, toCsv } from "../../build/results/to-csv.js";
import { defuseCell } from "../../build/run/check/problems-file.js";
import { planRow } from "../../build/run/prepare/plan-row.js";
import { odsOf, xlsxParts, xlsxRow, zipOf } from "../input/workbook-bytes.mjs";

const people = { name: "people.csv", id: "0123456789abcdef" };

const mappingText = `version: 1
resource: contacts
event: { column: Kind, map: { A: a }, otherwise: b }
ordering_key: [A]
when: { any: [{ column: A, matches: "^(a+)+$" }, { column: A, blank: false }] }
null_values: [NULL, "-"]
members:
`;

/** What a member can make of a cell. */
const memberKinds = String.raw`
template: "{A|trim|digits_only} {Zip}", transform: [trim, title_case]
columns: [Zip, A], type: number
column: A, type: integer
column: A, type: integer, thousands_separator: "."
column: A, type: integer, scale: 100
column: A, type: number
column: A, type: number, thousands_separator: " "
column: A, type: number, thousands_separator: "'", decimal_separator: ","
column: A, type: number, scale: 0.12345
column: A, type: decimal, thousands_separator: ","
column: A, type: decimal, scale: 0.12345, min: 1, max: 3
column: A, type: boolean
column: A, type: json
column: A, type: list, separator: ";", items: { type: number }
column: A, type: list, separator: a, items: { format: email }
column: A, type: list, separator: ","
column: A, type: date
column: A, type: date, format: [dd/MM/yyyy, d MMM yy, excel_serial, X, x], pivot_year: 2040
column: A, type: datetime, timezone: Europe/Amsterdam
column: A, type: datetime, format: ["EEEE, d MMMM yyyy h:mm a", "yyyy-MM-dd'T'HH:mm:ss.uZZ"]
column: A, format: email
column: A, format: url
column: A, enum: [NL], max_length: 10
column: A, pattern: "^(a+)+$"
column: A, transform: collapse_spaces
column: A, transform: lowercase
column: A, transform: { strip_prefix: "0" }
column: A, transform: { replace: { find: a, with: bc } }
column: A, transform: { split: { by: a, item: -2 } }
column: A, transform: { pad_start: { length: 1000, with: a } }
column: A, transform: { replace: { pattern: "(a|1)+[^;]|\\s+$", with: "<$1$&>" } }
`
  .trim()
  .split("\n");

const ofCells = {
  ...byName("a mapping with", memberKinds, wholeMapping),
  findings: findingsOf(createFindings),
  "findings of a retry": findingsOf(createDamageFindings),
  "rows that are none": (text) => oddRowsOf([text, "1"], ["Ann", "1"], [text, text], [text, "1"]),
  "init, of a word among numbers": (text) => inferred(["A"], ["n a"], ["n a"], ["1,5"], [text]),
  "init, of cells": (text) =>
    inferred(["A", "Date of birth", "ID", "Tags", "Phone", "Estado"], Array(6).fill(text)),
  "init, of one of two rows": (text) => inferred(["Zip", "Amount"], [text, text], ["1", "1,5"]),
  "what is written": (text) => [toCsv([[text, text]]), defuseCell(text), quoteWhole(text)],
  "a finding": (text) =>
    problemText({ code: "not_json", column: text, value: text, message: text }),
  "swallowed rows, two columns": (text) => lookedAt(["a1", `b\n${text}`]),
  "swallowed rows, three columns": (text) => lookedAt(["1", `${text}\nb`, "c"]),
  "a line of results": (text) =>
    planRow(
      {
        row: 1,
        line: 2,
        cells: [text],
        lines: [{ ...failedLine, cells: [text], text, error: text, eventId: text }],
      },
      {
        onKeyFailure: "block",
        mapRow: () => ({
          kind: "invalid",
          problems: [{ code: "not_json", value: text, message: text }],
        }),
      },
    ),
  "results as they were written": async (text) => {
    const line = toCsv([[text, "1", "failed", text]]);
    const bytes = Buffer.from(`a,import_row,import_status,import_error\n${line}${line}`);
    const reader = await ResultsReader.open(
      Readable.from([bytes]),
      "a.results.csv",
      (why) => new Error(why),
    );
    while (reader.row !== undefined) {
      csvCells(reader.bytes().toString());
      await reader.next();
    }
  },
  "what a module threw": (text) => {
    const thrown = new Error(text);
    return [describeThrown(thrown), describeThrown(text), describeUncaught(thrown)];
  },
};

const failedLine = {
  ...{ use: "send", because: undefined, status: "failed", event: 1, errorCode: "http_500" },
  ...{ httpStatus: 500, attempts: 1, unanswered: 0 },
};

const ofHeaders = {
  "columns of results": (text) => hasResultsColumns([text]),
  "a header of many columns": (text) => {
    const columns = text.split(",");
    return [inferred(columns, columns), hasResultsColumns(columns)];
  },
};

const ofFiles = {
  readPreamble: (text) => readPreamble("people.csv", Readable.from([Buffer.from(text)]), {}, false),
  "a quote": (text) => [
    quoteProblem({ kind: "stray", cell: 1, written: `${text}"` }, { delimiter: ",", quote: `"` }),
    isQuoteText(`${text}"`, `"`),
  ],
  "a CSV file": (text) => rowsOf(text),
  "a CSV file with an escape": (text) => rowsOf(`a,b\n"${text}`, { escape: "\\" }),
  "a CSV file below a header": (text) => rowsOf(`a,b\n${text}`),
  "a CSV file with a delimiter of two": (text) => rowsOf(`a::b\n${text}`, { delimiter: "::" }),
  "a CSV file in windows-1252": (text) =>
    rowsOf(Buffer.from(`a,b\n${text}`, "latin1"), { encoding: "windows-1252" }),
  "a CSV file in UTF-16": (text) => rowsOf(Buffer.from(`\ufeffa,b\n${text}`, "utf16le")),
  "a CSV file that comes a piece at a time": (text) => rowsOf(`a,b\n${text}`, {}, 997),
  "a results file": (text) =>
    rowsOf(
      `a,import_row,import_status,import_error\n${text},1,failed,${text}\n"${text}",2,,`,
      {},
      undefined,
      openResultsFile,
    ),
};

const ofAnswers = {
  errorText: (text) => errorText(text, (body) => body),
  "an error in JSON": (text) =>
    errorText(
      JSON.stringify({ message: text, errors: [{ field: text, message: text }] }),
      (body) => body,
    ),
  "names in an error in JSON": (text) =>
    errorText(
      JSON.stringify({ errors: [{ field: `${text.slice(text.length / 2)}x`, message: text }] }),
      (body) => body,
    ),
  "errors by the names of fields": (text) =>
    errorText(
      JSON.stringify({ errors: { [text]: [text, text], a: { source: { pointer: text } } } }),
      (body) => body,
    ),
  redact: createRedact("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", "****"),
  "redact what is cut": (text) => createRedact('a1"\\/<0', "****")(text, true),
  "a proxy's answer": (text) => [
    messageOf(new Error(text)),
    parseRetryAfter(text, new Date(0)),
    withoutSecrets(text),
    withoutSecrets(`https://${text}`),
    isLoopback(text),
  ],
  "headers of an answer": (text) => [
    readAnswerBody(Buffer.from("{}"), false, { contentType: text, contentEncoding: text }, 100),
    readQuotas({ ratelimit: text, "ratelimit-policy": text }),
  ],
  messageTemplate,
  renderOutcomeGroups: (text) =>
    renderOutcomeGroups({
      problems: [groupOf(text)],
      ungroupedProblems: 0,
      delivery: "at-least-once",
    }),
  wrapWords: (text) => wrapWords(text, 80),
  "failed rows": (message) => {
    const rows = createFailedRows(["A"], new Map([["a", "A"]]));
    const place = { row: 1, line: 2, source: undefined, code: "x", cells: [message] };
    for (const status of ["invalid", "rejected"]) rows.add({ ...place, status, message });
    return rows.groups();
  },
  "a report": (text) => [
    foreign(text),
    problemsSection({
      run: {
        counts: { failed: 1 },
        exit_reason: "complete",
        options: { delivery: "at-least-once" },
        failed_rows: "people.failed.csv",
      },
      failed: {
        columns: ["A"],
        lines: 1,
        counts: { failed: 1 },
        groups: [failedGroupOf(text)],
        ungrouped: 0,
      },
      isMasked: false,
    }),
  ],
};

/** Parts of an .xlsx that have it; `rows` are those of its sheet. */
const xlsxPartsWith = {
  "a cell": (text) => ({ rows: xlsxRow(text) }),
  "an inline text": (text) => ({ rows: `<row><c t="inlineStr"><is><t>${text}</t></is></c></row>` }),
  "a CDATA section": (text) => ({ rows: xlsxRow(`<![CDATA[${text}]]>`) }),
  "a comment": (text) => ({ rows: `<!--${text}--><row/>` }),
  cells: (text) => ({ rows: `<row>${text}</row>` }),
  attributes: (text) => ({ rows: `<row ${text}><c r="A1" ${text}><v>1</v></c></row>` }),
  "an attribute": (text) => ({ rows: `<row a="${text}"><c s='${text}' t="n"><v>1</v></c></row>` }),
  "a shared text": (text) => ({
    "xl/sharedStrings.xml": `<sst><si><t>${text}</t></si>${text}</sst>`,
  }),
  "a number format": (text) => ({
    "xl/styles.xml": `<styleSheet><numFmts><numFmt numFmtId="9" formatCode="${text}"/></numFmts>${text}</styleSheet>`,
  }),
  "a workbook part": (text) => ({
    "xl/workbook.xml": `<workbook><sheets><sheet name="${text}" r:id="r1"/></sheets>${text}</workbook>`,
  }),
};

const odsRowsWith = {
  "a cell": (text) => `<table:table-cell><text:p>${text}</text:p></table:table-cell>`,
  cells: (text) => text,
  "an attribute": (text) =>
    `<table:table-cell office:value-type="float" office:value="${text}" ${text}/>`,
};

const ofWorkbooks = {
  ...byName("an .xlsx with it as", xlsxPartsWith, (partsOf) => (text) => {
    const { rows = "", ...others } = partsOf(text);
    return readWorkbook(zipOf(xlsxParts(xlsxRow("A", "B") + rows, others)));
  }),
  ...byName(
    "an .ods with it as",
    odsRowsWith,
    (cellsOf) => (text) => readWorkbook(odsWith(odsRow(cellsOf(text)))),
  ),
};

/** What text passes, by the name of the function or of what it is about. */
export const functions = { ...ofCells, ...ofHeaders, ...ofFiles, ...ofAnswers, ...ofWorkbooks };

/** Those that make something of their own that is as long. */
export const functionsOfLength = {
  "a mapping of keys that nobody knows": (text) => {
    const keys = Array.from({ length: text.length / 4 }, (_, at) => `k${at}: 1`);
    return loadMapping(`members: { a: A }\n${keys.join("\n")}\n`);
  },
  "a header of names alike": (text) => {
    const signs = (number) => number.toString(2).padStart(16, "0").replaceAll("0", " ");
    const columns = Array.from(
      { length: text.length / 20 },
      (_, at) => `a${signs(at).replaceAll("1", "-")}`,
    );
    return inferred(columns, columns);
  },
  "an .ods of as many columns": (text) => {
    const times = Math.round(text.length / 20);
    const [columns, cells] = ["<table:table-column/>", "<table:table-cell office:value='1'/>"];
    return readWorkbook(odsWith(columns.repeat(times) + odsRow(cells.repeat(times))));
  },
};

function byName(what, given, make) {
  const entries = Array.isArray(given) ? given.map((one) => [one, one]) : Object.entries(given);
  return Object.fromEntries(entries.map(([name, one]) => [`${what} ${name}`, make(one, name)]));
}

/** Looks for rows that a quote has swallowed in a record of as many cells as the header. */
function lookedAt(cells) {
  const csv = { delimiter: ",", quote: '"', maxRecordBytes: 2 ** 20 };
  const watched = { name: "a.csv", csv, columnCount: cells.length, rowsInCells: true };
  const warnings = [];
  return [watchRecords(watched, warnings).look({ line: 1, breaks: 1, cells }, false), warnings];
}

function mappingOf(text) {
  const loaded = loadMapping(text);
  if (loaded.kind === "invalid") throw new Error(JSON.stringify(loaded.problems));
  return loaded.mapping;
}

function wholeMapping(keys) {
  const mapping = mappingOf(`${mappingText}  a: { ${keys} }\n`);
  const { mapRow } = compileMapping(mapping, ["A", "Zip", "Kind"], people);
  return (text) => {
    const row = { row: 1, line: 2, cells: [text, text, text] };
    const mapped = mapRow(row);
    return mapped.kind === "events"
      ? mapped.events.map((event) => [event.id, event.body("")])
      : planRow(row, { mapRow, onKeyFailure: "block" });
  };
}

function findingsOf(create) {
  const mapping = mappingOf(
    "version: 1\nresource: users\nevent: a\nmembers: { a: { column: A }, zip: { column: Zip }, n: { column: N, type: number } }\n",
  );
  const findings = create(findColumnUses(mapping.spec, ["A", "Zip", "N"]), () => true, 2026);
  return (text) => {
    findings.see({ row: 1, line: 2, cells: [text, text, text] }, "sent", text);
    return findings.found();
  };
}

function oddRowsOf(...rows) {
  const watch = createOddRows(["A", "B"]);
  for (const [at, cells] of rows.entries()) watch.see({ row: at + 1, line: at + 2, cells }, []);
  return watch.found();
}

function inferred(columns, ...rows) {
  const mapping = inferMapping({ columns, rows, isWhole: true, thisYear: 2026 });
  const options = { schema: "", about: ["a"], isAnswered: false };
  return [true, false].map((maskSamples) => writeMapping(mapping, { ...options, maskSamples }));
}

function failedGroupOf(text) {
  const { status, code, message, count, first } = groupOf(text);
  const [line] = first;
  const row = { ...line, event: 1, attempts: 1, eventId: "", input: "", cells: [text] };
  return { status, code, message, count, isAlike: false, rows: [row], columns: ["A"] };
}

function groupOf(message) {
  const line = { status: "failed", code: "http_500", message: `${message}!`, row: 1, line: 2 };
  return { status: "failed", code: "http_500", message, count: 1, first: [line] };
}

async function rowsOf(text, reading = {}, pieceBytes = 32 * 1024, open = openSource) {
  const bytes = Buffer.from(text);
  async function* stream() {
    for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
  }
  return all(await open({ kind: "stream", stream: stream(), name: "input" }, reading));
}

function odsRow(cells) {
  return `<table:table-row>${cells}</table:table-row>`;
}

function odsWith(rows) {
  const header = odsRow("<table:table-cell><text:p>A</text:p></table:table-cell>");
  return odsOf(`<table:table table:name="A">${header}${rows}</table:table>`);
}

async function readWorkbook(bytes) {
  const held = {
    stat: async () => ({ size: bytes.length }),
    read: async (to, at, length, from) => ({ bytesRead: bytes.copy(to, at, from, from + length) }),
  };
  return all(await openWorkbook("input", { path: "input", held }, {}));
}

async function all(source) {
  let rows = 0;
  try {
    for await (const batch of source.batches) rows += batch.length;
    return rows;
  } finally {
    await source.close();
  }
}
