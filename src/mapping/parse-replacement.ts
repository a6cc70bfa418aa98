import type { PatternGroups } from "./parse-pattern.ts";

/** What is put in place of a match: text, and groups by their number, of which 0 is the whole match. */
export type Replacement = readonly (string | number)[];

export type ParsedReplacement =
  | { readonly kind: "replacement"; readonly pieces: Replacement }
  | { readonly kind: "problem"; readonly message: string };

/** `$$`, `$&`, `$1` to `$99` and `$<name>`, as JavaScript has them. Any other dollar is one. */
const reference = /\$(?:\$|&|(\d{1,2})|<([^>]*)>)/g;

/** Reads the `with` of a `replace` that has a pattern with these groups. */
export function parseReplacement(text: string, groups: PatternGroups): ParsedReplacement {
  const pieces: (string | number)[] = [];
  let end = 0;
  for (const found of text.matchAll(reference)) {
    const [written, digits, name] = found;
    pieces.push(text.slice(end, found.index));
    end = found.index + written.length;
    if (digits !== undefined) {
      // Of two digits, the second may be text: $12 is $1 and a 2 where there are fewer than 12 groups.
      const places = [digits, digits.slice(0, 1)];
      const place = places.find((one) => Number(one) >= 1 && Number(one) <= groups.count);
      if (place === undefined) return unknown(`$${digits}`, groups);
      pieces.push(Number(place), digits.slice(place.length));
    } else if (name !== undefined) {
      const place = groups.names.get(name);
      if (place === undefined) return unknown(`$<${name}>`, groups);
      pieces.push(place);
    } else pieces.push(written === "$$" ? "$" : 0);
  }
  pieces.push(text.slice(end));
  return { kind: "replacement", pieces: pieces.filter((piece) => piece !== "") };
}

function unknown(reference: string, { count, names }: PatternGroups): ParsedReplacement {
  const named = [...names.keys()].map((name) => `$<${name}>`);
  const known = [...Array.from({ length: Math.min(count, 9) }, (_, at) => `$${at + 1}`), ...named];
  const those =
    known.length === 0
      ? "the pattern has no groups; put what is meant in parentheses there"
      : `the pattern has ${known.join(", ")}`;
  return {
    kind: "problem",
    message: `has ${reference}, and ${those}, or write $${reference} for the text itself`,
  };
}
