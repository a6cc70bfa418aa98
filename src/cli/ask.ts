import { createInterface } from "node:readline";
import type { Host } from "./host.ts";

export interface Asker {
  /** The answer, or the usual one where a person just goes on; nothing once they have left. */
  ask(
    question: string,
    usual: string,
    accepts: (answer: string) => boolean,
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
    async ask(question, usual, accepts) {
      for (;;) {
        stderr.write(`${question} [${usual}] `);
        const line = await nextLine();
        if (line === undefined) {
          stderr.write("\n");
          return undefined;
        }
        const answer = line.trim() || usual;
        if (accepts(answer)) return answer;
        stderr.write("That is none of the answers.\n");
      }
    },
    close: () => lines.close(),
  };
}
