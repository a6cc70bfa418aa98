import { z } from "zod";
import { delimiterOf } from "../model/dialect.ts";
import { type Reading, whyNoDelimiter, whyNoEncoding } from "../model/reading.ts";
import { isRecord, type YamlFinding } from "../model/yaml-document.ts";
import { text } from "./schema-parts.ts";

/** How inputs of a mapping are read, so that the options need not be typed each time. */
export const inputReading = z
  .strictObject({
    encoding: text("as `--encoding`").optional(),
    delimiter: text("as `--delimiter`").optional(),
    sheet: text("as `--sheet`").optional(),
    skip_lines: z.int().min(0).describe("as `--skip-lines`").optional(),
    no_header: z.boolean().describe("as `--no-header`").optional(),
  })
  .describe(
    "how to read the input: `encoding`, `delimiter`, `sheet`, `skip_lines` and `no_header`, which mean the same as the [options](inputs.md#csv-files). What you type on the command line wins, and this wins over `eventload.yaml`. `retry` reads results files without it",
  );

export function readingOfInput({
  encoding,
  delimiter,
  sheet,
  skip_lines: skipLines,
  no_header: noHeader,
}: z.infer<typeof inputReading> = {}): Reading {
  return {
    ...(encoding === undefined ? {} : { encoding }),
    ...(delimiter === undefined ? {} : { delimiter: delimiterOf(delimiter) }),
    ...(sheet === undefined ? {} : { sheet }),
    ...(skipLines === undefined ? {} : { skipLines }),
    ...(noHeader === undefined ? {} : { header: !noHeader }),
  };
}

/** Encodings that are not known, and delimiters that cannot be one. */
export function findInputProblems({ input }: Readonly<Record<string, unknown>>): YamlFinding[] {
  if (!isRecord(input)) return [];
  const { encoding, delimiter } = input;
  const problems = {
    encoding: isText(encoding) ? whyNoEncoding(encoding) : undefined,
    delimiter: isText(delimiter) ? whyNoDelimiter(delimiterOf(delimiter)) : undefined,
  };
  return Object.entries(problems).flatMap(([key, why]) =>
    why === undefined ? [] : [{ path: ["input", key], message: `: ${why}` }],
  );
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
