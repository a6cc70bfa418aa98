import { createInterface } from "node:readline";
import type { Host } from "./host.ts";

export interface Asker {
  /**
   * The answer as it is read, or the usual one where a person just goes on; nothing once they have left.
   *
   * @param read gives nothing for what is no answer
   */
  ask(
    question: string,
    usual: string,
    read: (answer: string) => string | undefined,
  ): Promise<string | undefined>;
  close(): void;
}

/** Asks on the terminal, again where an answer cannot be used. */
export function createAsker({ stdin, stderr }: Pick<Host, "stdin" | "stderr">): Asker {
  const lines = createInterface({ input: stdin });
  const given: string[] = [];
  let hasLeft = false;
  let wake = () => {};
  lines.on("line", (line) => {
    given.push(line);
    wake();
  });
  const leave = () => {
    hasLeft = true;
    wake();
  };
  lines.on("close", leave);
  const nextLine = async () => {
    while (given.length === 0 && !hasLeft) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    return given.shift();
  };
  return {
    async ask(question, usual, read) {
      for (;;) {
        stderr.write(`${question} [${usual}] `);
        const line = await nextLine();
        if (line === undefined) {
          stderr.write("\n");
          return undefined;
        }
        const answer = read(line.trim() || usual);
        if (answer !== undefined) return answer;
        stderr.write("That is none of the answers.\n");
      }
    },
    close: () => lines.close(),
  };
}
