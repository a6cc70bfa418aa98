import type { Command } from "./command.ts";
import { describeOption, type JsonSchema, type Option, toKey } from "./option.ts";

/** Options that a configuration file cannot hold: they say which file, or which of its targets. */
const notInTargets = ["config", "target"];

/** What a name means where several commands mean something else by it. */
const sharedWords: Readonly<Record<string, string>> = {
  output: "The file that init, export or report writes",
};

/**
 * The options of all commands but those that are only typed. Where two share a name, the first command's
 * words stand, unless there are some for all.
 */
export function optionsOf(commands: readonly Command[]): Command["options"] {
  const all = new Map<string, Option>();
  for (const [name, option] of commands.flatMap(({ options }) => Object.entries(options))) {
    if (option.isTypedOnly) continue;
    const before = all.get(name);
    const words = sharedWords[name];
    if (before === undefined) all.set(name, option);
    else if (words !== undefined && before.describe !== option.describe) {
      const { default: _, ...common } = before;
      all.set(name, { ...common, describe: words });
    }
  }
  return Object.fromEntries(all);
}

/** What goes by the folder of the file, and not by where the program is called. */
function whereFrom({ isPath, takesProgram }: Option): string {
  if (isPath) return ". A relative path goes by the folder of this file.";
  return takesProgram ? ". It is started in the folder of this file." : "";
}

/** The JSON Schema of configuration files, with which an editor completes and checks them. */
export function configJsonSchema(options: Command["options"]): JsonSchema {
  const keys = Object.entries(options)
    .filter(([name]) => !notInTargets.includes(name))
    .map(([name, option]) => [toKey(name), option] as const);
  const references = Object.fromEntries(keys.map(([key]) => [key, { $ref: `#/$defs/${key}` }]));
  const definitions = keys.map(([key, option]) => [
    key,
    {
      description: `${describeOption(option)}${whereFrom(option)}`,
      ...option.schema,
    },
  ]);
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "eventload.yaml: settings of eventload",
    type: "object",
    additionalProperties: false,
    properties: {
      target: { description: "The target that counts where none is named", type: "string" },
      targets: {
        description: "Services by name: --target NAME chooses one",
        type: "object",
        additionalProperties: { $ref: "#/$defs/target" },
      },
      ...references,
    },
    $defs: {
      target: { type: "object", additionalProperties: false, properties: references },
      ...Object.fromEntries(definitions),
    },
  };
}
