import { readFile } from "node:fs/promises";
import { cannotStart, reasonOf } from "../domain/errors.ts";

/** A key and what stands under it. */
export type ConfigEntry = readonly [key: string, value: ConfigValue];

/** What stands under a key: text as it is written, a list, further keys, nothing, or none of these. */
export type ConfigValue =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "list"; readonly items: readonly string[] }
  | { readonly kind: "map"; readonly entries: readonly ConfigEntry[] }
  | { readonly kind: "blank" }
  | { readonly kind: "nested" };

/**
 * Reads a configuration file: keys and values, in the order of the file.
 *
 * @returns nothing where there is no such file and none has to be
 * @throws CannotStartError where it cannot be used
 */
export async function readConfigFile(
  path: string,
  mustExist: boolean,
): Promise<readonly ConfigEntry[]> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if (!mustExist && (error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw cannotStart("config_invalid", path, `it cannot be read: ${reasonOf(error)}.`);
  }
  // Most have none, and need no parser.
  const { parseConfig } = await import("./parse-config.ts");
  return parseConfig(path, text);
}
