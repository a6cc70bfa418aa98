import { readFile, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { type Fingerprint, fingerprintFile } from "../journal/fingerprint.ts";
import { lookupFiles } from "../mapping/compile-lookup.ts";
import { loadMapping } from "../mapping/load-mapping.ts";

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

/** A file that a module imports, itself or through another, as it was when the run began. */
type ImportedFile = { readonly path: string } & Fingerprint;

/** Of `import x from "./x.mjs"`, `export … from`, `import "./x.mjs"` and `import("./x.mjs")`. */
const relativeImport = /\b(?:from|import)\s*(?:\(\s*)?(["'])(\.{1,2}\/[^"'\n]+)\1/g;

/**
 * The files that the text of a module imports by a path from where it is, and those that these import.
 * What only looks so, in a comment or a text, is left out where there is no such file, and watched in vain
 * where there is one.
 */
export async function readImports(modulePath: string): Promise<ImportedFile[]> {
  const found = new Map<string, ImportedFile>();
  const look = async (path: string, text: string): Promise<void> => {
    for (const [, , specifier = ""] of text.matchAll(relativeImport)) {
      const imported = resolve(dirname(path), specifier.replace(/[?#].*$/s, ""));
      if (found.has(imported) || imported === resolve(modulePath)) continue;
      const fingerprint = await fingerprintFile(imported).catch(() => undefined);
      if (fingerprint === undefined) continue;
      found.set(imported, { path: imported, ...fingerprint });
      await look(imported, await readFile(imported, "utf8"));
    }
  };
  await look(modulePath, await readFile(modulePath, "utf8"));
  return [...found.values()];
}
