import { basename } from "node:path";
import yargs from "yargs";
import { cannotStart } from "../../model/errors.ts";
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
  async run(_args, { stdout, env }) {
    const shell = basename(env.SHELL || "bash");
    if (!/^(bash|zsh|fish|sh|dash)$/.test(shell)) {
      const why = `there is no script for ${shell}; for another shell, set SHELL, such as SHELL=bash`;
      throw cannotStart("option_invalid", "completion", why);
    }
    await yargs()
      .scriptName("eventload")
      .completion("completion")
      .parseAsync(["completion"], {}, (_error, _argv, script) => {
        stdout.write(`${script.replace("complete -f", "complete")}\n`); // fish offers files, too
      });
    return exitStatus.ok;
  },
};
