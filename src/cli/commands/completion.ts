import yargs from "yargs";
import type { Command } from "../command.ts";
import { exitStatus } from "../host.ts";

export const completionCommand: Command = {
  usage: "completion",
  summary:
    "Print a script that completes eventload in your shell: bash, zsh or fish, as SHELL says",
  options: {},
  examples: [
    ["completion >> ~/.bashrc", "in bash 4 and later"],
    ["completion >> ~/.zshrc", "in zsh; the file needs compinit above it"],
    ["completion > ~/.config/fish/completions/eventload.fish", "in fish"],
  ],
  async run(_args, { stdout }) {
    await yargs()
      .scriptName("eventload")
      .completion("completion")
      .parseAsync(["completion"], {}, (_error, _argv, script) => {
        stdout.write(`${script}\n`);
      });
    return exitStatus.ok;
  },
};
