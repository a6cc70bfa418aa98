import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The package's folder is two above this module, and two above each file of `dist` that may hold it. */
const packageFolder = new URL("../../", import.meta.url);

export function packageVersion(): string {
  const text = readFileSync(new URL("package.json", packageFolder), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}

export function pathOfMappingSchema(): string {
  return fileURLToPath(new URL("dist/mapping.schema.json", packageFolder));
}

export function folderOfPage(): string {
  return fileURLToPath(new URL("dist/page/", packageFolder));
}
