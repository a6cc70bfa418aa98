import type { Command } from "../command.ts";
import { wrapWords } from "../terminal/lines.ts";
import { describeOption, groups, type Option } from "./option-types.ts";

const aboutProgram =
  "Loads a CSV file or a spreadsheet into a service whose users and contacts are updated by POSTing events.";
const environment =
  "EVENTLOAD_TOKEN is the access token. EVENTLOAD_BASE_URL, EVENTLOAD_CONFIG and EVENTLOAD_TARGET set the options of these names. HTTPS_PROXY, HTTP_PROXY, NO_PROXY and NODE_EXTRA_CA_CERTS are read too. Most options can be keys of eventload.yaml (max_attempts: 3), and a few keys exist only there: eventload schema config lists them.";

const epilogue =
  "Usual order: init, check, import, retry. Exit status: 0 all succeeded; 1 complete, some did not succeed; 2 could not start, nothing was sent; 3 stopped, can be resumed; 129, 130 or 143 interrupted, can be resumed. The documentation is in README.md and docs/ of the package.";

/**
 * The help of the program. Written here, as yargs shows types (`[string]`) in place of placeholders, and
 * does not fold examples.
 */
export function renderHelp(commands: readonly Command[], columns: number): string {
  const all = commands.map(({ usage, summary }): Entry => [usage, summary]);
  return [
    "Usage: eventload <command> [options]",
    fold(aboutProgram, columns),
    section("Commands", all, columns),
    section("Options", [help, ["--version", "Print the version"]], columns),
    fold(environment, columns),
    fold(epilogue, columns),
    fold("eventload <command> --help shows the options of a command, with examples.", columns),
  ].join("\n\n");
}

/** The help of a command: its options in groups, then examples that can be typed as they are. */
export function renderCommandHelp(command: Command, columns: number): string {
  const { usage, summary, positional, options, examples } = command;
  const shown = Object.entries(options).filter(([, { only }]) => only !== "file");
  const isIn = (group: string | undefined) =>
    shown.filter(([, option]) => option.group === group).map(entryOf);
  const hasOptions = shown.length > 0;
  const argument: Entry[] =
    positional === undefined ? [] : [[`<${positional.name}>`, positional.describe]];
  const sections = [
    `Usage: eventload ${usage}${hasOptions ? " [options]" : ""}`,
    fold(`${summary}.`, columns),
    section("Arguments", argument, columns),
    ...groups.map((group) => section(group, isIn(group), columns)),
    section("Options", [...isIn(undefined), help], columns),
    // A command is not folded, so that it can be copied.
    ["Examples:", ...examples.map(([line, what]) => `  # ${what}\n  eventload ${line}`)].join("\n"),
  ];
  return sections.filter((text) => text !== "").join("\n\n");
}

type Entry = readonly [left: string, right: string];

const help: Entry = ["-h, --help", "Show this help"];

function entryOf([name, option]: [string, Option]): Entry {
  const { short, placeholder, isRequired } = option;
  const value = placeholder === undefined ? "" : ` <${placeholder}>`;
  const required = isRequired ? " (required)" : "";
  const left = `${short === undefined ? "" : `-${short}, `}--${name}${value}`;
  return [left, `${describeOption(option)}${required}`];
}

const widestLeft = 28;

function section(title: string, entries: readonly Entry[], columns: number): string {
  if (entries.length === 0) return "";
  const width = Math.min(widestLeft, Math.max(...entries.map(([left]) => left.length)));
  const margin = " ".repeat(width + 4);
  const lines = entries.flatMap(([left, right]) => {
    const [first = "", ...more] = wrapWords(right, columns - margin.length);
    const isWide = left.length > width;
    const head = isWide ? [`  ${left}`, margin + first] : [`  ${left.padEnd(width)}  ${first}`];
    return [...head, ...more.map((line) => margin + line.trimStart())];
  });
  return [`${title}:`, ...lines].join("\n");
}

function fold(text: string, columns: number): string {
  return wrapWords(text, columns)
    .map((line) => line.trimStart())
    .join("\n");
}
