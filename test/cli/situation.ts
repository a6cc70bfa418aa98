import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { temporaryFolder } from "../temporary-folder.ts";
import {
  type Answer,
  type CommandLine,
  eventload,
  type Surroundings,
  wordsOf,
} from "./fake-host.ts";

const plain = fileURLToPath(new URL("../../fixtures/plain", import.meta.url));

/** A folder with three people and their mapping, in which the program is run in this process. */
export async function situation() {
  const folder = await temporaryFolder();
  await cp(plain, folder, { recursive: true });
  const path = (name: string) => join(folder, name);
  const mapping = ["--mapping", path("people.yaml")];
  return {
    folder,
    path,
    write: (name: string, text: string) => writeFile(path(name), text),
    read: (name: string) => readFile(path(name), "utf8"),
    /** What each line of a log holds. */
    linesOf: async (log: string): Promise<Record<string, unknown>[]> =>
      (await readFile(path(log), "utf8"))
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line)),
    run: (line: CommandLine, surroundings: Surroundings = {}): Promise<Answer> =>
      eventload(line, { cwd: folder, ...surroundings }),
    /** Checks the people, which sends nothing. */
    check: (more: CommandLine = "", surroundings: Surroundings = {}) =>
      eventload(["check", path("people.csv"), ...mapping, ...wordsOf(more)], {
        cwd: folder,
        ...surroundings,
      }),
    /** Imports the people, to nowhere unless an address is given. */
    import: (more: CommandLine = "", surroundings: Surroundings = {}) => {
      const to = more.includes("--base-url") ? [] : ["--base-url", "http://127.0.0.1:9"];
      return eventload(["import", path("people.csv"), ...mapping, ...to, ...wordsOf(more)], {
        cwd: folder,
        ...surroundings,
      });
    },
  };
}
