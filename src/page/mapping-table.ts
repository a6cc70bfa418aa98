import { isRecord } from "../model/yaml-document.ts";
import { type Path, readText } from "./edit-yaml.ts";

/** The members of a mapping as a table: a view of its text, and the edits of the text that a table offers. */
export interface MappingTable {
  readonly resource: string;
  /** The event itself; undefined where a row gives several, of which only the text says more. */
  readonly event: Member | undefined;
  readonly members: readonly Member[];
  /** The cells that count as blank in every column. */
  readonly nullValues: readonly string[];
  /** What a blank cell becomes, where its member does not say. */
  readonly empty: string;
  /** Columns that conditions and the ordering key read, or other events. */
  readonly columnsElsewhere: readonly string[];
}

export interface Member {
  readonly path: Path;
  readonly name: string;
  /** Whether it stands as an object, and not as a column or a text alone. */
  readonly isLong: boolean;
  /** Where its value comes from. Of `other` only the text can change anything. */
  readonly source: "column" | "value" | "other";
  /** The column, the fixed value, or what else stands there. */
  readonly from: string;
  readonly kind: Kind;
  /** As an object; every scalar in it is a text. */
  readonly spec: Keys;
  /** The columns that it reads in any way. */
  readonly columns: readonly string[];
}

/** Keys of a member with their values. In a change, those that are undefined are removed. */
export type Keys = Readonly<Record<string, unknown>>;

/** What a column can become. `other` is what only the text can say. */
export const kindNames = [
  ...(["text", "email", "url", "integer", "number", "decimal", "date", "datetime"] as const),
  ...(["boolean", "choice", "list", "json"] as const),
];
export type Kind = (typeof kindNames)[number] | "other";

/** The table of a text; undefined if that is no mapping of keys to values. */
export function readTable(text: string): MappingTable | undefined {
  const content = readText(text);
  if (!isRecord(content)) return undefined;
  const { event, members, resource, null_values: nulls = [], empty, input: _, ...others } = content;
  const named = Object.entries(isRecord(members) ? members : {});
  const first = event === undefined ? undefined : readMember(event, ["event"], "");
  return {
    resource: textOf(resource),
    event: first,
    members: named.map(([name, spec]) => readMember(spec, ["members", name], name)),
    empty: textOf(empty) || "omit",
    nullValues: [nulls].flat().map(textOf),
    columnsElsewhere: [...(first?.columns ?? []), ...columnsIn(others)],
  };
}

function readMember(given: unknown, path: Path, name: string): Member {
  const isLong = isRecord(given);
  const spec = isLong ? given : { [name === "" ? "value" : "column"]: given };
  const { column, columns, template, meta, value } = spec;
  const isFixed = column === undefined && typeof value === "string";
  return {
    path,
    name,
    isLong,
    source: column !== undefined ? "column" : isFixed ? "value" : "other",
    from: textOf(column ?? template ?? columns ?? meta ?? value),
    kind: kindOf(spec),
    spec,
    columns: columnsIn(spec),
  };
}

function kindOf({ type = "string", format, map, lookup }: Keys): Kind {
  if (lookup !== undefined) return "other";
  if (map !== undefined) return isRecord(map) ? "choice" : "other";
  const kind = type === "string" ? (format ?? "text") : type;
  return kindNames.find((name) => name === kind) ?? "other";
}

/** The columns that a part of a mapping names, also in conditions and templates. */
function columnsIn(spec: unknown): string[] {
  if (Array.isArray(spec)) return spec.flatMap(columnsIn);
  if (!isRecord(spec)) return [];
  const { column, columns, template, map: _, lookup: __, ordering_key: key = [], ...others } = spec;
  const inserted = textOf(template).matchAll(/(?<!\{)\{([^{}|]+)/g);
  // Members of several events, or of a gone key, and columns of the ordering key.
  const members = Object.values(Object(others.members));
  const short = [...members, ...[key].flat()].filter((one) => typeof one === "string");
  return [
    ...[column, columns, short].flat().flatMap((name) => (name === undefined ? [] : textOf(name))),
    ...[...inserted].map(([, name = ""]) => name),
    ...columnsIn(key),
    ...Object.values(others).flatMap(columnsIn),
  ];
}

/** Gives a member the keys of another kind, without what was said for the former. */
export function keysOfKind(kind: Kind, keys: Keys, ofTypes: readonly string[]): Keys {
  const former = [...ofTypes, "map", "otherwise", "default"].map((key) => [key, undefined]);
  const isFormat = kind === "email" || kind === "url";
  const isType = !isFormat && kind !== "text" && kind !== "choice";
  return {
    ...Object.fromEntries(former),
    ...(isFormat ? { format: kind } : {}),
    ...(isType ? { type: kind } : {}),
    ...keys,
  };
}

/** The steps that change the text of a member's cell, in their order. */
export function stepsOf({ spec }: Pick<Member, "spec">): readonly unknown[] {
  const steps: unknown[] = [spec.transform ?? []].flat();
  // Of all that stands in a step, these are numbers.
  const typed = (key: string, value: unknown) =>
    key === "length" || key === "item" ? Number(value) : value;
  return steps.map((step) => JSON.parse(JSON.stringify(step), typed));
}

/** The keys that give a member these steps. */
export function keysOfSteps(steps: readonly unknown[]): Keys {
  return { transform: steps.length > 1 ? steps : steps[0] };
}

/** A step that makes these cells of one column blank, in upper or lower case. */
export function blankStep(cells: readonly string[]) {
  const patterns = cells.map((cell) => cell.trim().replaceAll(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"));
  return { replace: { pattern: `(?i)^\\s*(?:${patterns.join("|")})\\s*$`, with: "" } };
}

/** The cells that a step makes blank, in lower case; none if it does anything else. */
export function blankedBy(step: unknown): readonly string[] {
  const { pattern = "", with: becomes } = Object(Object(step).replace);
  const [, cells] = /^\(\?i\)\^\\s\*\(\?:(.+)\)\\s\*\$$/s.exec(String(pattern)) ?? [];
  if (becomes !== "" || cells === undefined) return [];
  const plain = (cell: string) => cell.replaceAll(/\\(.)/g, "$1").toLowerCase();
  return cells.split(/(?<!\\)\|/).map(plain);
}

export function textOf(value: unknown = ""): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
