import { spawnSync } from "node:child_process";
import { closeSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { shellWord, tellCommand, typedCommand } from "../../src/model/typed-command.ts";
import { temporaryFolder } from "../temporary-folder.ts";

/** Names that some shell reads as something else, bare or in the quotes of another. */
const nasty = [
  ...["a b", "a  b ", " a", "~", "~root", "*", "a[b]?", "{a,b}", "$HOME", "a$b", "$(touch PWN)"],
  ...["`touch PWN`", "a;touch PWN", "a&touch PWN", "a|b", "a>PWN", "<a", "#a", "a#b", "!!", "a!b"],
  ...["^a^b", "=ls", "a=b", "%1", "%PATH%", "@a", "@(1)", "(a)", "a,b", "--%", "-", "-x.y", "-x:y"],
  ...[
    "0x10",
    "1e3",
    "1kb",
    "007",
    ".5",
    "1..3",
    "+1",
    "1_000",
    "NaN",
    "true",
    "end",
    "[int]",
    "$_",
  ],
  ...[
    "C:\\Users\\x y",
    "a\\b",
    "\\a",
    "a\\n",
    "a\\$x",
    "“a”",
    "„a“",
    "«a»",
    "a–b",
    "a—b",
    "a…",
    "a·",
  ],
  ...[
    "é",
    "e\u0301",
    "😀",
    "日本",
    "a\u00a0b",
    "a\u3000b",
    "a\ufffdb",
    "::",
    "a:",
    "/",
    ".",
    "..",
    "?a",
  ],
];

/** What has no form that all of them read as the same, and is not printed as a command. */
const refused = [
  ...["", "'", "it's", "a\\'; touch PWN; #.csv", "\\", "a\\", "a\\\\b", '"', 'a"b', '\\"', "a\nb"],
  ...["a\rb", "a\tb", "\u001b[31m", "\0", "\u2028", "\u2029", "\u0085", "\u202ea", "a\u200bb"],
  ...["\ufeffa", "‘a", "a’b", "‚a", "‛a", "\ud800", "\ue000", "\uf600", "\ufdd0", "\u00ad"],
];

/** Interactive, as what is pasted there goes through the history as well. */
const shells: [name: string, ...command: string[]][] = [
  ["sh", "sh", "-i"],
  ["dash", "dash", "-i"],
  ["bash", "bash", "--norc", "--noprofile", "-i"],
  ["zsh", "zsh", "-f", "-i", "-s"],
  ["fish", "fish", "--no-config", "-i"],
];
const isHere = (shell: string) => spawnSync(shell, ["-c", "true"]).status === 0;

const texts = fc.array(
  fc.oneof(
    fc.string({ unit: "binary" }),
    fc.string({ unit: fc.constantFrom(...nasty, ..."abc '\"\\$`!{}[]()*?~#&;|<>=^%@,-.:/\u2019") }),
  ),
  { minLength: 1, maxLength: 60 },
);

describe("a word that is printed is read as it is", () => {
  for (const [name, shell = "", ...args] of shells) {
    it.skipIf(!isHere(shell))(
      `in ${name}`,
      async () => {
        const folder = await temporaryFolder();
        const env = { ...process.env, HOME: folder, LC_ALL: "C.UTF-8", HISTFILE: "" };
        const program = join(folder, "print.mjs");
        writeFileSync(
          program,
          'import fs from "node:fs"; fs.writeFileSync("read.json", JSON.stringify(process.argv.slice(2)));',
        );
        const read = (words: readonly string[]) => {
          const typed = typedCommand([process.execPath, program, ...words]);
          if (typed === null) return undefined;
          rmSync(join(folder, "read.json"), { force: true });
          // fish reads no commands from a socket, which is what Node makes of `input`.
          writeFileSync(join(folder, "pasted"), `true a b\n${typed}\n`);
          const stdin = openSync(join(folder, "pasted"), "r");
          spawnSync(shell, args, { cwd: folder, env, stdio: [stdin, "ignore", "ignore"] });
          closeSync(stdin);
          return JSON.parse(readFileSync(join(folder, "read.json"), "utf8"));
        };
        expect(read(nasty)).toEqual(nasty);
        fc.assert(
          fc.property(texts, (given) => {
            const words = given.filter((word) => shellWord(word) !== undefined);
            expect(read(words)).toEqual(words);
          }),
          { numRuns: 10 },
        );
      },
      120_000,
    );
  }

  it("in PowerShell", () => {
    for (const word of nasty) expect(readByPowerShell(shellWord(word) ?? "")).toEqual([word]);
    fc.assert(
      fc.property(texts, (given) => {
        const words = given.filter((word) => shellWord(word) !== undefined);
        expect(readByPowerShell(words.map((word) => shellWord(word)).join(" "))).toEqual(words);
      }),
    );
  });
});

/** What has no form that PowerShell and cmd read as the same. */
const refusedOnWindows = [
  ...["", '"', 'a"b', "$HOME", "`x", "100%", "%PATH%", "a&b", "a|b", "a<b", "a^b", "a!b", "a b\\"],
  ...["“a”", "„a“", "a\nb", "\u001b[31m", "\u202ea"],
];

describe("on Windows, a command that is printed", () => {
  it("means the same to PowerShell and to cmd", () => {
    fc.assert(
      fc.property(texts, (given) => {
        const words = given.filter((word) => shellWord(word, "windows") !== undefined);
        const line = words.map((word) => shellWord(word, "windows")).join(" ");
        // A program gets what is between quotes, and both shells leave that alone.
        expect(line).not.toMatch(/[$`%!&|<>^“”„\p{Cc}]|\\"/u);
        const read = [...line.matchAll(/"([^"]+)"|(\S+)/g)].map(
          ([, quoted, bare]) => quoted ?? bare,
        );
        expect(read).toEqual(words);
        for (const [, , bare = ""] of line.matchAll(/"([^"]+)"|(\S+)/g)) {
          expect(bare).toMatch(/^[\w.\\/:+-]*$/);
        }
      }),
    );
  });

  it.each<[string, string]>([
    ["out\\people.failed.csv", "out\\people.failed.csv"],
    ["C:\\x\\a.csv", "C:\\x\\a.csv"],
    ["\\\\server\\share\\a.csv", "\\\\server\\share\\a.csv"],
    ["C:\\my files\\it's.csv", '"C:\\my files\\it\'s.csv"'],
    ["é.csv", '"é.csv"'],
  ])("writes %s as %s", (word, written) => {
    expect(shellWord(word, "windows")).toBe(written);
  });

  it.each(refusedOnWindows)("is none where they read %j as something else", (word) => {
    expect(shellWord(word, "windows")).toBeUndefined();
  });
});

/**
 * What a program gets, by the rules of about_Parsing, about_Quoting_Rules and the tokenizer's character traits. It
 * throws at what these treat in any special way outside single quotes, and at what is lost on the way to a program.
 */
function readByPowerShell(line: string): string[] {
  const words: string[] = [];
  const quotes = "'\u2018\u2019\u201a\u201b";
  let at = 0;
  while (at < line.length) {
    const rest = line.slice(at);
    const blank = /^[\s\u0085]+/.exec(rest)?.[0];
    if (blank !== undefined) at += blank.length;
    else if (quotes.includes(rest[0] ?? "")) {
      const [all, text = ""] = /^['‘’‚‛]((?:[^'‘’‚‛]|['‘’‚‛]{2})*)['‘’‚‛](?=\s|$)/u.exec(rest) ?? [
        "",
      ];
      if (all === "") throw new Error(`no end of a string: ${rest}`);
      if (text === "" || text.includes('"') || text.endsWith("\\")) throw new Error("lost");
      words.push(text.replaceAll(/(['‘’‚‛])['‘’‚‛]/g, "$1"));
      at += all.length;
    } else {
      const word = /^\S+/.exec(rest)?.[0] ?? "";
      if (/[`"'‘’‚‛“”„$@(){}[\],;&|<>#*?~–—―\p{C}]/u.test(word))
        throw new Error(`special: ${word}`);
      if (/^-.*[.:%]/.test(word)) throw new Error(`cut in two: ${word}`);
      const isNumber = /^[+-]?(?:0[xb][\da-f]+|\d*\.?\d+(?:e[+-]?\d+)?)[a-z]{0,3}$/i.test(word);
      if (isNumber && String(Number(word)) !== word) throw new Error(`a number: ${word}`);
      words.push(word);
      at += word.length;
    }
  }
  return words;
}

it("what they read differently is told in words", () => {
  for (const word of refused) {
    expect(shellWord(word), JSON.stringify(word)).toBeUndefined();
    expect(typedCommand(["eventload", "resume", word])).toBeNull();
  }
  const told = tellCommand("eventload", "retry", "a b", "it's.csv", "--target", "x");
  expect(told).toBe(
    "eventload retry 'a b' FILE --target x, where FILE is its path, quoted as your shell needs it",
  );
});
