import type { Command } from "../command.ts";
import { exitStatus } from "../host.ts";

export const schemaCommand: Command = {
  usage: "schema",
  summary: "Print the JSON Schema of mapping files, with which an editor completes and checks them",
  options: {},
  examples: [["schema > mapping.schema.json", "keep it beside the mapping"]],
  async run(_, { stdout }) {
    const { mappingJsonSchema } = await import("../../run/mapping-schema.ts");
    stdout.write(`${JSON.stringify(mappingJsonSchema(), null, 2)}\n`);
    return exitStatus.ok;
  },
};
