import yargs from "yargs";
import { CannotStartError } from "../domain/errors.ts";
import { packageVersion } from "../finish-run.ts";
import { type Arguments, type Command, declare, guardDashes } from "./command.ts";
import { checkCommand } from "./commands/check.ts";
import { importCommand } from "./commands/import.ts";
import { resumeCommand } from "./commands/resume.ts";
import { retryCommand } from "./commands/retry.ts";
import { sandboxCommand } from "./commands/sandbox.ts";
import { exitStatus, type Host } from "./host.ts";
import { readSettings } from "./settings.ts";

const commands: readonly Command[] = [
  checkCommand,
  importCommand,
  resumeCommand,
  retryCommand,
  sandboxCommand,
];

/**
 * The program: parses, runs one command, and answers with the exit status. It never ends the
 * process, and speaks to nothing but the host.
 */
export async function main(host: Host): Promise<number> {
  const say = (line: string) => host.stderr.write(`${line}\n`);
  try {
    const chosen = await parse(host, say);
    if (chosen.kind === "done") return chosen.status;
    return await chosen.command.run(chosen.args, host);
  } catch (error) {
    if (!(error instanceof CannotStartError)) throw error;
    say(`eventload: ${error.message}`);
    for (const detail of error.details) say(`  ${detail}`);
    return exitStatus.couldNotStart;
  }
}

type Parsed =
  | { readonly kind: "chosen"; readonly command: Command; readonly args: Arguments }
  | { readonly kind: "done"; readonly status: number };

async function parse(host: Host, say: (line: string) => void): Promise<Parsed> {
  const given = commands.find(({ usage }) => host.argv.includes(usage.split(" ")[0] ?? ""));
  const settings = await readSettings(
    host,
    commands.flatMap(({ options }) => Object.keys(options)),
    Object.keys(given?.options ?? {}),
    configPath(host.argv),
  );

  let chosen: Parsed | undefined;
  const parser = yargs()
    .scriptName("eventload")
    .usage(
      "$0 <command>\n\nLoads a CSV file into a service whose users and contacts are written by sending events.",
    )
    .parserConfiguration({
      "boolean-negation": false,
      "camel-case-expansion": false,
      "duplicate-arguments-array": false,
      "parse-numbers": false,
      "parse-positional-numbers": false,
    })
    .config(settings.values)
    .version(packageVersion())
    .help()
    .alias("help", "h")
    .wrap(Math.min(100, host.stdout.columns ?? 100))
    .demandCommand(1, "Which command?")
    .recommendCommands()
    .strict()
    .exitProcess(false)
    .updateStrings({
      "Not enough non-option arguments: got %s, need at least %s": {
        one: "Which file? (%s given, %s needed)",
        other: "Which file? (%s given, %s needed)",
      } as never,
    })
    .epilogue(
      "Every option can also stand in the environment (EVENTLOAD_BASE_URL) or in eventload.yaml (base_url).",
    );
  for (const command of commands) {
    declare(parser, command, (args) => {
      chosen = { kind: "chosen", command, args };
    });
  }

  let failure: string | undefined;
  parser.fail((message, error) => {
    failure ??= message ?? error.message;
  });
  let shown = "";
  await parser.parseAsync(
    guardDashes(host.argv),
    {},
    (_error: unknown, _argv: unknown, output: string) => {
      shown = output;
    },
  );
  if (failure !== undefined) {
    say(`eventload: ${failure}`);
    say("See eventload --help, or --help after a command.");
    return { kind: "done", status: exitStatus.couldNotStart };
  }
  if (chosen === undefined) {
    host.stdout.write(`${shown}\n`);
    return { kind: "done", status: exitStatus.ok };
  }
  for (const warning of settings.warnings) say(`warning: ${warning}`);
  return chosen;
}

/** `--config FILE` is needed before the rest can be parsed. */
function configPath(argv: readonly string[]): string | undefined {
  for (const [at, argument] of argv.entries()) {
    if (argument === "--config") return argv[at + 1];
    if (argument.startsWith("--config=")) return argument.slice("--config=".length);
  }
  return undefined;
}
