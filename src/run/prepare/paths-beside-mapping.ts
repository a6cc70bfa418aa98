import { readFile, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { fingerprintFile } from "../../journal/fingerprint.ts";
import { lookupFiles } from "../../mapping/compile-lookup.ts";
import { loadMapping } from "../../mapping/load-mapping.ts";
import type { Fingerprint } from "../../model/fingerprint.ts";

/**
 * The lookup files and modules that a mapping uses; none if it cannot be read, which the run
 * reports.
 */
export async function pathsBesideMapping(mapping: string): Promise<string[]> {
  const about = await stat(mapping).catch(() => undefined);
  // A pipe can be read only once.
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

/** A file that a module imports, directly or not, as it was when the run began. */
type ImportedFile = { readonly path: string } & Fingerprint;

/** Matches `import x from "./x.mjs"`, `export … from`, `import "./x.mjs"` and `import("./x.mjs")`. */
const relativeImport = /\b(?:from|import)\s*(?:\(\s*)?(["'])(\.{1,2}\/[^"'\n]+)\1/g;

/**
 * The files that a module imports by a relative path, and those that these import. Text that only looks like
 * an import, in a comment or a string, is ignored if there is no such file, and otherwise the file is watched
 * needlessly.
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
