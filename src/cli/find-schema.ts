import { existsSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

const installed = join("node_modules", "eventload", "dist", "mapping.schema.json");
const shipped = fileURLToPath(new URL("../../dist/mapping.schema.json", import.meta.url));

/**
 * The JSON Schema of mappings as seen from a folder: of the eventload that is installed above it, else
 * of the one that runs.
 */
export function findSchema(folder: string): string {
  for (let above = folder; ; above = dirname(above)) {
    const path = join(above, installed);
    if (existsSync(path)) return fromFolder(folder, path);
    if (dirname(above) === above) return fromFolder(folder, shipped);
  }
}

function fromFolder(folder: string, path: string): string {
  const way = relative(folder, path).split(sep).join("/");
  return way.startsWith("../") ? way : `./${way}`;
}
