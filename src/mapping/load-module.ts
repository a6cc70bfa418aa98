import { keyFailureWords, type OnKeyFailure } from "../model/key-failure.ts";
import { quote } from "../model/row.ts";
import { suggest } from "../model/suggest.ts";

/** A mapping that is a function, with what it says beside it. */
export interface MappingModule {
  /** Called with the cells by column name, and the numbers of row and line. */
  readonly map: (
    row: Readonly<Record<string, string>>,
    place: { readonly row: number; readonly line: number },
  ) => unknown;
  readonly orderBy: readonly string[];
  readonly onKeyFailure: OnKeyFailure;
}

export type ModuleResult =
  | { readonly kind: "loaded"; readonly module: MappingModule }
  | { readonly kind: "invalid"; readonly problems: readonly string[] };

const known = ["default", "order_by", "version", "on_key_failure"];

/** Checks what a module of a mapping exports. */
export function loadModule(exported: Readonly<Record<string, unknown>>): ModuleResult {
  const {
    default: map,
    order_by: orderBy = [],
    version = 1,
    on_key_failure: onKeyFailure = "default",
  } = exported;
  const problems: string[] = [];
  if (typeof map !== "function") {
    problems.push("has no default export that is a function: write export default (row) => …");
  } else if (/^\[object (Async|Generator)/.test(Object.prototype.toString.call(map))) {
    problems.push(
      "its default export is an asynchronous function or a generator: write one that returns what it makes at once",
    );
  }
  if (!isTexts(orderBy)) problems.push('order_by: needs a list of columns, such as ["Email"]');
  if (version !== 1)
    problems.push(
      `version: ${isPlain(version) ? String(version) : "this"} is not known here; use 1`,
    );
  const words = ["default", ...keyFailureWords];
  if (!words.some((word) => word === onKeyFailure)) {
    problems.push(`on_key_failure: use one of ${keyFailureWords.join(", ")}`);
  } else if (onKeyFailure !== "default" && isTexts(orderBy) && orderBy.length === 0) {
    problems.push("on_key_failure: has no effect without order_by: add that, or remove this");
  }
  for (const name of Object.keys(exported)) {
    const meant = known.includes(name) ? undefined : suggest(name, known);
    if (meant !== undefined) problems.push(`${quote(name)} is exported; did you mean ${meant}?`);
  }
  if (problems.length > 0 || !isTexts(orderBy)) return { kind: "invalid", problems };
  const module = { map, orderBy, onKeyFailure } as MappingModule;
  return { kind: "loaded", module };
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

/** Whether it can be shown as text whatever it is. */
function isPlain(value: unknown): boolean {
  return typeof value !== "object" && typeof value !== "function";
}
