import { CannotStartError } from "../../model/errors.ts";
import { type Command, optionsOfCommands } from "../command.ts";
import { exitStatus, type Host } from "../host.ts";
import type { Arguments, GivenValue } from "../options/arguments.ts";
import { type Option, toKey } from "../options/option-types.ts";
import { tokenSource } from "../options/token-source.ts";
import { writeLine } from "../terminal/lines.ts";
import { importCommand } from "./import.ts";

export function createConfigCommand(others: readonly Command[]): Command {
  const options = optionsOfCommands(others.filter((command) => "target" in command.options));
  return {
    usage: "config",
    summary: "Print the settings that apply, and where each comes from, with the token masked",
    options,
    examples: [
      ["config", "the settings of an import from here"],
      ["config --target staging", "the same for one of the targets in eventload.yaml"],
    ],
    async run(args, { stdout, env }) {
      const given = Object.entries(options).filter(([name]) => args.given(name));
      const shown = { ...importCommand.options, ...Object.fromEntries(given) };
      const values = Object.entries(shown)
        .filter(([, { only }]) => only !== "typed")
        .map(([name, option]) => [toKey(name), valueInForce(name, option, args), name] as const);
      const token = tokenInForce(args, env);
      if (args.flag("json")) {
        const all = [...values, ["token", token.value] as const];
        const json = Object.fromEntries(all.map(([key, value = null]) => [key, value]));
        writeLine(stdout, JSON.stringify(json));
        return exitStatus.ok;
      }
      const rows = [...values, ["token", token.value ?? token.why, ""] as const];
      const width = Math.max(...rows.map(([key]) => key.length));
      for (const [key, value = "-", name] of rows) {
        const place = args.given(name)?.place;
        const from = place === undefined ? "" : `  (${place})`;
        writeLine(stdout, `${key.padEnd(width)}  ${value}${from}`);
      }
      return exitStatus.ok;
    },
  };
}

/** The value that counts for an option, without secrets; undefined if it has none. */
function valueInForce(name: string, option: Option, args: Arguments): string | undefined {
  const setting = args.given(name);
  if (setting === undefined)
    return option.default ?? (option.kind === "flag" ? "false" : undefined);
  return option.takesProgram ? withoutArguments(setting) : setting.value;
}

const masked = "********";

/** What stands for the token that is sent; where it comes from is no secret. */
function tokenInForce(args: Arguments, env: Host["env"]): { value?: string; why?: string } {
  try {
    const source = tokenSource(args, env, args.text("base-url"));
    const from = source.kind === "value" ? "EVENTLOAD_TOKEN" : `token_${source.kind}`;
    return { value: `${masked} (${from})` };
  } catch (error) {
    if (!(error instanceof CannotStartError)) throw error;
    return { why: error.message };
  }
}

/** The arguments of a token command may be secret as well. */
function withoutArguments({ value, list, folder }: GivenValue): string {
  const [program = "", ...rest] = list ?? value.trim().split(/\s+/);
  const started = folder === undefined ? "" : ` (in ${folder})`;
  return `${rest.length === 0 ? program : `${program} ${masked}`}${started}`;
}
