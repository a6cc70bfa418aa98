// What a row cannot do without, and nothing else: split, map, id, intent, POST, outcome, results line in order. No
// mapping language, retry, limits, resume or check: how fast the rest may be at best.
//   node sketch.mjs INPUT RESULTS URL CONNECTIONS
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { crc32 } from "node:zlib";
import { Pool } from "undici";

const [input, resultsPath, url, connectionsGiven] = process.argv.slice(2);
const connections = Number(connectionsGiven);
const headers = { authorization: "Bearer bench", "content-type": "application/json" };
const pool = new Pool(url, { connections, pipelining: 1 });
const results = await open(resultsPath, "w");
const journal = await open(`${resultsPath}.journal`, "w");

/** Records of the file, quotes included; nothing at its end. */
async function* readRecords() {
  let rest = "";
  for await (const chunk of createReadStream(input, { encoding: "utf8" })) {
    const text = rest + chunk;
    let start = 0;
    let isQuoted = false;
    const batch = [];
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === 34) isQuoted = !isQuoted;
      else if (code === 10 && !isQuoted) {
        batch.push(text.slice(start, at));
        start = at + 1;
      }
    }
    rest = text.slice(start);
    yield batch;
  }
}

function cellsOf(record) {
  const cells = [];
  let start = 0;
  while (start <= record.length) {
    if (record.charCodeAt(start) !== 34) {
      const comma = record.indexOf(",", start);
      const end = comma < 0 ? record.length : comma;
      cells.push(record.slice(start, end));
      start = end + 1;
      continue;
    }
    let end = record.indexOf('"', start + 1);
    while (record.charCodeAt(end + 1) === 34) end = record.indexOf('"', end + 2);
    cells.push(record.slice(start + 1, end).replaceAll('""', '"'));
    start = end + 2;
  }
  return cells;
}

const quote = JSON.stringify;
function bodyOf([id, first, last, email, phone, city, zip, signup]) {
  return `{"event":"contact.imported","id":${quote(id)},"first_name":${quote(first)},"last_name":${quote(last)},"email":${quote(email.toLowerCase())},"phone":${quote(phone)},"address":{"city":${quote(city)},"zip":${quote(zip)}},"signed_up_on":${quote(signup)}}`;
}

function idOf(row, body) {
  const hex = createHash("sha1").update(`namespace${row}${body}`).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

class Sent {
  status = 0;
  endedAt = "";
  constructor(row, record, id) {
    this.row = row;
    this.record = record;
    this.id = id;
  }
  onRequestStart() {}
  onResponseStart(_, status) {
    this.status = status;
  }
  onResponseData() {}
  onResponseEnd() {
    this.endedAt = new Date().toISOString();
    outcomes += `O ${this.row} ${this.status} ${this.endedAt}\n`;
    inFlight--;
    settle(this);
    send();
  }
  onResponseError(_, error) {
    throw error;
  }
}

let accepted = 0;
const settled = new Map();
let nextRow = 1;
let lines = "";
let writing = Promise.resolve();
function settle(sent) {
  if (sent.status === 202) accepted++;
  settled.set(sent.row, sent);
  for (let next = settled.get(nextRow); next !== undefined; next = settled.get(nextRow)) {
    settled.delete(nextRow++);
    lines += `${next.record},${next.row},${next.row + 1},1,succeeded,${next.status},1,0,,,${next.id},0123456789abcdef,${next.endedAt}\n`;
  }
  if (lines.length > 65_536) writeLines();
}
function writeLines() {
  const due = lines;
  lines = "";
  writing = writing.then(() => results.write(due));
}

// The journal in batches: while one is in flight, the next is written and synced.
let outcomes = "";
let intended = 0;
let onRecord = 0;
let isSyncing = false;
async function writeBatch() {
  if (isSyncing) return;
  isSyncing = true;
  const upTo = intended + connections;
  const batch = `${outcomes}I ${intended + 1}-${upTo}\n`;
  outcomes = "";
  intended = upTo;
  await journal.write(`${batch}${crc32(batch).toString(16)}\n`);
  await journal.datasync();
  onRecord = upTo;
  isSyncing = false;
  send();
}

const source = readRecords();
let records = [];
let at = 1; // the first is the header
let isReading = false;
let isOver = false;
async function readMore() {
  if (isReading || isOver) return;
  isReading = true;
  const { done, value } = await source.next();
  isReading = false;
  if (done) isOver = true;
  else {
    records = value;
    at = row === 0 ? 1 : 0;
  }
  send();
}

let row = 0;
let inFlight = 0;
function send() {
  while (inFlight < connections) {
    if (at >= records.length) {
      if (isOver && inFlight === 0) finish();
      return void readMore();
    }
    if (onRecord - row <= connections / 2) void writeBatch();
    if (row >= onRecord) return;
    const record = records[at++];
    row++;
    const body = bodyOf(cellsOf(record));
    inFlight++;
    const sent = new Sent(row, record, idOf(row, body));
    pool.dispatch({ path: "/v1/contacts/events", method: "POST", headers, body }, sent);
  }
}

let finish;
const finished = new Promise((resolve) => {
  finish = resolve;
});
send();
await finished;
writeLines();
await writing;
await results.datasync();
await pool.close();
console.log(accepted);
process.exit();
