import { describeThrown } from "../model/errors.ts";
import {
  contentOf,
  type LoadEvent,
  type MappedRow,
  type Method,
  methods,
  type Resource,
  resources,
} from "../model/event.ts";
import type { FileProblem } from "../model/file-problem.ts";
import { keyFailureWords, type OnKeyFailure } from "../model/outcome.ts";
import { cutTo, quote, type Row, type RowProblem } from "../model/row.ts";
import { suggest } from "../model/suggest.ts";
import { createColumns, isBlank } from "./columns.ts";
import type { CompileResult } from "./compile-mapping.ts";
import { cellsOfKeyIn, orderingKeyOf } from "./compile-ordering-key.ts";
import { eventId } from "./event-id.ts";
import type { NamedInput } from "./mapped-event.ts";

export function compileModule(
  { map, orderingColumns, onKeyFailure }: MappingModule,
  columns: readonly string[],
  input: NamedInput,
): CompileResult {
  const known = createColumns(columns);
  const { find } = known;
  const problems: FileProblem[] = [];
  // The function would get one of them, and nobody would notice.
  for (const name of new Set(columns.filter((one, at) => columns.indexOf(one) < at))) {
    const found = find(name);
    if (found.kind === "problem" && !isBlank(name))
      problems.push({ path: "", message: found.message });
  }
  const orderIndexes = orderingColumns.flatMap((name, at) => {
    const found = find(name);
    if (found.kind === "found") return [found.index];
    problems.push({ path: `ordering_key.${at}`, message: found.message });
    return [];
  });
  if (problems.length > 0) return { kind: "invalid", problems };

  const mapCells = (row: Row): MappedRow => {
    if (row.problem !== undefined) return { kind: "invalid", problems: [row.problem] };
    const events = makeEvents(map, row, columns, input);
    if (typeof events === "string") return { kind: "invalid", problems: [problemOf(events)] };
    if (events.length === 0) {
      const message = "the mapping's function gives no event for it";
      return { kind: "skipped", code: "condition", message };
    }
    return { kind: "events", events };
  };
  const keyOf = (cells: readonly string[]): string | undefined => {
    const key = orderIndexes.map((index) => cells[index] ?? "");
    return orderingKeyOf(key);
  };
  const mapRow = (row: Row): MappedRow => {
    const orderingKey = keyOf(row.cells);
    return orderingKey === undefined ? mapCells(row) : { ...mapCells(row), orderingKey };
  };
  const cellsOfKey = cellsOfKeyIn(columns, orderingColumns, known);
  return { kind: "compiled", mapRow, keyOf, onKeyFailure, cellsOfKey, explain: undefined };
}

/** Whatever the function or a getter of its result throws is the row's problem. A text says what is wrong. */
function makeEvents(
  map: MappingModule["map"],
  row: Row,
  columns: readonly string[],
  input: NamedInput,
): readonly LoadEvent[] | string {
  const cells: Record<string, string> = Object.create(null);
  columns.forEach((name, at) => {
    cells[name] = row.cells[at] ?? "";
  });
  try {
    const result = map(cells, { row: row.row, line: row.origin?.line ?? row.line });
    if (result === undefined) return "returned nothing: return null to leave the row out";
    const events: LoadEvent[] = [];
    for (const one of resultList(result)) {
      const event = toEvent(one, events.length + 1, row, input);
      if (typeof event === "string") return event;
      events.push(event);
    }
    return events;
  } catch (error) {
    return `failed: ${describeThrown(error)}`;
  }
}

function resultList(result: unknown): readonly unknown[] {
  if (result === null) return [];
  return Array.isArray(result) ? result : [result];
}

/** @returns the event, or what is wrong */
function toEvent(made: unknown, index: number, row: Row, input: NamedInput): LoadEvent | string {
  if (typeof made !== "object" || made === null) {
    return `returned ${made === null ? "null in a list" : `a ${typeof made}`}: return { resource, body }, a list of them, or null`;
  }
  const { resource, method = "POST", body } = made as Partial<Record<string, unknown>>;
  if (!resources.some((known) => known === resource)) {
    const given =
      typeof resource === "string"
        ? `the resource ${quote(resource)}`
        : "no resource that is a text";
    return `returned ${given}: use ${resources.join(" or ")}`;
  }
  if (!methods.some((known) => known === method)) {
    return `returned the method ${quote(String(method))}: use ${methods.join(", ")}, or none for POST`;
  }
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    return "returned no body that is an object";
  }
  const { event } = body as { readonly event?: unknown };
  if (typeof event !== "string" || isBlank(event)) {
    return "returned a body without event, the text that names the kind of event";
  }
  const data = JSON.stringify(body, onlyJson);
  const text = () => data;
  const to = { resource: resource as Resource, method: method as Method };
  const content = contentOf({ ...to, data: text });
  const id = eventId(row.origin?.input ?? input.id, row.row, index, content);
  return { id, index, name: event, ...to, data: text, body: text };
}

/** Refuses what JSON would drop or change; what refers to itself and is nested without end, JSON.stringify does. */
function onlyJson(this: Readonly<Record<string, unknown>>, key: string): unknown {
  // A date is text already in the argument of JSON.stringify.
  const value = this[key];
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      if (Number.isFinite(value)) return value;
      break;
    case "undefined":
      // A member that is undefined is left out.
      if (!Array.isArray(this)) return value;
      break;
    case "object":
      if (value === null || Array.isArray(value)) return value;
      if ([null, Object.prototype].includes(Object.getPrototypeOf(value))) return value;
  }
  throw new Error(`body has what JSON cannot hold: see ${cutTo(100, quote(key))}`);
}

function problemOf(what: string): RowProblem {
  return { code: "mapping_function", message: `the mapping's function ${what}` };
}

export interface MappingModule {
  /** Called with the cells by column name, and the numbers of row and line. */
  readonly map: (
    row: Readonly<Record<string, string>>,
    place: { readonly row: number; readonly line: number },
  ) => unknown;
  readonly orderingColumns: readonly string[];
  readonly onKeyFailure: OnKeyFailure;
}

export type ModuleResult =
  | { readonly kind: "loaded"; readonly module: MappingModule }
  | { readonly kind: "invalid"; readonly problems: readonly string[] };

const knownExports = ["default", "ordering_key", "version", "on_key_failure"];

export function loadModule(exported: Readonly<Record<string, unknown>>): ModuleResult {
  const {
    default: map,
    ordering_key: orderingColumns = [],
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
  if (!isTexts(orderingColumns))
    problems.push('ordering_key: needs a list of columns, such as ["Email"]');
  if (version !== 1) problems.push("version: use 1");
  const words = ["default", ...keyFailureWords];
  if (!words.some((word) => word === onKeyFailure)) {
    problems.push(`on_key_failure: use one of ${keyFailureWords.join(", ")}`);
  }
  if ("gone" in exported) {
    problems.push(
      "gone: only a mapping in YAML or JSON makes events for keys that are gone: write the mapping there, or remove this",
    );
  }
  for (const name of Object.keys(exported)) {
    const meant = knownExports.includes(name) ? undefined : suggest(name, knownExports);
    if (meant !== undefined) problems.push(`${quote(name)} is exported; did you mean ${meant}?`);
  }
  if (problems.length > 0 || !isTexts(orderingColumns)) return { kind: "invalid", problems };
  const module = { map, orderingColumns, onKeyFailure } as MappingModule;
  return { kind: "loaded", module };
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
