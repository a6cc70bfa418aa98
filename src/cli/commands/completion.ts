import { cannotStart } from "../../model/errors.ts";
import type { Command } from "../command.ts";
import { exitStatus } from "../host.ts";

/** Shells ask the program itself, by this first argument, what may come next. */
export const completeFlag = "--complete";

const bash = `# Completion of eventload for bash: put  source <(eventload completion bash)  into ~/.bashrc
_eventload() {
  local IFS=$'\\n' line
  COMPREPLY=()
  while read -r line; do
    COMPREPLY+=("\${line%%$'\\t'*}")
  done < <("$1" ${completeFlag} "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null </dev/null)
}
complete -o default -F _eventload eventload
`;

const zsh = `#compdef eventload
# Completion of eventload for zsh: put  source <(eventload completion zsh)  into ~/.zshrc, after compinit
_eventload() {
  local -a found described
  found=("\${(@f)$("\${(Q)words[1]}" ${completeFlag} "\${(@Q)words[2,CURRENT]}" 2>/dev/null </dev/null)}")
  if [[ -z "$found[1]" ]]; then
    compset -P '--*='
    _files
    return
  fi
  found=("\${(@)\${(@)found//:/\\\\:}%$'\\t'}")
  described=("\${(@)found/$'\\t'/:}")
  _describe eventload described
}
if [[ "$funcstack[1]" == _eventload ]]; then
  _eventload "$@"
else
  compdef _eventload eventload
fi
`;

const scripts: Readonly<Record<string, string>> = { bash, zsh };

export const completionCommand: Command = {
  usage: "completion <shell>",
  summary: "Print the script with which bash or zsh completes eventload",
  positional: { name: "shell", describe: "bash or zsh", choices: Object.keys(scripts) },
  options: {},
  examples: [
    ["completion bash >> ~/.bashrc", "for bash, from the next shell on"],
    ["completion zsh >> ~/.zshrc", "for zsh, where compinit is called further up in that file"],
  ],
  async run(args, { stdout }) {
    const shell = args.text("shell") ?? "";
    const script = scripts[shell];
    if (script === undefined) {
      const why = `"${shell}" is not one of ${Object.keys(scripts).join(", ")}`;
      throw cannotStart("option_invalid", "completion", why);
    }
    stdout.write(script);
    return exitStatus.ok;
  },
};
