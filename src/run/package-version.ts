import { readFileSync } from "node:fs";

/** The version in the package's own package.json, which stands one folder above the code. */
export function packageVersion(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}
