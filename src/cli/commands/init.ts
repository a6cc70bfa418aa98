import { existsSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { createInterface } from "node:readline";
import { cannotStart } from "../../model/errors.ts";
import { shellWord } from "../../model/escape-text.ts";
import { pathOfMappingSchema } from "../../model/package-files.ts";
import { mappingPathOf } from "../../model/run-files.ts";
import type { InferAnswers, Look } from "../../run/check/init.ts";
import type { Command } from "../command.ts";
import { asTyped, exitStatus, type Host } from "../host.ts";
import type { Arguments } from "../options/arguments.ts";
import { optionsOfMapping, readingOf } from "../options/input.ts";
import { typedOptions } from "../options/next-commands.ts";
import { configOption, readingOptions } from "../options/option-list.ts";
import {
  byDefault,
  path as filePath,
  flag,
  grouped,
  oneOf,
  onlyTyped,
  short,
  text,
} from "../options/option-types.ts";
import { writeLine } from "../terminal/lines.ts";

export const initCommand: Command = {
  usage: "init <input>",
  summary: "Write a first mapping file for an input: it matches columns and proposes types",
  positional: {
    name: "input",
    describe: "The CSV file or workbook, or - for standard input",
  },
  options: {
    ...readingOptions,
    ...grouped(
      "Mapping",
      onlyTyped({
        output: short(
          "o",
          byDefault(
            "the input's name with .yaml",
            filePath("The mapping file to write, or - for standard output"),
          ),
        ),
        resource: oneOf("users|contacts", ["users", "contacts"], "What the rows are"),
        event: text("name", "The kind of event that each row becomes"),
        force: flag("Write over a file that init wrote earlier"),
        yes: flag("Do not ask; use the guesses"),
        "mask-samples": flag("In comments, replace letters with x and digits with 9"),
      }),
    ),
    ...configOption,
  },
  examples: [
    ["init people.csv", "write people.yaml"],
    [
      "init people.csv --yes --output mapping.yaml --mask-samples",
      "ask nothing, show no personal data",
    ],
  ],
  async run(args, host) {
    const { findProposal, lookAt, overwrite, writeNewFile } = await import(
      "../../run/check/init.ts"
    );
    const given = args.text("input") ?? "";
    const isStream = given === "-";
    const output = args.text("output") ?? (isStream ? "stdin.yaml" : mappingPathOf(given));
    const path = resolve(host.cwd, output);
    const toStdout = output === "-";
    if (/\.mjs$/i.test(output)) {
      const why = `${output} would be read as a module, and what init writes is YAML: name a .yaml file`;
      throw cannotStart("option_invalid", "output", why);
    }
    const found = toStdout ? "none" : await findProposal(path);
    const isForced = args.flag("force");
    if (found === "other" && isForced) throw cannotStart("output_not_proposed", output);
    if (found === "proposal" && !isForced) throw cannotStart("output_proposed", output);
    if (found === "other") throw cannotStart("output_exists", output, "--output");
    const look = await lookAt({ input: isStream ? host.stdin : given }, readingOf(args));
    for (const warning of look.warnings) writeLine(host.stderr, `warning: ${warning}`);
    const isAsked = !isStream && !args.flag("yes") && isTerminal(host);
    const answers = isAsked ? await askAll(look, args, host) : givenAnswers(args);
    if (answers === undefined) return exitStatus.SIGINT;
    const proposal = look.propose(answers, {
      schema: findSchema(toStdout ? host.cwd : dirname(path)),
      maskSamples: args.flag("mask-samples"),
      isAnswered: answers.resource !== undefined && answers.event !== undefined,
    });
    if (toStdout) {
      host.stdout.write(proposal);
      return exitStatus.ok;
    }
    await (found === "none" ? writeNewFile : overwrite)(path, proposal);
    const typed = typedOptions(
      args,
      Object.keys(readingOptions).filter((name) => !optionsOfMapping.includes(name)),
    );
    const isUsual = !isStream && output === mappingPathOf(given);
    const named = isUsual ? [] : ["--mapping", shellWord(output)];
    const file = [shellWord(given), ...named, ...typed].join(" ");
    // The page reads its file more than once.
    const onPage = isStream ? "" : `, in a browser with eventload map ${file}`;
    const next = `Look through it${onPage}, then try: eventload check ${file}`;
    for (const line of describe(look, answers, output)) writeLine(host.stderr, line);
    writeLine(host.stderr, asTyped(next, host));
    return exitStatus.ok;
  },
};

function isTerminal({ stdin, stderr }: Host): boolean {
  return stdin.isTTY === true && stderr.isTTY === true;
}

function givenAnswers(args: Arguments): InferAnswers {
  const resource = args.text("resource");
  return {
    resource: resource === "users" || resource === "contacts" ? resource : undefined,
    event: args.text("event"),
  };
}

/** What cannot be detected; undefined if the person has left. */
async function askAll(look: Look, args: Arguments, host: Host): Promise<InferAnswers | undefined> {
  const asker = createAsker(host);
  try {
    return await askEach(asker, look, givenAnswers(args));
  } finally {
    asker.close();
  }
}

async function askEach(
  asker: Asker,
  look: Look,
  given: InferAnswers,
): Promise<InferAnswers | undefined> {
  const oneOfThem = (answers: readonly string[]) => (answer: string) =>
    answers.find((one) => one.startsWith(answer.toLowerCase()));
  const resource =
    given.resource ??
    (await asker.ask(
      "Are these users or contacts?",
      look.resource,
      oneOfThem(["users", "contacts"]),
    ));
  if (resource !== "users" && resource !== "contacts") return undefined;
  const usualEvent = resource === look.resource ? look.event : `${resource.slice(0, -1)}.imported`;
  const event =
    given.event ??
    (await asker.ask("What is the kind of event called?", usualEvent, (answer) => answer));
  if (event === undefined) return undefined;
  const [date] = look.ambiguousDates;
  if (date === undefined) return { resource, event };
  const question = `Column ${JSON.stringify(date.column)} has dates such as ${date.sample}: does the day or the month come first?`;
  const usual = date.order === "day_first" ? "day" : "month";
  const order = await asker.ask(question, usual, oneOfThem(["day", "month"]));
  if (order === undefined) return undefined;
  return { resource, event, dayOrder: order === "day" ? "day_first" : "month_first" };
}

function describe(look: Look, answers: InferAnswers, output: string): string[] {
  const columns = look.columns === 1 ? "1 column" : `${look.columns} columns`;
  const dates = answers.dayOrder === undefined ? look.ambiguousDates : [];
  const misfits = look.misfits.map(
    ({ column, count }) => `${count.toLocaleString("en")} in ${JSON.stringify(column)}`,
  );
  const unsure = dates.map(({ column }) => JSON.stringify(column));
  return [
    `${basename(output)} maps ${columns}. ${look.about[0] ?? ""}`,
    ...(unsure.length === 0
      ? []
      : [`Make sure of the order of day and month in ${unsure.join(", ")}.`]),
    ...(misfits.length === 0
      ? []
      : [
          `Cells that do not fit the type of their column, so their rows are invalid: ${misfits.join(", ")}.`,
        ]),
  ];
}

const installed = join("node_modules", "eventload", "dist", "mapping.schema.json");

/**
 * The JSON Schema of mappings as seen from a folder: of the eventload that is installed above it, else
 * of the one that runs.
 */
export function findSchema(folder: string): string {
  for (let above = folder; ; above = dirname(above)) {
    const path = join(above, installed);
    if (existsSync(path)) return fromFolder(folder, path);
    if (dirname(above) === above) return fromFolder(folder, pathOfMappingSchema());
  }
}

function fromFolder(folder: string, path: string): string {
  const way = relative(folder, path).split(sep).join("/");
  return way.startsWith("../") ? way : `./${way}`;
}

interface Asker {
  /**
   * The answer as it is read, or the usual one where a person just goes on; nothing once they have left.
   *
   * @param read gives nothing for what is no answer
   */
  ask(
    question: string,
    usual: string,
    read: (answer: string) => string | undefined,
  ): Promise<string | undefined>;
  close(): void;
}

/** Asks on the terminal, again where an answer cannot be used. */
function createAsker({ stdin, stderr }: Pick<Host, "stdin" | "stderr">): Asker {
  const lines = createInterface({ input: stdin });
  const given: string[] = [];
  let hasLeft = false;
  let wake = () => {};
  lines.on("line", (line) => {
    given.push(line);
    wake();
  });
  const leave = () => {
    hasLeft = true;
    wake();
  };
  lines.on("close", leave);
  const nextLine = async () => {
    while (given.length === 0 && !hasLeft) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    return given.shift();
  };
  return {
    async ask(question, usual, read) {
      for (;;) {
        stderr.write(`${question} [${usual}] `);
        const line = await nextLine();
        if (line === undefined) {
          stderr.write("\n");
          return undefined;
        }
        const answer = read(line.trim() || usual);
        if (answer !== undefined) return answer;
        stderr.write("That is none of the answers.\n");
      }
    },
    close: () => lines.close(),
  };
}
