import { cannotStart } from "../../domain/errors.ts";
import { runRetry } from "../../retry.ts";
import type { Command } from "../command.ts";
import { mappingOptions, sendOptions } from "../options.ts";
import { runCommand } from "../run-command.ts";

export const retryCommand: Command = {
  usage: "retry <file>",
  summary: "Send again what did not succeed",
  positional: { name: "file", describe: "A results or failed-rows file, as it is or mended" },
  options: { ...mappingOptions, ...sendOptions },
  examples: [
    ["retry out/people.failed.csv", "send the failed rows again, after mending them"],
    ["retry out/people.results.csv", "the same from the whole results; what succeeded is left out"],
  ],
  run(args, host) {
    const input = args.text("file") ?? "";
    if (input === "-") {
      throw cannotStart("option_invalid", "retry", "standard input cannot be retried; give a file");
    }
    const mapping = args.text("mapping");
    const baseUrl = args.text("base-url");
    return runCommand(args, host, (common) =>
      runRetry({
        ...common,
        input,
        ...(mapping === undefined ? {} : { mapping }),
        ...(baseUrl === undefined ? {} : { baseUrl }),
      }),
    );
  },
};
