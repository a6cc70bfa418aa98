import type { NumberForm } from "./number-format.ts";
import type { XmlHandlers } from "./parse-xml.ts";
import { readAttributes } from "./xml-entities.ts";

/** Collects how the styles of an .ods show numbers, from the parts that define them. */
export interface OdsNumberStyles {
  readonly handlers: Required<Pick<XmlHandlers, "open" | "text" | "close">>;
  /** The form of a cell's style; plain where it has none of its own. */
  formOf(style: string | undefined): NumberForm;
}

const plain: NumberForm = { kind: "plain" };

/**
 * Only what is shown with more digits than it has is of interest: dates and times stand in their
 * cells as such.
 */
export function createOdsNumberStyles(): OdsNumberStyles {
  const forms = new Map<string, NumberForm>();
  const dataStyleOf = new Map<string, string>();
  const parentOf = new Map<string, string>();
  let name = "";
  let pattern: (string | null)[] = [];
  let decimals = 0;
  let isPlain = false;
  let isNumberStyle = false;
  let literal: string | undefined;
  let embeddedAt: number | undefined;
  let numberEnd = 0;

  const beginNumber = (written: string) => {
    const attributes = readAttributes(written);
    const digits = Number(attributes.get("number:min-integer-digits") ?? 0);
    if (attributes.get("number:grouping") === "true") isPlain = true;
    decimals = Number(attributes.get("number:decimal-places") ?? 0);
    for (let digit = 0; digit < Math.min(digits, 100); digit++) pattern.push(null);
    numberEnd = pattern.length;
  };

  const endLiteral = () => {
    const text = literal ?? "";
    literal = undefined;
    if (text === "") return;
    // Its position is counted in digits from the right.
    if (embeddedAt === undefined) pattern.push(text);
    else pattern.splice(placeBefore(pattern, numberEnd, embeddedAt), 0, text);
    embeddedAt = undefined;
  };

  const beginStyle = (written: string) => {
    const attributes = readAttributes(written);
    const style = attributes.get("style:name") ?? "";
    const data = attributes.get("style:data-style-name");
    const parent = attributes.get("style:parent-style-name");
    if (data !== undefined) dataStyleOf.set(style, data);
    if (parent !== undefined) parentOf.set(style, parent);
  };

  return {
    handlers: {
      open(tag, written) {
        if (tag === "style") beginStyle(written);
        else if (tag === "number-style") {
          isNumberStyle = true;
          name = readAttributes(written).get("style:name") ?? "";
          pattern = [];
          decimals = 0;
          isPlain = false;
        } else if (!isNumberStyle) return;
        else if (tag === "number") beginNumber(written);
        else if (tag === "text") literal = "";
        else if (tag === "embedded-text") {
          literal = "";
          embeddedAt = Number(readAttributes(written).get("number:position") ?? 0);
        } else if (tag === "scientific-number" || tag === "fraction") isPlain = true;
      },
      text(piece) {
        if (literal !== undefined) literal += piece;
      },
      close(tag) {
        if (tag === "text" || tag === "embedded-text") endLiteral();
        if (tag !== "number-style") return;
        isNumberStyle = false;
        const zeros = pattern.filter((text) => text === null).length;
        if (!isPlain && zeros >= 2) forms.set(name, { kind: "digits", pattern, decimals });
      },
    },
    formOf(style) {
      let at = style;
      for (let steps = 0; at !== undefined && steps < 16; steps++) {
        const data = dataStyleOf.get(at);
        if (data !== undefined) return forms.get(data) ?? plain;
        at = parentOf.get(at);
      }
      return plain;
    },
  };
}

/** Where in a pattern so many digits follow. */
function placeBefore(pattern: readonly (string | null)[], end: number, digits: number): number {
  let at = Math.max(end, pattern.lastIndexOf(null) + 1);
  for (let seen = 0; at > 0 && seen < digits; at--) if (pattern[at - 1] === null) seen++;
  return at;
}
