import { isForPositive, maxPlaces, type NumberForm, patternForm } from "./number-text.ts";
import { readAttributes, type XmlHandlers } from "./parse-xml.ts";
import { createAllowance } from "./read-xml-part.ts";

/** Collects how the styles of an .ods show numbers, from the parts that define them. */
export interface OdsNumberFormats {
  readonly handlers: Required<Pick<XmlHandlers, "open" | "text" | "close">>;
  /** The form of a cell's style; plain where it has none of its own. */
  formOf(style: string | undefined): NumberForm;
}

const plain: NumberForm = { kind: "plain" };

/** A percentage or a date is not shown with zeros before it; one of text has others for numbers. */
const dataStyles = new Set(["number-style", "currency-style", "text-style"]);

/**
 * Only formats that show more digits than a number has matter: dates and times are stored as such.
 */
export function createOdsNumberFormats(): OdsNumberFormats {
  const forms = new Map<string, NumberForm>();
  /** Of a format with several sections: the style of its first, and for which numbers that is. */
  const firstSectionOf = new Map<string, { readonly style: string; readonly condition: string }>();
  const dataStyleOf = new Map<string, string>();
  const parentOf = new Map<string, string>();
  const keep = createAllowance();
  let name = "";
  let pattern: (string | null)[] = [];
  let decimals = 0;
  let isPlain = false;
  let inDataStyle = false;
  let literal: string | undefined;
  let embeddedAt: number | undefined;
  let numberEnd = 0;

  const beginNumber = (written: string) => {
    if (pattern.length > maxPlaces) {
      isPlain = true;
      return;
    }
    const attributes = readAttributes(written);
    const digits = Number(attributes.get("number:min-integer-digits") ?? 0);
    const places = attributes.get("number:decimal-places") ?? "0";
    if (
      attributes.get("number:grouping") === "true" ||
      attributes.has("number:display-factor") ||
      (attributes.get("number:min-decimal-places") ?? places) !== places
    ) {
      isPlain = true;
    }
    decimals = Number(places);
    for (let digit = 0; digit < Math.min(digits, 100); digit++) pattern.push(null);
    numberEnd = pattern.length;
  };

  const endLiteral = () => {
    const text = literal ?? "";
    const position = embeddedAt;
    literal = undefined;
    embeddedAt = undefined;
    if (text === "") return;
    if (text.length > longestLiteral || pattern.length > maxPlaces) {
      isPlain = true;
      return;
    }
    if (position === undefined) {
      // Behind the decimals a pattern has no place.
      if (decimals === 0) pattern.push(text);
      else if (text.trim() !== "") isPlain = true;
      return;
    }
    // Its position is counted in digits from the right; it may be among those not always there.
    if (position >= pattern.filter((digit) => digit === null).length) isPlain = true;
    else pattern.splice(placeBefore(pattern, numberEnd, position), 0, text);
  };

  const beginDataStyle = (written: string) => {
    inDataStyle = true;
    name = readAttributes(written).get("style:name") ?? "";
    pattern = [];
    decimals = 0;
    isPlain = false;
  };

  const beginSection = (written: string) => {
    if (firstSectionOf.has(name)) return;
    const attributes = readAttributes(written);
    const condition = (attributes.get("style:condition") ?? "").replace(/^value\(\)/, "");
    const style = attributes.get("style:apply-style-name") ?? "";
    keep(name.length + style.length + condition.length);
    firstSectionOf.set(name, { style, condition });
  };

  const beginStyle = (written: string) => {
    const attributes = readAttributes(written);
    const style = attributes.get("style:name") ?? "";
    const data = attributes.get("style:data-style-name");
    const parent = attributes.get("style:parent-style-name");
    keep(style.length + (data?.length ?? 0) + (parent?.length ?? 0));
    if (data !== undefined) dataStyleOf.set(style, data);
    if (parent !== undefined) parentOf.set(style, parent);
  };

  /** As it is with a format code, the first section decides: the style itself is the last one. */
  const dataForm = (data: string): NumberForm => {
    const first = firstSectionOf.get(data);
    if (first === undefined) return forms.get(data) ?? plain;
    return isForPositive(first.condition) ? (forms.get(first.style) ?? plain) : plain;
  };

  return {
    handlers: {
      open(tag, written) {
        if (tag === "style") beginStyle(written);
        else if (dataStyles.has(tag)) beginDataStyle(written);
        else if (!inDataStyle) return;
        else if (tag === "map") beginSection(written);
        else if (tag === "number") beginNumber(written);
        else if (tag === "text") literal = "";
        else if (tag === "embedded-text") {
          literal = "";
          embeddedAt = Number(readAttributes(written).get("number:position") ?? 0);
        } else if (tag === "scientific-number" || tag === "fraction") isPlain = true;
      },
      text(piece) {
        // A longer one is not kept, and makes the number plain.
        if (literal !== undefined && literal.length <= longestLiteral) literal += piece;
      },
      close(tag) {
        if (tag === "text" || tag === "embedded-text") endLiteral();
        if (!dataStyles.has(tag)) return;
        inDataStyle = false;
        keep(name.length + 8 * pattern.length);
        if (!isPlain) forms.set(name, patternForm(pattern, decimals));
      },
    },
    formOf(style) {
      let at = style;
      for (let steps = 0; at !== undefined && steps < 16; steps++) {
        const data = dataStyleOf.get(at);
        if (data !== undefined) return dataForm(data);
        at = parentOf.get(at);
      }
      return plain;
    },
  };
}

const longestLiteral = 1000;

/** Where in a pattern so many digits follow. */
function placeBefore(pattern: readonly (string | null)[], end: number, digits: number): number {
  let at = Math.max(end, pattern.lastIndexOf(null) + 1);
  for (let seen = 0; at > 0 && seen < digits; at--) if (pattern[at - 1] === null) seen++;
  return at;
}
