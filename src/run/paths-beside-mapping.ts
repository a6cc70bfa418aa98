import { readFile, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { lookupFiles } from "../mapping/compile-lookup.ts";
import { loadMapping } from "../mapping/load-mapping.ts";
import { readImports } from "./read-imports.ts";

/**
 * The files that a mapping looks things up in or imports; none where it cannot be read, which the run
 * tells.
 */
export async function pathsBesideMapping(mapping: string): Promise<string[]> {
  const about = await stat(mapping).catch(() => undefined);
  // What a pipe holds can be read only once.
  if (about?.isFile() !== true) return [];
  if (mapping.endsWith(".mjs")) {
    const imports = await readImports(mapping).catch(() => []);
    return imports.map(({ path }) => path);
  }
  const text = await readFile(mapping, "utf8").catch(() => "");
  const loaded = loadMapping(text);
  if (loaded.kind === "invalid") return [];
  return lookupFiles(loaded.mapping.spec).map((file) => resolve(dirname(mapping), file));
}
