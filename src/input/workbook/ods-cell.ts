import { durationText, isoMomentText, readNumber } from "./number-text.ts";
import { type CellValue, errorCell } from "./sheet.ts";

/** A cell as the .ods has it. */
export interface OdsCell {
  readonly attributes: ReadonlyMap<string, string>;
  /** Its text as it is shown, paragraphs as lines. */
  readonly shown: string;
}

/** The text of a cell; undefined if it does not hold what its type says. */
export function readOdsCell({ attributes, shown }: OdsCell): CellValue | undefined {
  const hasFormula = attributes.has("table:formula");
  const type = attributes.get("office:value-type") ?? "";
  if (attributes.get("calcext:value-type") === "error" || (hasFormula && errorForm.test(shown))) {
    return { text: shown, flaw: errorCell };
  }
  if (numberTypes.has(type)) {
    const number = readNumber(attributes.get("office:value") ?? "", { kind: "plain" }, "1900");
    const code = shown.trim();
    return number !== undefined && isCode(code, number.text) ? { text: code } : number;
  }
  const text = textOf(type, attributes, shown);
  return text === undefined ? undefined : { text };
}

const numberTypes = new Set(["float", "currency", "percentage"]);

/** Whether a number is shown with zeros before it or signs within, as `00172` and `123-45-6789`. */
function isCode(shown: string, number: string): boolean {
  if (/^-?0\d+(?:\.\d+)?$/.test(shown)) return Number(shown) === Number(number);
  if (!/^\d[\d ()/+:-]*$/.test(shown) || /^\d{1,3}(?: \d{3})+$/.test(shown)) return false;
  return shown.replaceAll(/\D/g, "").replace(/^0+(?=\d)/, "") === number;
}

function textOf(
  type: string,
  attributes: ReadonlyMap<string, string>,
  shown: string,
): string | undefined {
  switch (type) {
    case "boolean":
      return attributes.get("office:boolean-value");
    case "date": {
      const stored = attributes.get("office:date-value");
      return stored === undefined ? undefined : (isoMomentText(stored) ?? stored);
    }
    case "time":
      return timeText(attributes.get("office:time-value") ?? "");
    default:
      return attributes.get("office:string-value") ?? shown;
  }
}

/** An error as older programs wrote it, before the type `error`: as the text of a formula. */
const errorForm = /^(#(N\/A|DIV\/0!|NAME\?|NULL!|NUM!|REF!|VALUE!)|Err:\d{3})$/;

/** A duration of XML Schema, such as `PT13H45M00S`. */
function timeText(stored: string): string | undefined {
  const found = /^(-?)P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/.exec(stored);
  if (found === null) return undefined;
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = found
    .slice(2)
    .map((part) => Number(part ?? 0));
  const total = days + hours / 24 + minutes / 1440 + seconds / 86_400;
  return durationText(found[1] === "-" ? -total : total);
}

/** Puts the paragraphs of a cell of an .ods together, with white space as ODF 1.2, 6.1.2 has it. */
interface Paragraphs {
  /** Begins a cell. */
  clear(): void;
  begin(): void;
  /** White space counts once, and not at the beginning. */
  text(piece: string): void;
  /** A blank, tab or line end that counts as it is. */
  exactly(text: string): void;
  /** The paragraphs as lines. */
  shown(): string;
}

export function createParagraphs(): Paragraphs {
  let shown = "";
  let count = 0;
  let afterSpace = true;
  return {
    clear() {
      shown = "";
      count = 0;
    },
    begin() {
      if (count++ > 0) shown += "\n";
      afterSpace = true;
    },
    text(piece) {
      const collapsed = piece.replaceAll(/[ \t\r\n]+/g, " ");
      const added = afterSpace && collapsed.startsWith(" ") ? collapsed.slice(1) : collapsed;
      if (collapsed !== "") afterSpace = collapsed.endsWith(" ");
      shown += added;
    },
    exactly(text) {
      shown += text;
      afterSpace = false;
    },
    shown: () => shown,
  };
}
