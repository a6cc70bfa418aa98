// The tables of options in docs/configuration.md, from the options of the commands.

const begin = "<!-- These tables are written by `npm run reference`. -->";
const end = "<!-- End of the tables. -->";
const running = ["import", "check", "retry", "resume"];

/**
 * The page with its tables as the options are now.
 *
 * @param {string} page
 * @param {Readonly<Record<string, { options: Readonly<Record<string, object>> }>>} commands by their names
 * @param {(option: string) => string} toKey
 */
export function withOptionTables(page, commands, toKey) {
  const shared = new Map();
  for (const command of running) {
    for (const [name, option] of Object.entries(commands[command].options)) {
      const known = shared.get(name);
      if (known === undefined) shared.set(name, { name, ...option, of: [command] });
      else known.of.push(command);
    }
  }
  const titles = ["Input", "Mapping", "Service", "Sending", "Rows", "Output"];
  const tables = titles.flatMap((title) => [
    `## ${title}`,
    table(
      ["option", "key", "default", "meaning"],
      [...shared.values()]
        .filter(({ group }) => group === title)
        .map((option) => {
          const { name, of, describe, only } = option;
          const isTyped = only === "typed" || name === "config";
          const commandAlone = of.length === 1 ? `for \`${of[0]}\`: ` : "";
          return [
            only === "file" ? "" : typed(name, option),
            isTyped ? "" : `\`${toKey(name)}\``,
            standard(option),
            `${commandAlone}${lower(describe)}`,
          ];
        }),
    ),
  ]);
  const single = Object.entries(commands).flatMap(([command, { options }]) =>
    Object.entries(options)
      .filter(([name, { describe }]) => shared.get(name)?.describe !== describe)
      .map(([name, option]) => [
        `\`${command}\``,
        typed(name, option),
        standard(option),
        lower(option.describe),
      ]),
  );
  const all = [
    ...tables,
    "## Options of single commands",
    table(["command", "option", "default", "meaning"], single),
  ];
  const [before, rest] = page.split(begin);
  return `${before}${begin}\n\n${all.join("\n\n")}\n\n${end}${rest.split(end)[1]}`;
}

function table(titles, rows) {
  const line = (cells) => `| ${cells.join(" | ")} |`.replaceAll("|  |", "| |");
  return [line(titles), `|${"---|".repeat(titles.length)}`, ...rows.map(line)].join("\n");
}

function typed(name, { placeholder, short }) {
  const value = placeholder === undefined ? "" : ` <${placeholder}>`;
  const letter = short === undefined ? "" : `, \`-${short}\``;
  return `\`--${name}${value}\`${letter}`.replaceAll(/(?<!\\)\|/g, "\\|");
}

function standard({ default: usual, kind }) {
  return usual ?? (kind === "flag" ? "`false`" : "none");
}

function lower(sentence) {
  const text = /^[A-Z][a-z ]/.test(sentence)
    ? sentence[0].toLowerCase() + sentence.slice(1)
    : sentence;
  return text.replaceAll(/--[\w-]+(?: \S*[<>]\S*)?|\{\w+\}|\b(?:EVENTLOAD|NODE)_\w+/g, "`$&`");
}
