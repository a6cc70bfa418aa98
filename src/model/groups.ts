interface Happened {
  readonly row: number;
  readonly message: string;
}

export interface Group<Item extends Happened> {
  readonly example: Item;
  readonly count: number;
  /** Items of the first rows: they may not arrive in row order. */
  readonly first: readonly Item[];
  readonly isAlike: boolean;
}

/**
 * Groups that take no more memory with more things in them.
 *
 * @param keyOf equal for things of one group
 * @param kept what is kept of one: its texts cut and copied, or each would keep the whole text of a row in memory
 */
export function createGroups<Item extends Happened>(
  keyOf: (item: Item) => string,
  kept: (item: Item) => Item,
  maxGroups: number,
  maxFirst = 5,
) {
  const byKey = new Map<string, { -readonly [name in keyof Group<Item>]: Group<Item>[name] }>();
  let ungrouped = 0;
  return {
    /** @returns its group; undefined if it gets none, as there are too many */
    add(item: Item): Group<Item> | undefined {
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
      group.isAlike &&= isSame(item.message, group.example.message);
      const { first } = group;
      if (first.length < maxFirst || item.row < (first.at(-1)?.row ?? 0)) {
        const inOrder = [...first, kept(item)].toSorted((one, other) => one.row - other.row);
        group.first = inOrder.slice(0, maxFirst);
      }
      return group;
    },
    /** The largest first, whatever the order in which things arrived. */
    groups: (): Group<Item>[] => [...byKey.values()].toSorted(byCountAndRow),
    get ungrouped() {
      return ungrouped;
    },
  };
}

function byCountAndRow(one: Group<Happened>, other: Group<Happened>): number {
  return other.count - one.count || (one.first[0]?.row ?? 0) - (other.first[0]?.row ?? 0);
}

export type Groups<Item extends Happened> = ReturnType<typeof createGroups<Item>>;

function isSame(message: string, kept: string): boolean {
  return message === kept || message.slice(0, longestMessage) === kept;
}

export const longestMessage = 1000;

/** The beginning of a text, without the text that it may be a part of. */
export function copyOf(text: string, most: number): string {
  return Buffer.from(text.slice(0, most), "utf16le").toString("utf16le");
}

const longestCompared = 500;

/**
 * Replaces what differs from row to row in a message (addresses, words with digits, quoted values), so that messages
 * which say the same become equal. Names of columns stay, and so do quoted names of members.
 */
export function messageTemplate(message: string): string {
  return message.slice(0, longestCompared).replaceAll(variableParts, (part: string) => {
    if (part.startsWith("column ")) return part.replace(valueBehind, ': "…"');
    if (part.startsWith('"')) return memberName.test(part) ? part : '"…"';
    return /[\d@]|^https?:/.test(part) ? "…" : part;
  });
}

const quoted = '"(?:[^"\\\\]|\\\\.)*"';
const variableParts = new RegExp(
  `\\bcolumn ${quoted}(?:: ${quoted})?|${quoted}|\\bhttps?://\\S+|[^\\s"'<>(),;:]+(?:[,:]\\d[\\w.]*)*`,
  "g",
);
const valueBehind = new RegExp(`: ${quoted}$`);

/** `"plan"` or `"profile.age"`, but not `"Jansen"` or `"a12"`. */
const memberName = /^"[a-z][a-zA-Z_.[\]-]*"$/;
