/** Something that happened to a row. */
interface Happened {
  readonly row: number;
  readonly message: string;
}

/** Things that are alike. */
export interface Group<Item extends Happened> {
  readonly example: Item;
  readonly count: number;
  /** Those of the first rows: they may not arrive in row order. */
  readonly first: readonly Item[];
  /** Whether all of them say the very same. */
  readonly isAlike: boolean;
}

/** Groups that take no more memory with more things in them. */
export interface Groups<Item extends Happened> {
  /** @returns its group; undefined if it gets none, as there are too many */
  add(item: Item): Group<Item> | undefined;
  /** The largest first. */
  groups(): Group<Item>[];
  /** How many got no group. */
  readonly ungrouped: number;
}

export interface Grouping<Item> {
  /** Equal for things of one group. */
  keyOf(item: Item): string;
  /** What is kept of one: its texts cut and copied, or each would keep the whole text of a row in memory. */
  kept(item: Item): Item;
  readonly maxGroups: number;
  readonly maxFirst: number;
}

export function createGroups<Item extends Happened>(how: Grouping<Item>): Groups<Item> {
  const { keyOf, kept, maxGroups, maxFirst } = how;
  const byKey = new Map<
    string,
    { example: Item; count: number; first: Item[]; isAlike: boolean }
  >();
  let ungrouped = 0;

  const keepFirst = (first: Item[], item: Item) => {
    const last = first.at(-1);
    const isFull = first.length >= maxFirst;
    if (isFull && (last === undefined || last.row <= item.row)) return;
    const at = first.findIndex(({ row }) => row > item.row);
    first.splice(at < 0 ? first.length : at, 0, kept(item));
    if (isFull) first.pop();
  };

  return {
    add(item) {
      const key = keyOf(item);
      let group = byKey.get(key);
      if (group === undefined) {
        if (byKey.size >= maxGroups) {
          ungrouped++;
          return undefined;
        }
        group = { example: kept(item), count: 0, first: [], isAlike: true };
        byKey.set(key, group);
      }
      group.count++;
      if (group.isAlike && !isSame(item.message, group.example.message)) group.isAlike = false;
      keepFirst(group.first, item);
      return group;
    },
    groups: () => [...byKey.values()].toSorted((one, other) => other.count - one.count),
    get ungrouped() {
      return ungrouped;
    },
  };
}

function isSame(message: string, kept: string): boolean {
  return message === kept || message.slice(0, longestMessage) === kept;
}

/** Of a message so much is kept. */
export const longestMessage = 1000;

/** The beginning of a text, without the text that it may be a part of. */
export function copyOf(text: string, most: number): string {
  return Buffer.from(text.slice(0, most), "utf16le").toString("utf16le");
}

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
