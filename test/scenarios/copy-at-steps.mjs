/*
 * Copies a folder at each step of the end of a part, as a kill there would leave it. Steps are counted from the record
 * of that end in the journal: 0 is before it is written, 1 after it, and then one after each rename, sync and removal.
 */
import fs, { appendFileSync, cpSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";

const { COPIED: from = "", COPIES: to = "" } = process.env;
// A lock is a socket, which cannot be copied; those of killed runs have tests of their own.
const filter = (path) => !path.endsWith(".lock");
const options = { recursive: true, preserveTimestamps: true, filter };
let step;

function reach(name) {
  appendFileSync(`${to}/steps`, `${name}\n`);
  cpSync(from, `${to}/${step}`, options);
}

function countAfter(owner, name) {
  const original = owner[name];
  owner[name] = async function (...args) {
    const result = await original.apply(this, args);
    if (step !== undefined) {
      step++;
      reach(`${name} ${typeof args[0] === "string" ? args[0] : ""}`);
    }
    return result;
  };
}

function isEnd(bytes) {
  if (step !== undefined || !/^\{"kind":"end"/m.test(String(bytes))) return false;
  step = 0;
  reach("before the record");
  return true;
}

function recorded() {
  step = 1;
  reach("record");
}

const { writeSync } = fs;
fs.writeSync = (fd, bytes, ...rest) => {
  const isRecord = isEnd(bytes);
  const written = writeSync(fd, bytes, ...rest);
  if (isRecord) recorded();
  return written;
};
for (const name of ["rename", "rm", "unlink"]) countAfter(fs.promises, name);
const handle = await fs.promises.open(new URL(import.meta.url));
const prototype = Object.getPrototypeOf(handle);
await handle.close();
const { write } = prototype;
prototype.write = async function (bytes, ...rest) {
  const isRecord = isEnd(bytes);
  const written = await write.call(this, bytes, ...rest);
  if (isRecord) recorded();
  return written;
};
for (const name of ["sync", "datasync"]) countAfter(prototype, name);
syncBuiltinESMExports();
