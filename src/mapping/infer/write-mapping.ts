import { oneLine } from "../../model/escape-text.ts";
import { resources } from "../../model/event.ts";
import { grouped } from "../../model/quantities.ts";
import type { Reading } from "../../model/reading.ts";
import { cutTo, quote, quoteWhole } from "../../model/row.ts";
import { inputKeysOf } from "../input-keys.ts";
import type { InferredMapping, MappedColumn } from "./infer-mapping.ts";

export interface WriteOptions {
  /** Path or URL of the JSON Schema for editors, as seen from the mapping file. */
  readonly schema: string;
  readonly about: readonly string[];
  /** How the input was read, as far as that had to be said. */
  readonly reading?: Reading;
  /** Whether sample values are shown with all letters and digits replaced. */
  readonly maskSamples: boolean;
  /** Whether a person has said what the resource and the event are. */
  readonly isAnswered: boolean;
}

export function writeMapping(mapping: InferredMapping, options: WriteOptions): string {
  const { resource, event, nullWords, order, members, leftOut } = mapping;
  const sure = options.isAnswered;
  // A plain text would be ambiguous: it is also a column.
  const isColumn = members.some(({ column }) => column.trim() === event.trim());
  const lines = [
    `# yaml-language-server: $schema=${oneLine(options.schema)}`,
    ...options.about.map((sentence) => `# ${oneLine(sentence)}`),
    "",
    "version: 1",
    ...inputLines(options.reading ?? {}),
    ...(sure ? [] : [`# ${resources.join(" or ")}: a guess, check it.`]),
    `resource: ${resource}`,
    ...(sure ? [] : ["# The kind of event, as your service calls it: a guess, check it."]),
    isColumn ? `event: { value: ${yamlScalar(event)} }` : `event: ${yamlScalar(event)}`,
  ];
  if (order.why !== undefined) lines.push(`# ${oneLine(order.why)}.`);
  if (order.kind === "none") {
    lines.push(
      "# It is not clear which column identifies a person. If several rows are about one, name the columns",
      "# that do, so that they are sent in file order. --state needs it too: ordering_key: [a column]",
    );
  } else {
    const name = yamlScalar(order.column);
    const key = order.isFolded ? `{ column: ${name}, transform: [trim, lowercase] }` : name;
    lines.push(`${order.kind === "needed" ? "" : "# "}ordering_key: [${key}]`);
  }
  if (nullWords.length > 0) {
    lines.push("# Cells that mean that there is no value:");
    for (const { word, where } of nullWords) lines.push(`# ${quote(word)}: ${oneLine(where)}`);
    lines.push(`null_values: [${nullWords.map(({ word }) => JSON.stringify(word)).join(", ")}]`);
  }
  lines.push("# What a blank cell becomes: omit leaves the member out (else null or keep).");
  lines.push("empty: omit");
  for (const why of leftOut) lines.push(`# ${oneLine(why)}`);
  const filled = members.filter(({ cells }) => cells.length > 0);
  const blank = members.filter(({ cells }) => cells.length === 0);
  const isEmpty = members.every(({ isSecret }) => isSecret);
  const guesses = members.filter(({ isGuess, isSecret }) => isGuess && !isSecret);
  if (guesses.length > 0) {
    const names = oneLine(guesses.map(({ member }) => member).join(", "));
    lines.push(
      `# Members that are named after their columns, which is a guess: ${cutTo(maxGuessesLength, names)}`,
    );
  }
  lines.push(isEmpty ? "members: {}" : "members:");
  const linesOf = (member: MappedColumn) => memberLines(member, mapping, options.maskSamples);
  lines.push(...filled.flatMap(linesOf));
  if (blank.length > 0) lines.push("", "  # Blank in all rows that were read.");
  lines.push(...blank.flatMap(linesOf));
  return `${lines.join("\n")}\n`;
}

/** What has to be said of the input is kept, so that nobody has to type it again. */
function inputLines(reading: Reading): string[] {
  const input = inputKeysOf(reading);
  if (Object.keys(input).length === 0) return [];
  return [
    "# How to read the input, as given or detected. Options on the command line win.",
    `input: ${flow(input)}`,
  ];
}

const maxGuessesLength = 300;
const maxSamplesInComment = 3;
const maxSampleLength = 40;

/** A member, below comments on what its cells are, if it has some. */
function memberLines(member: MappedColumn, { rows }: InferredMapping, mask: boolean): string[] {
  const { cells, evidence, isSecret, otherOrder, misfits = [], misfitsAt, tooFew } = member;
  const share = (others: readonly string[]) =>
    `${grouped(cells.length - others.length)} of ${grouped(cells.length)}`;
  const others = (all: readonly string[]) => {
    const more = all.length - misfitsAt.length;
    const first = misfitsAt.map(({ row, cell }) =>
      [...(row === undefined ? [] : [`row ${grouped(row)}`]), showSample(cell, mask)].join(" "),
    );
    return `not: ${first.join(", ")}${more === 0 ? "" : ` and ${grouped(more)} more`}`;
  };
  const blanks = rows === cells.length ? "" : `, ${grouped(rows - cells.length)} blank`;
  const exceptions = misfits.length === 0 ? "" : `; ${others(misfits)}`;
  const odd = new Set(misfits);
  const samples = [...new Set(cells.filter((cell) => !odd.has(cell)))]
    .slice(0, maxSamplesInComment)
    .map((cell) => showSample(cell, mask));
  const count = `${evidence}: ${share(misfits)}${blanks}`;
  const about = isSecret
    ? [count, "Left out: a password, token or the like is a secret and no data about a person."]
    : [
        `${count}${exceptions}; such as ${samples.join(", ")}`,
        ...(otherOrder ? [`this could also be ${otherOrder.format}: check which`] : []),
        ...(tooFew
          ? [`${tooFew.evidence} in ${share(tooFew.misfits)} only; ${others(tooFew.misfits)}`]
          : []),
        ...member.notes,
      ];
  const comments = cells.length === 0 ? member.notes : about;
  return [...comments.map((one) => `  # ${one}`), memberLine(member)];
}

/** A sample; masked, each letter is x and each digit 9. */
function showSample(cell: string, mask: boolean): string {
  const cut = cutTo(maxSampleLength, cell);
  return quote(mask ? cut.replaceAll(/[\p{L}\p{M}]/gu, "x").replaceAll(/\p{N}/gu, "9") : cut);
}

function memberLine({ member, column, isSecret, transform, conversion }: MappedColumn): string {
  const options = Object.entries(conversion).map(([key, value]) => `${key}: ${flow(value)}`);
  const [only, ...more] = transform;
  if (only !== undefined) {
    options.unshift(`transform: ${more.length === 0 ? flow(only) : flow(transform)}`);
  }
  const name = yamlScalar(column);
  const source = options.length === 0 ? name : `{ column: ${[name, ...options].join(", ")} }`;
  return `  ${isSecret ? "# " : ""}${yamlScalar(member)}: ${source}`;
}

function flow(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flow).join(", ")}]`;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (typeof value !== "object" || value === null) return yamlScalar(String(value));
  const pairs = Object.entries(value).map(([key, inner]) => `${key}: ${flow(inner)}`);
  return `{ ${pairs.join(", ")} }`;
}

const wordsOfYaml = /^(true|false|null|yes|no|on|off|y|n)$/i;

/** A text in YAML, in quotes if it could be read as anything else. */
function yamlScalar(text: string): string {
  const isPlain =
    text.length <= 100 && /^[\p{L}_][\p{L}\p{N}_ ./-]*$/u.test(text) && !text.endsWith(" ");
  return isPlain && !wordsOfYaml.test(text) && text.normalize("NFC") === text
    ? text
    : quoteWhole(text);
}
