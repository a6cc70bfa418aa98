import { readFile } from "node:fs/promises";
import { cannotStart, reasonOf } from "../model/errors.ts";
import type { MappingProblem } from "../model/mapping-problem.ts";
import { refuseWritable } from "../run/refuse-writable.ts";

/** A problem of a configuration file: it has the form of a mapping's, but never an excerpt. */
export type ConfigProblem = Omit<MappingProblem, "excerpt">;

/** A place in the file, both from 1. */
export interface ConfigPlace {
  readonly line: number;
  readonly column: number;
}

/** A key and what stands under it. */
export interface ConfigEntry {
  readonly key: string;
  readonly keyAt: ConfigPlace;
  readonly value: ConfigValue;
  readonly valueAt: ConfigPlace;
}

/** What stands under a key: text as it is written, a list, further keys, nothing, or none of these. */
export type ConfigValue =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "list"; readonly items: readonly string[] }
  | { readonly kind: "map"; readonly entries: readonly ConfigEntry[] }
  | { readonly kind: "blank" }
  | { readonly kind: "nested" };

/** Keys and values in the order of the file, and what is wrong with its form. */
export interface ConfigText {
  readonly entries: readonly ConfigEntry[];
  readonly problems: readonly ConfigProblem[];
}

/**
 * Reads a configuration file.
 *
 * @returns nothing where there is no such file and none has to be
 * @throws CannotStartError where it cannot be read, or others can write it
 */
export async function readConfigFile(
  path: string,
  mustExist: boolean,
): Promise<ConfigText | undefined> {
  await refuseWritable("The configuration file", path);
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if (!mustExist && (error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw cannotStart("config_invalid", path, `it cannot be read: ${reasonOf(error)}.`);
  }
  // Most have none, and need no parser.
  const { parseConfig } = await import("./parse-config.ts");
  return parseConfig(text);
}
