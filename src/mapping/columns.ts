import { escaped, normalized } from "../model/escape-text.ts";
import type { Step } from "../model/event.ts";
import { listed } from "../model/quantities.ts";
import { quote } from "../model/row.ts";
import { suggest } from "../model/suggest.ts";

export type ColumnLookup =
  | { readonly kind: "found"; readonly index: number }
  | { readonly kind: "problem"; readonly message: string };

export interface Columns {
  /** A name that the input does not have, or has twice, is a problem. */
  find(name: string): ColumnLookup;
  /** Of a name that the input has once; -1 for others, with which nothing is mapped. */
  indexOf(name: string): number;
  /** The text; blank if it is one of the mapping's null values, or of those that clear. */
  unlessNull(text: string): string;
  /** Whether a cell says that what the service has is to be removed; undefined if none can. */
  readonly isClear: ((cell: string) => boolean) | undefined;
  /** A column's cell, where a null value counts as blank. */
  cell(index: number): Cell;
}

export interface Cell {
  read(cells: readonly string[]): string;
  /** What the file has there, and what that counts as if it is something else. */
  told(cells: readonly string[]): readonly Step[];
}

interface NoValues {
  readonly nullValues: readonly string[];
  /** Texts that clear a member, and count as blank wherever else they stand. */
  readonly clearValues: readonly string[];
}

export function createColumns(
  names: readonly string[],
  { nullValues, clearValues }: NoValues = { nullValues: [], clearValues: [] },
): Columns {
  const isNull = isOneOf([...nullValues, ...clearValues]);
  const unlessNull: Columns["unlessNull"] = (text) => (isNull(text) ? "" : text);
  const readerOf: (index: number) => Cell["read"] =
    nullValues.length + clearValues.length === 0
      ? (index) => (cells) => cells[index] ?? ""
      : (index) => (cells) => unlessNull(cells[index] ?? "");
  const find = createFinder("the input", names);
  return {
    find,
    indexOf(name) {
      const found = find(name);
      return found.kind === "found" ? found.index : -1;
    },
    unlessNull,
    isClear: clearValues.length === 0 ? undefined : isOneOf(clearValues),
    cell(index) {
      const read = readerOf(index);
      return {
        read,
        told(cells) {
          const [cell, counted] = [cells[index] ?? "", read(cells)];
          const step = { by: "column", of: names[index] ?? "", gives: cell };
          return cell === counted ? [step] : [step, { by: "null_values", gives: counted }];
        },
      };
    },
  };
}

function isOneOf(values: readonly string[]): (text: string) => boolean {
  const known = new Set(values.map((value) => value.trim()).filter((value) => value !== ""));
  return (text) => known.has(trimmed(text));
}

/** @param owner the input or the file, for messages */
export function createFinder(
  owner: string,
  names: readonly string[],
): (name: string) => ColumnLookup {
  const places = new Map<string, number[]>();
  names.forEach((name, index) => {
    const known = places.get(name);
    if (known === undefined) places.set(name, [index]);
    else known.push(index);
  });
  return (name) => {
    const found = places.get(name) ?? [];
    const [first] = found;
    if (first !== undefined && found.length === 1) return { kind: "found", index: first };
    // Most that ask only want to know whether it is there.
    return {
      kind: "problem",
      get message() {
        return whyNotFound(name, found);
      },
    };
  };

  function whyNotFound(name: string, found: readonly number[]): string {
    if (found.length > 1) {
      const where = listed(found, 5, (index) => String(index + 1));
      return `${owner} has ${found.length} columns ${quote(name)} (${where}): give each a name of its own`;
    }
    const meant = suggest(name, names);
    if (meant !== undefined) {
      const [given, likely] = quoteBoth(name, meant);
      return `${owner} has no column ${given}; did you mean ${likely}?`;
    }
    return `${owner} has no column ${quote(name)}; it has ${listed(names, 12, quote)}`;
  }
}

/** Both names, with invisible characters escaped, so that they never look the same. */
function quoteBoth(given: string, meant: string): readonly [given: string, meant: string] {
  const isSame = normalized(given, "NFC") === normalized(meant, "NFC");
  const hidden = isSame ? /[^\S ]|\p{M}/gu : /[^\S ]/gu;
  const shown = (name: string) => quote(name).replaceAll(hidden, escaped);
  return [shown(given), shown(meant)];
}

export function isBlank(text: string): boolean {
  // Nearly every text that is not blank begins with a letter or a digit.
  const first = text.charCodeAt(0);
  if (first > 0x20 && first < 0x7f) return false;
  return text.trim() === "";
}

/** The text without white space around it. Few have any, and checking is faster than trimming. */
export function trimmed(text: string): string {
  const first = text.charCodeAt(0);
  const last = text.charCodeAt(text.length - 1);
  return first > 0x20 && first < 0x7f && last > 0x20 && last < 0x7f ? text : text.trim();
}
