import { shells } from "./disk/platform.ts";

/** A command before it is printed: its words, as the program gets them. */
export type CommandWords = readonly string[];

/**
 * A bare word is an option, standard input, a whole number, or what no shell treats otherwise. PowerShell takes more for
 * numbers, and may write them anew.
 *
 * Single quotes do not hold everything. They end at an apostrophe, in PowerShell at its typographic forms too. fish
 * reads a backslash before another, or before the end, as an escape. PowerShell loses double quotes on the way to a
 * program. A terminal may not show, or not take, what is no visible character.
 */
const onUnix = {
  bare: /^(?:--?[a-z][a-z-]*|-|0|[1-9]\d*|(?!\.\d)[A-Za-z_./][\w./:+-]*)$/,
  quote: "'",
  readOtherwise: /^$|['"\u2018-\u201b\p{C}\p{Zl}\p{Zp}]|\\(?:\\|$)/u,
};
/**
 * cmd knows only double quotes. PowerShell ends them at their typographic forms too, and replaces what follows a `$` or
 * a backtick, as cmd does with `%`. It takes them away before it calls a .cmd, as npm makes one of each program: what
 * that then reads as a sign cannot be in it. Programs read a backslash before the last quotation mark as an escape.
 */
const onWindows = {
  bare: /^(?:--?[a-z][a-z-]*|-|0|[1-9]\d*|(?!\.\d)[A-Za-z_./\\][\w./:\\+-]*)$/,
  quote: '"',
  readOtherwise: /^$|["\u201c-\u201e$`%!&|<>^\p{C}\p{Zl}\p{Zp}]|\\$/u,
};

/**
 * A word as sh, bash, zsh, dash, fish and PowerShell read it, and on Windows PowerShell and cmd; undefined if there is
 * no way to write it that all of them read as the same.
 */
export function shellWord(word: string, readBy = shells): string | undefined {
  const { bare, quote, readOtherwise } = readBy === "unix" ? onUnix : onWindows;
  if (bare.test(word)) return word;
  return readOtherwise.test(word) ? undefined : `${quote}${word}${quote}`;
}

/** A file as a word that no program takes for an option. */
export function fileWord(path: string): string {
  return path.startsWith("-") ? `./${path}` : path;
}

/** A command that can be pasted into each of these shells; null if there is none that all of them read as the same. */
export function typedCommand(words: CommandWords | undefined): string | null {
  const typed = words?.map((word) => shellWord(word)) ?? [undefined];
  return typed.includes(undefined) ? null : typed.join(" ");
}

/**
 * A command for a sentence: as it can be pasted. Where there is no such form, what stands for the word that shells read
 * differently is harmless in each of them; the sentence around it names the file.
 */
export function tellCommand(...words: CommandWords): string {
  const typed = typedCommand(words);
  if (typed !== null) return typed;
  const told = words.map((word) => shellWord(word) ?? "FILE").join(" ");
  return `${told}, where FILE is its path, quoted as your shell needs it`;
}
