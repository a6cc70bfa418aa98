const maxLength = 500;

/**
 * Replaces ids, addresses, dates, numbers and values in a message, so that messages which say the same about different
 * rows become equal. Names of columns stay, and so do quoted names of members.
 */
export function messageTemplate(message: string): string {
  return message.slice(0, maxLength).replaceAll(parts, (part: string, ...rest) => {
    const found = rest.at(-1) as Record<keyof typeof placeholders, string | undefined>;
    for (const [name, placeholder] of Object.entries(placeholders)) {
      if (found[name as keyof typeof placeholders] !== undefined) return placeholder(part);
    }
    return part;
  });
}

const quoted = /"(?:[^"\\]|\\.)*"/;

/** The first pattern that matches wins. */
const patterns = {
  column: new RegExp(`\\bcolumn ${quoted.source}(?:: ${quoted.source})?`),
  quoted,
  url: /\bhttps?:\/\/[^\s"'<>]+/,
  email: /[^\s"'<>@(),;:]+@[^\s"'<>@(),;:]+\.[a-z]{2,}/,
  date: /\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?/,
  id: /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b(?=\w*[a-z])(?:(?=\w*\d\w*\d)\w{6,}|(?=\w*\d)\w{9,})(?:-\w+)*\b/,
  number: /\d+(?:[.,:/-]\d+)*/,
};

const placeholders: { readonly [name in keyof typeof patterns]: (part: string) => string } = {
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
