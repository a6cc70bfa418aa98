import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { cannotStart, reasonOf } from "../../model/errors.ts";
import { refuseWritable } from "../../run/prepare/refuse-writable.ts";
import type { Configuration, KnownOptions } from "./parse-configuration.ts";

/** A configuration file and its name in messages. */
export interface ConfigurationFile {
  readonly path: string;
  /** As it was typed. */
  readonly name: string;
  readonly mustExist: boolean;
}

/** The configuration file in use, whether or not it exists. */
export function configurationFile(given: string | undefined, cwd: string): ConfigurationFile {
  const usual = "eventload.yaml";
  return given === undefined
    ? { path: join(cwd, usual), name: usual, mustExist: false }
    : { path: given, name: given, mustExist: true };
}

/**
 * Reads a configuration file, if it exists.
 *
 * @param known the options of all commands
 * @throws CannotStartError if it cannot be used, with every problem and its line
 */
export async function readConfiguration(
  { path, name: file, mustExist }: ConfigurationFile,
  known: KnownOptions,
): Promise<Configuration> {
  await refuseWritable("The configuration file", path);
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" && !mustExist) return undefined;
    throw cannotStart("config_invalid", file, `it cannot be read: ${reasonOf(error)}.`);
  });
  if (text === undefined) {
    return { file, isThere: false, settings: new Map(), targets: new Map() };
  }
  // Most folders have none, and then nothing loads the YAML parser.
  const { parseConfiguration } = await import("./parse-configuration.ts");
  return parseConfiguration(text, file, known);
}
