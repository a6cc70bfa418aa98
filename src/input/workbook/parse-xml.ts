/*
 * Our own parser, and not `sax` (looked at in 1.4): that leaves line ends as they are (XML 1.0, section 2.11), has no
 * limit on the length of a tag, and is slower.
 */

/** Called for the contents of a document, in order. Names come without their prefix. */
export interface XmlHandlers {
  /** @param attributes as they are written, for {@link readAttributes} */
  open?(name: string, attributes: string): void;
  /** One text of the document may come in several pieces. */
  text?(text: string): void;
  close?(name: string): void;
}

/** The document is not well-formed, or has something that no workbook has. */
export class XmlError extends Error {
  override readonly name = "XmlError";
}

/** A tag or comment longer than this is no part of a workbook. */
const maxMarkupChars = 1024 * 1024;
const maxXmlNameChars = 1024;
const maxLevels = 256;

/**
 * Parses the part of XML 1.0 that workbooks use. A document type is refused, as it may define entities
 * that expand without end or read files.
 */
export function createXmlParser(handlers: XmlHandlers) {
  let held = "";
  /** Unfinished markup is parsed again only when it is twice as long, not with every piece. */
  let wantedChars = 0;
  let hasRoot = false;
  const path: string[] = [];

  const openTag = (tag: string) => {
    const isEmpty = tag.endsWith("/");
    const content = isEmpty ? tag.slice(0, -1) : tag;
    const nameEnd = content.search(/\s/);
    const written = nameEnd < 0 ? content : content.slice(0, nameEnd);
    if (written === "" || (path.length === 0 && hasRoot)) throw new XmlError("it has a stray tag");
    if (written.length > maxXmlNameChars) throw new XmlError("it has a tag with an endless name");
    if (path.length >= maxLevels) throw new XmlError(`it is more than ${maxLevels} levels deep`);
    hasRoot = true;
    const name = localName(written);
    handlers.open?.(name, nameEnd < 0 ? "" : content.slice(nameEnd));
    if (isEmpty) handlers.close?.(name);
    else path.push(written);
  };

  const closeTag = (written: string) => {
    const expected = path.pop();
    if (expected !== written) throw new XmlError(`it closes ${written} where ${expected} is open`);
    handlers.close?.(localName(written));
  };

  const passText = (text: string) => {
    if (text === "" || path.length === 0) return;
    handlers.text?.(text);
  };

  /** @returns where the markup ends, or nothing if its end has not arrived yet */
  const markup = (text: string, at: number): number | undefined => {
    if (text.startsWith("<!--", at)) return after(text, "-->", at + 4);
    if (text.startsWith("<?", at)) return after(text, "?>", at + 2);
    if (text.startsWith("<![CDATA[", at)) {
      const end = after(text, "]]>", at + 9);
      if (end !== undefined) passText(text.slice(at + 9, end - 3));
      return end;
    }
    if (text.startsWith("<!", at)) {
      if (isBeginning(text.slice(at))) return undefined;
      throw new XmlError("it declares a document type, which no workbook does");
    }
    const end = tagEnd(text, at + 1);
    if (end < 0) return undefined;
    if (text[at + 1] === "/") closeTag(text.slice(at + 2, end).trimEnd());
    else openTag(text.slice(at + 1, end));
    return end + 1;
  };

  const parse = (text: string, isLast: boolean): string => {
    let at = 0;
    while (at < text.length) {
      if (text[at] === "<") {
        const next = markup(text, at);
        if (next === undefined) return text.slice(at);
        at = next;
        continue;
      }
      const tag = text.indexOf("<", at);
      const end = tag >= 0 ? tag : isLast ? text.length : wholeTextEnd(text, at);
      passText(readEntities(text.slice(at, end)));
      at = end;
      if (tag < 0) return text.slice(at);
    }
    return "";
  };

  return {
    /** Takes the next piece. @throws XmlError */
    write(text: string): void {
      held += text;
      if (held.length < Math.min(wantedChars, maxMarkupChars + 1)) return;
      held = parse(held, false);
      wantedChars = 2 * held.length;
      if (held.length > maxMarkupChars) throw new XmlError("it has a tag that does not end");
    },
    /** @throws XmlError if the document is not complete */
    end(): void {
      held = parse(held, true);
      if (held !== "" || path.length > 0 || !hasRoot) throw new XmlError("it ends too early");
    },
  };
}

function isBeginning(text: string): boolean {
  return "<!--".startsWith(text) || "<![CDATA[".startsWith(text);
}

function after(text: string, mark: string, from: number): number | undefined {
  const at = text.indexOf(mark, from);
  return at < 0 ? undefined : at + mark.length;
}

/** The end of a tag is the first `>` that is not in quotes; -1 if it has not arrived yet. */
function tagEnd(text: string, from: number): number {
  let at = from;
  let end = -1;
  for (;;) {
    if (end < at) end = text.indexOf(">", at);
    if (end < 0) return -1;
    const quote = firstQuote(text, at, end);
    if (quote < 0) return end;
    const closing = text.indexOf(text[quote] as string, quote + 1);
    if (closing < 0) return -1;
    at = closing + 1;
  }
}

function firstQuote(text: string, from: number, to: number): number {
  for (let at = from; at < to; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 0x22 || unit === 0x27) return at;
  }
  return -1;
}

/** Where the text ends, without a reference or line end that may be cut off. */
function wholeTextEnd(text: string, from: number): number {
  const reference = text.lastIndexOf("&");
  if (reference >= from && text.length - reference < 16 && !text.includes(";", reference)) {
    return reference;
  }
  return text.endsWith("\r") ? text.length - 1 : text.length;
}

function localName(written: string): string {
  const colon = written.indexOf(":");
  return colon < 0 ? written : written.slice(colon + 1);
}

const predefined: ReadonlyMap<string, string> = new Map([
  ["amp", "&"],
  ["apos", "'"],
  ["gt", ">"],
  ["lt", "<"],
  ["quot", '"'],
]);

/** Resolves references, and normalizes line ends as in XML 1.0, section 2.11. @throws XmlError if one is unknown */
function readEntities(text: string): string {
  const lines = text.includes("\r") ? text.replaceAll(/\r\n?/g, "\n") : text;
  if (!lines.includes("&")) return lines;
  return lines.replaceAll(/&([^;&]*)(;?)/g, (_, name: string, end: string) => {
    const meant =
      end === "" ? undefined : name.startsWith("#") ? character(name) : predefined.get(name);
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

/** The attributes of a tag by name, with their prefix. @throws XmlError if it holds anything else */
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

/** Sticky, so that text that is not an attribute is not searched character by character. */
const attributeForm = /\s*([^\s=]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/gy;
