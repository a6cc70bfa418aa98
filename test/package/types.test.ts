import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const entry = fileURLToPath(new URL("../../dist/types/index.d.ts", import.meta.url));

/** The types that a compiler reads which reads those of a file. */
function reachedFrom(path: string, reached = new Map<string, string>()): Map<string, string> {
  if (reached.has(path)) return reached;
  const text = readFileSync(path, "utf8");
  reached.set(path, text);
  for (const [, name = ""] of text.matchAll(/(?:from |import\()"(\.[^"]+)\.ts"/g)) {
    reachedFrom(join(dirname(path), `${name}.d.ts`), reached);
  }
  return reached;
}

test("the types of the package need neither Node's nor those of a dependency", () => {
  const types = [...reachedFrom(entry)];
  expect(types.length).toBeGreaterThan(20);
  const foreign = types.flatMap(([path, text]) => {
    const found = text.match(/(?:from |import\()"[^."][^"]*"|\bBuffer\b|\bNodeJS\./);
    return found === null ? [] : [`${path}: ${found[0]}`];
  });
  expect(foreign).toEqual([]);
});
