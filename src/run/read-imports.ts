import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { type Fingerprint, fingerprintFile } from "../journal/fingerprint.ts";

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
