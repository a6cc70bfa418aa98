import type { Command } from "./command.ts";

/**
 * The examples of a command's help: each can be copied as it is, also where it takes several lines.
 *
 * @param columns width of the help
 */
export function renderExamples({ examples }: Command, columns: number): string {
  const shown = examples.map(([line, what]) => {
    const comment = folded(what.split(" "), "  # ", "  # ", "", columns);
    return [...comment, ...folded(parts(line), "  ", "      ", " \\", columns)].join("\n");
  });
  return ["Examples:", ...shown].join("\n");
}

/** The words of a command, each option with its value. */
function parts(line: string): string[] {
  return `eventload ${line}`.split(/ (?=--|>)/);
}

/** Lines of no more than so many columns, as far as the words allow it. */
function folded(
  words: readonly string[],
  first: string,
  others: string,
  ending: string,
  columns: number,
): string[] {
  const lines: string[] = [];
  let current = "";
  for (const word of words) {
    const longer = current === "" ? `${first}${word}` : `${current} ${word}`;
    if (current !== "" && longer.length + ending.length > columns) {
      lines.push(`${current}${ending}`);
      current = `${others}${word}`;
    } else current = longer;
  }
  return [...lines, current];
}
