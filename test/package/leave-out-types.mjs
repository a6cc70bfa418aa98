// Takes out of the build the types that nobody who uses the package can reach from its entry.
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const built = fileURLToPath(new URL("../../dist/types", import.meta.url));
const relativeImport = /\b(?:from |import\(|import )"(\.{1,2}\/[^"]+)\.ts"/g;

const reached = new Set();
const reach = (types) => {
  if (reached.has(types)) return;
  reached.add(types);
  const text = readFileSync(types, "utf8");
  for (const [, module] of text.matchAll(relativeImport)) {
    reach(join(dirname(types), `${module}.d.ts`));
  }
};
reach(join(built, "index.d.ts"));

for (const name of readdirSync(built, { recursive: true })) {
  const path = join(built, name);
  if (name.endsWith(".d.ts") && !reached.has(path)) rmSync(path);
}
