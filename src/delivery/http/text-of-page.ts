/** What HTML and XML begin with. Other text may begin with the same sign. */
const beginning =
  /^\s*<(?:!doctype|\?xml|html|head|body|title|h[1-6]|center|p|div|pre|error|fault|soap)\b/i;

/**
 * What a person would read of an HTML page or of XML: the title, or else the text without the tags.
 * Such pages come from proxies and gateways in front of the service.
 *
 * @returns nothing where the body is no page, or has no text
 */
export function textOfPage(body: string): string | undefined {
  if (!beginning.test(body.slice(0, 1000))) return undefined;
  let title: string | undefined;
  let text = "";
  let at = 0;
  // Every sign is looked at once, whatever the page holds: it is not ours.
  while (at < body.length) {
    const open = body.indexOf("<", at);
    const upTo = open < 0 ? body.length : open;
    text += `${body.slice(at, upTo)} `;
    if (open < 0) break;
    const [, name = ""] = /^<([a-z]+|!--)/i.exec(body.slice(open, open + 20)) ?? [];
    const close = endOf(body, open, name.toLowerCase());
    if (close < 0) break;
    if (name.toLowerCase() === "title") {
      const end = body.indexOf("<", close);
      title ??= body.slice(close, end < 0 ? body.length : end);
    }
    at = close;
  }
  for (const found of [title ?? "", text]) {
    const words = withoutEntities(found).replaceAll(/\s+/g, " ").trim();
    if (words !== "") return words;
  }
  return undefined;
}

/** Where a tag ends, with what is not for people to read. */
function endOf(body: string, open: number, name: string): number {
  switch (name) {
    case "!--":
      return after(body, "-->", open);
    case "script":
    case "style":
      return after(body, ">", after(body, `</${name}`, open));
    default:
      return after(body, ">", open);
  }
}

function after(body: string, sign: string, from: number): number {
  const found = from < 0 ? -1 : body.indexOf(sign, from);
  return found < 0 ? -1 : found + sign.length;
}

const entities: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
};

function withoutEntities(text: string): string {
  return text.replaceAll(
    /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,4}));/gi,
    (entity, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return entities[name.toLowerCase()] ?? entity;
      const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
      return code <= 0x10ffff ? String.fromCodePoint(code) : entity;
    },
  );
}
