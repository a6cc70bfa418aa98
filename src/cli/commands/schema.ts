import { cannotStart } from "../../model/errors.ts";
import { type Command, optionsOf } from "../command.ts";
import { exitStatus } from "../host.ts";
import { describeOption, type JsonSchema, type Option, toKey } from "../options/option-types.ts";

/** The command that prints the JSON Schemas of the files that people write. */
export function createSchemaCommand(others: readonly Command[]): Command {
  const schemas: Readonly<Record<string, () => Promise<object>>> = {
    async mapping() {
      const { mappingJsonSchema } = await import("../../run/prepare/mapping-schema.ts");
      return mappingJsonSchema();
    },
    config: async () => configJsonSchema(optionsOf(others)),
  };
  return {
    usage: "schema [of]",
    summary: "Print the JSON Schema of mapping files or of eventload.yaml, for use in an editor",
    positional: { name: "of", describe: "mapping (the default) or config", isOptional: true },
    options: {},
    examples: [
      ["schema > mapping.schema.json", "for an editor that completes and checks mappings"],
      ["schema config > eventload.schema.json", "for an editor that completes eventload.yaml"],
    ],
    async run(args, { stdout }) {
      const of = args.text("of") ?? "mapping";
      const schema = Object.hasOwn(schemas, of) ? schemas[of] : undefined;
      if (schema === undefined) {
        const why = `"${of}" is not one of ${Object.keys(schemas).join(", ")}`;
        throw cannotStart("option_invalid", "schema", why);
      }
      stdout.write(`${JSON.stringify(await schema(), null, 2)}\n`);
      return exitStatus.ok;
    },
  };
}

/** Options that a configuration file cannot hold: they say which file, or which of its targets. */
const notInTargets = ["config", "target"];

/** What goes by the folder of the file, and not by where the program is called. */
function whereFrom({ isPath, takesProgram }: Option): string {
  if (isPath) return ". A relative path goes by the folder of this file.";
  return takesProgram ? ". It is started in the folder of this file." : "";
}

/** The JSON Schema of configuration files, with which an editor completes and checks them. */
function configJsonSchema(options: Command["options"]): JsonSchema {
  const keys = Object.entries(options)
    .filter(([name, { isTypedOnly }]) => !notInTargets.includes(name) && !isTypedOnly)
    .map(([name, option]) => [toKey(name), option] as const);
  const isStatuses = (key: string) => key.startsWith("statuses.");
  const references = Object.fromEntries([
    ...keys.filter(([key]) => !isStatuses(key)).map(([key]) => [key, { $ref: `#/$defs/${key}` }]),
    ["statuses", { $ref: "#/$defs/statuses" }],
  ]);
  const definitions = keys.map(([key, option]) => [
    key,
    { description: `${describeOption(option)}${whereFrom(option)}`, ...option.schema },
  ]);
  const [lists, others] = [true, false].map((wanted) =>
    definitions.filter(([key]) => isStatuses(String(key)) === wanted),
  );
  const statuses = {
    description: "What the service's HTTP statuses mean",
    type: "object",
    additionalProperties: false,
    properties: Object.fromEntries(
      (lists ?? []).map(([key, schema]) => [String(key).replace("statuses.", ""), schema]),
    ),
  };
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "eventload.yaml: settings of eventload",
    type: "object",
    additionalProperties: false,
    properties: {
      target: { description: "The target that counts if none is named", type: "string" },
      targets: {
        description: "Services by name: --target <name> chooses one",
        type: "object",
        additionalProperties: { $ref: "#/$defs/target" },
      },
      ...references,
    },
    $defs: {
      target: { type: "object", additionalProperties: false, properties: references },
      statuses,
      ...Object.fromEntries(others ?? []),
    },
  };
}
