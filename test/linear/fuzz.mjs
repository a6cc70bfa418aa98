// Shows long texts to every function that text from outside passes, and tells of those that take more
// than in proportion for one ten times as long. What it is about to do it says first, so that whoever
// started it can say on what it hung.
//   node fuzz.mjs hostile [PART_OF_A_NAME]   those that once took forever
//   node fuzz.mjs plain [PART_OF_A_NAME]     each token again and again
//   node fuzz.mjs FIRST_SEED SECONDS         any few tokens again and again
import { mulberry32 } from "../../build/sandbox/faults.js";
import { functions, functionsOfLength } from "./functions.mjs";
import { anyText, hostileTexts, plainTexts, textOf } from "./texts.mjs";

/** In the soak, text is as long as makes what grows with the square stand out. */
const usual = process.env.RUNS === undefined ? 4000 : 10_000;
const mostTimes = 20;
/** What takes no longer is not worth a look, and too short to be measured on a busy machine. */
const minMs = 200;
const tries = 5;
const mostFailures = 10;
/** Errors that are nobody's answer to a text. */
const bugs = [RangeError, ReferenceError, TypeError];

const [first, second = ""] = process.argv.slice(2);
const failures = [];
let texts = 0;

if (first === "plain" || first === "hostile") {
  const all = first === "plain" ? [...plainTexts()] : hostileTexts;
  for (const [name, run] of Object.entries({ ...functionsOfLength, ...functions })) {
    if (!name.includes(second)) continue;
    for (const parts of name in functionsOfLength ? all.slice(0, 1) : all) {
      if (failures.length < mostFailures) await look(name, run, parts);
    }
  }
} else {
  const until = performance.now() + Number(second) * 1000;
  for (let seed = Number(first); performance.now() < until; seed++) {
    const parts = { seed, ...anyText(mulberry32(seed)) };
    for (const [name, run] of Object.entries(functions)) {
      if (failures.length < mostFailures) await look(name, run, parts);
    }
  }
}
console.log(JSON.stringify({ functions: Object.keys(functions).length, texts, failures }));

async function look(name, run, parts) {
  texts++;
  console.log(`${name}: ${JSON.stringify(parts)}`);
  try {
    const text = textOf(parts, usual);
    // Were it to grow with the square, it still would not be worth a look.
    const isQuick = (ms) => ms * 100 < minMs;
    if (isQuick(await timeOf(run, text))) return;
    const ms = await timeOf(run, text);
    if (isQuick(ms)) return;
    const why =
      (ms > minMs ? await compare(run, parts, usual / 10) : undefined) ??
      (await compare(run, parts, usual));
    if (why !== undefined) failures.push({ function: name, ...parts, why });
  } catch (error) {
    failures.push({ function: name, ...parts, why: String(error?.stack ?? error) });
  }
}

/** Why a text ten times as long takes too long, in the best of several tries; nothing where it does not. */
async function compare(run, parts, length) {
  const [short, long] = [textOf(parts, length), textOf(parts, 10 * length)];
  let [shortMs, longMs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let time = 0; time < tries; time++) {
    shortMs = Math.min(shortMs, await timeOf(run, short));
    longMs = Math.min(longMs, await timeOf(run, long));
    if (longMs <= minMs || longMs <= mostTimes * shortMs) return undefined;
  }
  const [a, b] = [shortMs, longMs].map((ms) => ms.toFixed(1));
  return `${b} ms for ${10 * length} characters, ${a} ms for ${length}`;
}

/** Of the processor, as others may be busy too. */
async function timeOf(run, text) {
  const begun = process.cpuUsage();
  try {
    const result = run(text);
    if (result instanceof Promise) await result;
  } catch (error) {
    if (bugs.some((bug) => error instanceof bug)) throw error;
  }
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / 1000;
}
