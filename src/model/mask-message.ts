const longestMasked = 500;

/**
 * What messages that say the same have in common: ids, addresses, dates, numbers and values taken out.
 * Names of columns stay, and so does what is quoted and looks like the name of a member.
 */
export function maskMessage(message: string): string {
  return message.slice(0, longestMasked).replaceAll(parts, (part: string, ...rest) => {
    const found = rest.at(-1) as Record<keyof typeof masks, string | undefined>;
    for (const [name, mask] of Object.entries(masks)) {
      if (found[name as keyof typeof masks] !== undefined) return mask(part);
    }
    return part;
  });
}

const quoted = /"(?:[^"\\]|\\.)*"/;

/** The first that fits counts. */
const patterns = {
  column: new RegExp(`\\bcolumn ${quoted.source}(?:: ${quoted.source})?`),
  quoted,
  url: /\bhttps?:\/\/[^\s"'<>]+/,
  email: /[^\s"'<>@(),;:]+@[^\s"'<>@(),;:]+\.[a-z]{2,}/,
  date: /\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?/,
  id: /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b(?=\w*[a-z])(?:(?=\w*\d\w*\d)\w{6,}|(?=\w*\d)\w{9,})(?:-\w+)*\b/,
  number: /\d+(?:[.,:/-]\d+)*/,
};

const masks: { readonly [name in keyof typeof patterns]: (part: string) => string } = {
  column: (part) => part.replace(new RegExp(`: ${quoted.source}$`), ': "…"'),
  quoted: (part) => (memberName.test(part) ? part : '"…"'),
  url: () => "‹url›",
  email: () => "‹email›",
  date: () => "‹date›",
  id: () => "‹id›",
  number: () => "#",
};

/** `"plan"` or `"profile.age"`, but not `"Jansen"` or `"a12"`. */
const memberName = /^"[a-z][a-zA-Z_.[\]-]*"$/;

const parts = new RegExp(
  Object.entries(patterns)
    .map(([name, { source }]) => `(?<${name}>${source})`)
    .join("|"),
  "gi",
);
