import { cannotStart } from "../../model/errors.ts";
import type { JsonSchema } from "../../model/value-types.ts";
import { type Command, optionsOfCommands } from "../command.ts";
import { exitStatus } from "../host.ts";
import { describeOption, type Option, toKey } from "../options/option-types.ts";
import type { Printed } from "../terminal/printed.ts";

export function createSchemaCommand(others: readonly Command[]): Command {
  const schemas: Readonly<Record<string, () => Promise<object>>> = {
    async mapping() {
      const { mappingJsonSchema } = await import("../../run/prepare/read-mapping.ts");
      return mappingJsonSchema();
    },
    config: async () => configJsonSchema(optionsOfCommands(others)),
    summary: printSchemaOf("summary"),
    check: printSchemaOf("check"),
    status: printSchemaOf("status"),
    report: printSchemaOf("report"),
  };
  return {
    usage: "schema [of]",
    summary: "Print a JSON Schema: of mapping files, of eventload.yaml, or of what --json prints",
    positional: {
      name: "of",
      describe:
        "mapping (the default), config, or what --json prints: summary (of import, resume, retry, merge), check, status, report",
      choices: Object.keys(schemas),
      isOptional: true,
    },
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

const printSchemaOf = (name: Printed) => async () => {
  const { printedJsonSchema } = await import("../terminal/printed.ts");
  return printedJsonSchema(name);
};

/** Options that a configuration file cannot hold: they say which file, or which of its targets. */
const notInTargets = ["config", "target"];

/** What goes by the folder of the file, and not by where the program is called. */
function whereFrom({ isPath, takesProgram }: Option): string {
  if (isPath) return ". A relative path goes by the folder of this file.";
  return takesProgram ? ". It is started in the folder of this file." : "";
}

/** The JSON Schema of configuration files, with which an editor completes and checks them. */
function configJsonSchema(options: Command["options"]): JsonSchema {
  const definitions = Object.entries(options)
    .filter(([name, { only }]) => !notInTargets.includes(name) && only !== "typed")
    .map(([name, option]): [string, JsonSchema] => [
      toKey(name),
      { description: `${describeOption(option)}${whereFrom(option)}`, ...option.schema },
    ]);
  const references = Object.fromEntries(
    definitions.map(([key]) => [key, { $ref: `#/$defs/${key}` }]),
  );
  const object = { type: "object", additionalProperties: false };
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "eventload.yaml: settings of eventload",
    ...object,
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
      target: { ...object, properties: references },
      ...Object.fromEntries(definitions),
    },
  };
}
