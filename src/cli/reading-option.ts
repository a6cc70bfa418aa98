import {
  findReadingProblem,
  mostRecordBytes,
  whyNoDelimiter,
  whyNoEncoding,
} from "../model/reading.ts";
import { type Option, readAs, wrong } from "./option.ts";

const delimiterWords: Record<string, string> = {
  comma: ",",
  semicolon: ";",
  tab: "\t",
  "\\t": "\t",
  pipe: "|",
  space: " ",
};

/** An option that takes what stands between cells, or a word for it. */
export function delimiter(describe: string): Option {
  return {
    describe,
    kind: "value",
    schema: { type: "string", minLength: 1 },
    read(given) {
      const meant = delimiterWords[given.toLowerCase()] ?? given;
      const why = whyNoDelimiter(meant);
      return why === undefined ? readAs(meant) : wrong(`: ${why}; give one such as ; or tab`);
    },
  };
}

/** An option that takes the quote character, or `none`. */
export function quoteCharacter(describe: string): Option {
  return {
    describe,
    kind: "value",
    schema: { type: "string", minLength: 1 },
    read(given) {
      const meant = given.toLowerCase() === "none" ? "" : given;
      const found = findReadingProblem({ quote: meant });
      return found === undefined ? readAs(meant) : wrong(`: ${found.why}, or the word none`);
    },
  };
}

/** An option that takes the label of an encoding. */
export function encoding(describe: string): Option {
  return {
    describe,
    kind: "value",
    schema: { type: "string", minLength: 1 },
    read(given) {
      const why = whyNoEncoding(given);
      return why === undefined ? readAs(given.trim()) : wrong(`: ${why}`);
    },
  };
}

const unitBytes = { "": 1, k: 1024, m: 1024 ** 2 };

/** An option that takes the size of a record, `4MiB` or `512KiB`; it is read as bytes. */
export function recordSize(describe: string): Option {
  return {
    describe,
    kind: "value",
    schema: {
      anyOf: [
        { type: "integer", minimum: 1, maximum: mostRecordBytes },
        { type: "string", pattern: "^[0-9]+ *([kKmM]?[iI]?[bB]?)$" },
      ],
    },
    read(given) {
      const [, digits, unit = ""] = /^(\d+)\s*(?:([km])i?b?|b)?$/i.exec(given.trim()) ?? [];
      const bytes = Number(digits) * unitBytes[unit.toLowerCase() as keyof typeof unitBytes];
      if (bytes >= 1 && bytes <= mostRecordBytes) return readAs(bytes);
      const most = `${mostRecordBytes / unitBytes.m}MiB`;
      return wrong(` needs a size such as 4MiB or 512KiB, ${most} at most, not "${given}"`);
    },
  };
}
