import type { MappingProblem } from "../model/mapping-problem.ts";

/** A problem of a configuration file: it has the form of a mapping's, but never an excerpt. */
export type ConfigProblem = Omit<MappingProblem, "excerpt">;

/** A place in the file, both from 1. */
export interface ConfigPlace {
  readonly line: number;
  readonly column: number;
}

/** A key and what stands under it. */
export interface ConfigEntry {
  readonly key: string;
  readonly keyAt: ConfigPlace;
  readonly value: ConfigValue;
  readonly valueAt: ConfigPlace;
}

/** What stands under a key: text as it is written, a list, further keys, nothing, or none of these. */
export type ConfigValue =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "list"; readonly items: readonly string[] }
  | { readonly kind: "map"; readonly entries: readonly ConfigEntry[] }
  | { readonly kind: "blank" }
  | { readonly kind: "nested" };

/** Keys and values in the order of the file, and what is wrong with its form. */
export interface ConfigText {
  readonly entries: readonly ConfigEntry[];
  readonly problems: readonly ConfigProblem[];
}
