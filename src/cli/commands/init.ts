import { existsSync } from "node:fs";
import { basename, dirname, relative, resolve, sep } from "node:path";
import { cannotStart } from "../../model/errors.ts";
import { pathOfMappingSchema } from "../../model/package-files.ts";
import { count, grouped } from "../../model/quantities.ts";
import { mappingPathOf } from "../../model/run-files.ts";
import { fileWord, tellCommand } from "../../model/typed-command.ts";
import type { InferAnswers, Look } from "../../run/check/init.ts";
import type { Command } from "../command.ts";
import { asTyped, exitStatus, type Host } from "../host.ts";
import { optionsOfMapping, readingOf } from "../options/input.ts";
import { typedOptions } from "../options/next-commands.ts";
import { configOption, initOptions, readingOptions } from "../options/option-list.ts";
import { say, writeLine } from "../terminal/lines.ts";

export const initCommand: Command = {
  usage: "init <input>",
  summary: "Write a first mapping file for an input: it matches columns and proposes types",
  positional: {
    name: "input",
    describe: "The CSV file or workbook, or - for standard input",
    takesStdin: true,
  },
  options: {
    ...readingOptions,
    ...initOptions,
    ...configOption,
  },
  examples: [
    ["init people.csv", "write people.yaml"],
    ["init people.csv --yes --mask-samples", "ask nothing, show no personal data"],
  ],
  async run(args, host) {
    const { lookAt, writeProposal } = await import("../../run/check/init.ts");
    const input = args.text("input") ?? "";
    const isStream = input === "-";
    const output = args.text("output") ?? (isStream ? "stdin.yaml" : mappingPathOf(input));
    const path = resolve(host.cwd, output);
    const toStdout = output === "-";
    // Before anything is asked.
    if (!toStdout && !/\.ya?ml$/i.test(output)) {
      const why = `${output} is not a .yaml file, which init writes`;
      throw cannotStart("option_invalid", "--output", why);
    }
    if (!toStdout && existsSync(path)) throw cannotStart("output_exists", output, "--output");
    const look = await lookAt({ input: isStream ? host.stdin : input }, readingOf(args));
    for (const warning of look.warnings) say(host, `warning: ${warning}`);
    const hasTerminal = host.stdin.isTTY === true && host.stderr.isTTY === true;
    const isAsked = !isStream && !args.flag("yes") && hasTerminal;
    const asker = isAsked ? await createAsker(host) : undefined;
    const given: InferAnswers = {
      resource: args.text("resource") as InferAnswers["resource"], // it was read before
      event: args.text("event"),
    };
    const answers = asker === undefined ? given : await askAll(asker, look, given);
    asker?.close();
    if (answers === undefined) return exitStatus.SIGINT;
    const proposal = look.propose(answers, {
      schema: schemaSeenFrom(toStdout ? host.cwd : dirname(path)),
      maskSamples: args.flag("mask-samples"),
      isAnswered: answers.resource !== undefined && answers.event !== undefined,
    });
    if (toStdout) {
      host.stdout.write(proposal);
      return exitStatus.ok;
    }
    await writeProposal(path, proposal);
    const typed = typedOptions(
      args,
      Object.keys(readingOptions).filter((name) => !optionsOfMapping.includes(name)),
    );
    const isUsual = !isStream && output === mappingPathOf(input);
    const named = isUsual ? [] : ["--mapping", fileWord(output)];
    const file = [isStream ? "-" : fileWord(input), ...named, ...typed];
    const check = tellCommand("eventload", "check", ...file);
    // The page reads its file more than once.
    const next = isStream
      ? `Review it, then pipe the rows again into: ${check}`
      : `Review it (in a browser: ${tellCommand("eventload", "map", ...file)}), then run: ${check}`;
    for (const line of describe(look, answers, output)) say(host, line);
    writeLine(host.stderr, asTyped(next, host)); // not wrapped, so that it can be copied
    return exitStatus.ok;
  },
};

/** What cannot be detected; undefined if the person has left. */
async function askAll(
  asker: Awaited<ReturnType<typeof createAsker>>,
  look: Look,
  given: InferAnswers,
): Promise<InferAnswers | undefined> {
  const resource =
    given.resource ??
    (await asker.ask("Are these users or contacts?", look.resource, [
      "users",
      "contacts",
    ] as const));
  if (resource === undefined) return undefined;
  const usualEvent = resource === look.resource ? look.event : `${resource.slice(0, -1)}.imported`;
  const event = given.event ?? (await asker.ask("What is the kind of event called?", usualEvent));
  if (event === undefined) return undefined;
  const [date] = look.ambiguousDates;
  if (date === undefined) return { resource, event };
  const question = `Column ${JSON.stringify(date.column)} has dates such as ${date.sample}: does the day or the month come first?`;
  const usual = date.order === "day_first" ? "day" : "month";
  const order = await asker.ask(question, usual, ["day", "month"] as const);
  if (order === undefined) return undefined;
  return { resource, event, dayOrder: order === "day" ? "day_first" : "month_first" };
}

function describe(look: Look, answers: InferAnswers, output: string): string[] {
  const dates = answers.dayOrder === undefined ? look.ambiguousDates : [];
  const unsure = dates.map(({ column }) => JSON.stringify(column)).join(", ");
  const misfits = look.misfits
    .map(({ column, count }) => `${grouped(count)} in ${JSON.stringify(column)}`)
    .join(", ");
  const invalid = "Cells that do not fit the type of their column, so their rows are invalid";
  return [
    `${basename(output)} maps ${count(look.columns, "column")}. ${look.about[0] ?? ""}`,
    ...(unsure === "" ? [] : [`Check the order of day and month in ${unsure}.`]),
    ...(misfits === "" ? [] : [`${invalid}: ${misfits}.`]),
  ];
}

/** The JSON Schema of mappings, of the eventload that runs, as seen from a folder. */
export function schemaSeenFrom(folder: string): string {
  const way = relative(folder, pathOfMappingSchema()).replaceAll(sep, "/");
  return way.startsWith("../") ? way : `./${way}`;
}

/** Asks on the terminal, again where an answer cannot be used. */
async function createAsker({ stdin, stderr }: Pick<Host, "stdin" | "stderr">) {
  const { createInterface } = await import("node:readline");
  const lines = createInterface({ input: stdin });
  const answers = lines[Symbol.asyncIterator]();
  return {
    /** The answer, or the usual one where a person just goes on; nothing once they have left. */
    async ask<Answer extends string>(
      question: string,
      usual: string,
      choices?: readonly Answer[],
    ): Promise<Answer | undefined> {
      for (;;) {
        stderr.write(`${question} [${usual}] `);
        const { value, done } = await answers.next();
        if (done === true) {
          stderr.write("\n");
          return undefined;
        }
        const typed = (value.trim() || usual) as Answer;
        const answer = choices?.find((one) => one.startsWith(typed.toLowerCase()));
        if (choices === undefined || answer !== undefined) return answer ?? typed;
        stderr.write("Please give one of the answers.\n");
      }
    },
    close: () => lines.close(),
  };
}
