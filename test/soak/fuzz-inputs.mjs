// Reads random bytes and damaged fixtures for so many seconds, each from a seed of its own.
// Tells each seed before it is read, so that whoever started this can say on which it hung or died,
// and what was found on the last line.
//   node fuzz-inputs.mjs FIRST_SEED SECONDS
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { openSource } from "../../build/input/open-source.js";
import { CannotStartError, InputDamagedError } from "../../build/model/errors.js";
import { whyNotGiven } from "../../build/model/run-settings.js";
import { mulberry32 } from "../../build/sandbox/faults.js";
import { mutate, randomBytes } from "./mutate.mjs";

const [firstSeed, seconds] = process.argv.slice(2).map(Number);
const fixtures = readFixtures(fileURLToPath(new URL("../../fixtures", import.meta.url)));
const folder = mkdtempSync(join(tmpdir(), "eventload-fuzz-"));
const until = performance.now() + seconds * 1000;
const tally = { inputs: 0, rows: 0, read: 0, damaged: 0, refused: 0 };
const failures = [];
let peakRssBytes = 0;

for (let seed = firstSeed; performance.now() < until && failures.length < 10; seed++) {
  console.log(seed);
  const { bytes, reading, fixture } = makeInput(mulberry32(seed));
  tally.inputs++;
  try {
    tally[await read(bytes, reading, mulberry32(~seed))]++;
  } catch (error) {
    failures.push({ seed, fixture, reading, error: String(error?.stack ?? error) });
  }
  peakRssBytes = Math.max(peakRssBytes, process.memoryUsage().rss);
}
rmSync(folder, { recursive: true });
console.log(JSON.stringify({ ...tally, peakRssMb: Math.round(peakRssBytes / 1e6), failures }));

function readFixtures(root) {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(csv|gz|xlsx|ods|xls)$/.test(entry.name))
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return { path, bytes: readFileSync(path), reading: readingBeside(path) };
    });
}

function readingBeside(path) {
  const name = "reading.json";
  const isThere = readdirSync(dirname(path)).includes(name);
  return isThere ? usable(JSON.parse(readFileSync(join(dirname(path), name), "utf8"))) : {};
}

function makeInput(random) {
  const pick = (list) => list[Math.floor(random() * list.length)];
  const { path, bytes, reading } = pick(fixtures);
  if (random() < 0.15) {
    return { bytes: randomBytes(random), reading: anyReading(random), fixture: "random bytes" };
  }
  const mutated = mutate(bytes, random, pick(fixtures).bytes);
  return {
    bytes: random() < 0.1 ? gzipSync(mutated, { level: 1 }) : mutated,
    reading: random() < 0.7 ? reading : anyReading(random),
    fixture: path,
  };
}

function anyReading(random) {
  const pick = (list) => list[Math.floor(random() * list.length)];
  const choices = {
    encoding: ["utf-8", "utf-16le", "utf-16be", "windows-1252", "shift_jis", "gb18030"],
    delimiter: [",", ";", "\t", "|", "^", "ab", "é"],
    quote: ['"', "'", ""],
    header: [true, false],
    skipLines: [0, 1, 5, 1000],
    maxRecordBytes: [1, 100, 10_000, 1_000_000],
    sheet: ["1", "2", "Sheet1"],
  };
  const chosen = Object.entries(choices).filter(() => random() < 0.25);
  return usable(Object.fromEntries(chosen.map(([option, values]) => [option, pick(values)])));
}

/** What a source is never told is refused before it is opened. */
function usable(reading) {
  return whyNotGiven({ reading }) === undefined ? reading : {};
}

/** Reads all of it, from a file or in pieces; throws whatever a source must not do. */
async function read(bytes, reading, random) {
  let last = 0;
  let source;
  try {
    source = await openSource(inputOf(bytes, random), reading);
    for await (const rows of source.batches) {
      tally.rows += rows.length;
      for (const { row, line, cells } of rows) {
        const isSound = line > last && row > 0 && cells.length === source.columns.length;
        if (!isSound) throw new Error(`row ${row} on line ${line} after line ${last}`);
        last = line;
      }
    }
    return "read";
  } catch (error) {
    if (error instanceof CannotStartError) return "refused";
    if (!(error instanceof InputDamagedError)) throw error;
    if (error.line <= last) throw new Error(`damage on line ${error.line} after line ${last}`);
    return "damaged";
  } finally {
    await source?.close();
  }
}

function inputOf(bytes, random) {
  if (random() < 0.5) {
    const path = join(folder, "input");
    writeFileSync(path, bytes);
    return { kind: "file", path, name: basename(path) };
  }
  const most = bytes.length < 4096 ? 64 : 100_000;
  async function* stream() {
    for (let at = 0; at < bytes.length; ) {
      const size = 1 + Math.floor(random() * most);
      yield bytes.subarray(at, at + size);
      at += size;
    }
  }
  return { kind: "stream", stream: stream(), name: "stdin" };
}
