import type { Command } from "../command.ts";
import { configJsonSchema, optionsOf } from "../config-schema.ts";
import { describeSettings, type SettingInForce } from "../describe-settings.ts";
import { exitStatus } from "../host.ts";
import { flag, type Option } from "../option.ts";
import { writeLine } from "../write-line.ts";
import { importCommand } from "./import.ts";

/** The command that tells what is in force for the others, and where it was said. */
export function createConfigCommand(others: readonly Command[]): Command {
  const schema: Option = {
    ...flag("Print the JSON Schema of eventload.yaml instead"),
    isTypedOnly: true,
  };
  const sending = others.filter(({ options }) => "target" in options);
  return {
    usage: "config",
    summary: "Print what is in force and where each value comes from, with the token masked",
    options: { schema, ...optionsOf(sending) },
    examples: [
      ["config", "what an import from here would go by"],
      ["config --target staging", "the same for one of the targets in eventload.yaml"],
      ["config --schema > eventload.schema.json", "for an editor that completes eventload.yaml"],
    ],
    async run(args, { stdout, env }) {
      if (args.flag("schema")) {
        stdout.write(`${JSON.stringify(configJsonSchema(optionsOf(others)), null, 2)}\n`);
        return exitStatus.ok;
      }
      const given = Object.entries(optionsOf(sending)).filter(([name]) => args.setting(name));
      const shown = { ...importCommand.options, ...Object.fromEntries(given) };
      const inForce = describeSettings(shown, args, env);
      const lines = args.flag("json") ? [JSON.stringify(asJson(inForce))] : asTable(inForce);
      for (const line of lines) writeLine(stdout, line);
      return exitStatus.ok;
    },
  };
}

function asJson(inForce: readonly SettingInForce[]): object {
  return Object.fromEntries(
    inForce.map(({ key, value = null, origin, place }) => [key, { value, origin, place }]),
  );
}

function asTable(inForce: readonly SettingInForce[]): string[] {
  const rows = inForce.map(({ key, value = "-", place }) => [key, value, place] as const);
  const [keys, values] = ([0, 1] as const).map((column) =>
    Math.max(...rows.map((row) => Math.min(row[column].length, widest))),
  );
  return rows.map(
    ([key, value, place]) => `${key.padEnd(keys ?? 0)}  ${value.padEnd(values ?? 0)}  ${place}`,
  );
}

/** A longer value does not move the others aside. */
const widest = 40;
