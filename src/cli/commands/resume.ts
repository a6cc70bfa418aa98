import { runResume } from "../../resume.ts";
import type { Command } from "../command.ts";
import { resumeOptions } from "../options.ts";
import { runCommand } from "../run-command.ts";

export const resumeCommand: Command = {
  usage: "resume <file>",
  summary: "Go on with a run that stopped early or was killed",
  positional: { name: "file", describe: "The results file of the run" },
  options: resumeOptions,
  examples: [
    [
      "resume out/people.results.csv",
      "with the input, mapping and address that it was started with",
    ],
  ],
  run(args, host) {
    const results = args.text("file") ?? "";
    return runCommand(args, host, (common) => runResume({ ...common, results }));
  },
};
