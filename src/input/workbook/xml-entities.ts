import { XmlError } from "./parse-xml.ts";

const predefined: Readonly<Record<string, string>> = {
  amp: "&",
  apos: "'",
  gt: ">",
  lt: "<",
  quot: '"',
};

/**
 * Text as it is meant: references resolved, and line ends as XML 1.0, section 2.11, has them.
 *
 * @throws XmlError where it has an entity that XML does not know by itself
 */
export function readEntities(text: string): string {
  const lines = text.includes("\r") ? text.replaceAll(/\r\n?/g, "\n") : text;
  if (!lines.includes("&")) return lines;
  return lines.replaceAll(/&([^;&]*)(;?)/g, (_, name: string, end: string) => {
    const meant =
      end === "" ? undefined : name.startsWith("#") ? character(name) : predefined[name];
    if (meant === undefined)
      throw new XmlError(`it has an unknown reference &${name.slice(0, 20)}`);
    return meant;
  });
}

function character(reference: string): string | undefined {
  const hex = /^#x([0-9a-f]{1,6})$/i.exec(reference)?.[1];
  const decimal = /^#([0-9]{1,7})$/.exec(reference)?.[1];
  const code = hex !== undefined ? Number.parseInt(hex, 16) : Number(decimal ?? Number.NaN);
  const isCharacter =
    code === 9 ||
    code === 10 ||
    code === 13 ||
    (code >= 0x20 && code < 0xd800) ||
    (code > 0xdfff && code <= 0x10ffff);
  return isCharacter ? String.fromCodePoint(code) : undefined;
}

/**
 * The attributes of a tag by name, with their prefix.
 *
 * @throws XmlError where it holds anything else
 */
export function readAttributes(written: string): ReadonlyMap<string, string> {
  const attributes = new Map<string, string>();
  let end = 0;
  for (const { 0: all, 1: name = "", 2: double, 3: single } of written.matchAll(attributeForm)) {
    attributes.set(name, readEntities(double ?? single ?? ""));
    end += all.length;
  }
  if (end < written.length && written.slice(end).trim() !== "") {
    throw new XmlError("it has a tag whose attributes cannot be read");
  }
  return attributes;
}

/** Each follows the one before: what is none is not searched for one, character by character. */
const attributeForm = /\s*([^\s=]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/gy;
