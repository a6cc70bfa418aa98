import { basename } from "node:path";
import { cannotStart } from "../../model/errors.ts";
import type { Command } from "../command.ts";
import { exitStatus } from "../host.ts";

/** Asks the program which words may come next. yargs prints descriptions too if the shell is zsh. */
const ask = "eventload --get-yargs-completions";

const scripts = {
  bash: `_eventload() {
  local found
  found=$(SHELL=bash ${ask} "\${COMP_WORDS[@]:0:COMP_CWORD+1}" 2>/dev/null)
  mapfile -t COMPREPLY < <(compgen -W "$found" -- "\${COMP_WORDS[COMP_CWORD]}")
}
complete -o bashdefault -o default -F _eventload eventload
`,
  zsh: `#compdef eventload
_eventload() {
  local -a found
  found=(\${(f)"$(SHELL=zsh ${ask} "\${(@)words[1,CURRENT]}" 2>/dev/null)"})
  if (( $#found )); then _describe 'eventload' found; else _default; fi
}
compdef _eventload eventload
`,
  fish: `function __eventload_words
    set -l words (commandline --tokenize --cut-at-cursor --current-process) (commandline --current-token --cut-at-cursor)
    env SHELL=zsh ${ask} $words 2>/dev/null | string replace --regex '(?<!\\\\\\\\):' '\\t' | string replace --all '\\:' ':'
end
complete --command eventload --condition __fish_use_subcommand --no-files
complete --command eventload --arguments '(__eventload_words)'
`,
} as const;

function isShell(name: string): name is keyof typeof scripts {
  return Object.hasOwn(scripts, name);
}

export const completionCommand: Command = {
  usage: "completion [shell]",
  summary: "Print a script that completes eventload in bash, zsh or fish",
  positional: {
    name: "shell",
    describe: "bash, zsh or fish (default: the one that SHELL names)",
    isOptional: true,
  },
  options: {},
  examples: [
    ["completion bash >> ~/.bashrc", "in bash 4 and later"],
    ["completion zsh >> ~/.zshrc", "in zsh; the file needs compinit above it"],
    ["completion fish > ~/.config/fish/completions/eventload.fish", "in fish"],
  ],
  async run(args, { stdout, env }) {
    const given = args.text("shell");
    const shell = given ?? basename(env.SHELL ?? "");
    if (isShell(shell)) {
      stdout.write(scripts[shell]);
      return exitStatus.ok;
    }
    const known = Object.keys(scripts).join(", ");
    const why =
      given === undefined ? `name the shell: ${known}` : `"${given}" is not one of ${known}`;
    throw cannotStart("option_invalid", "completion", why);
  },
};
