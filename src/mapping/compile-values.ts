import { quote } from "../model/row.ts";

/** The `values` of a mapping. */
export interface CompiledValues<Value> {
  /** What a text becomes. Space around it says nothing, as in conditions and lookups. */
  find(text: string): Value | undefined;
  /** What is wrong with a cell that is not among them. */
  readonly notAmong: string;
}

const mostShown = 10;

export function compileValues<Value>(
  values: Readonly<Record<string, Value>>,
): CompiledValues<Value> {
  const byText = new Map(Object.entries(values).map(([text, value]) => [text.trim(), value]));
  const shown = [...byText.keys()].slice(0, mostShown).map(quote).join(", ");
  const more = byText.size > mostShown ? ", …" : "";
  return {
    find(text) {
      const value = byText.get(text);
      return value === undefined ? byText.get(text.trim()) : value;
    },
    notAmong: `is not among the mapping's values (${shown}${more})`,
  };
}
