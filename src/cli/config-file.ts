import { readFile } from "node:fs/promises";
import { cannotStart, reasonOf } from "../model/errors.ts";
import { refuseWritable } from "../run/refuse-writable.ts";
import type { ConfigText } from "./config-text.ts";

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
