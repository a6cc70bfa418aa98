import { isRecord } from "../model/yaml-document.ts";
import { addItem, type Edited, type Path, readText, setAt } from "./edit-yaml.ts";

/** The members of a mapping as a table: a view of its text, and the edits of the text that a table offers. */
export interface MappingTable {
  readonly resource: string;
  /** First the event itself, whose name is blank. Of several events for a row only the text says more. */
  readonly members: readonly Member[];
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
  readonly type: string;
  readonly format: string;
  readonly isRequired: boolean;
  /** Names, and with `…` of those with arguments. */
  readonly transforms: readonly string[];
  readonly values: Readonly<Record<string, string>> | undefined;
  readonly otherwise: string;
  readonly default: string;
  /** The columns that it reads in any way. */
  readonly columns: readonly string[];
}

/** The table of a text; undefined if that is no mapping of keys to values. */
export function readTable(text: string): MappingTable | undefined {
  const content = readText(text);
  if (!isRecord(content)) return undefined;
  const { event, members, resource, ordering_key: _, input: __, ...others } = content;
  const first = readMember(event, ["event"], "");
  const columns = [...first.columns, ...columnsIn(others)];
  const named = Object.entries(isRecord(members) ? members : {});
  const list = named.map(([name, spec]) => readMember(spec, ["members", name], name));
  return { resource: textOf(resource), members: [{ ...first, columns }, ...list] };
}

function readMember(given: unknown, path: Path, name: string): Member {
  const isLong = isRecord(given);
  const spec = isLong ? given : { [name === "" ? "value" : "column"]: given };
  const { column, columns, template, meta, value, map, transform = [] } = spec;
  const isFixed = column === undefined && typeof value === "string";
  return {
    path,
    name,
    isLong,
    source: column !== undefined ? "column" : isFixed ? "value" : "other",
    from: textOf(column ?? template ?? columns ?? meta ?? value),
    type: textOf(spec.type) || "string",
    format: textOf(spec.format),
    isRequired: spec.required === "true",
    transforms: [transform]
      .flat()
      .map((step) => (isRecord(step) ? `${Object.keys(step)}…` : String(step))),
    values: isRecord(map)
      ? withoutPrototype(Object.entries(map).map(([code, to]) => [code, textOf(to)]))
      : undefined,
    otherwise: textOf(spec.otherwise),
    default: textOf(spec.default),
    columns: columnsIn(spec),
  };
}

/** In which a cell called `constructor` finds nothing. */
function withoutPrototype(entries: readonly [string, string][]): Readonly<Record<string, string>> {
  return Object.setPrototypeOf(Object.fromEntries(entries), null);
}

/** The columns that a part of a mapping names, also in conditions and templates. */
function columnsIn(spec: unknown): string[] {
  if (Array.isArray(spec)) return spec.flatMap(columnsIn);
  if (!isRecord(spec)) return [];
  const { column, columns, template, map: _, lookup: __, ...others } = spec;
  const inserted = textOf(template).matchAll(/(?<!\{)\{([^{}|]+)/g);
  // Members of several events, or of a gone key.
  const short = Object.values(Object(others.members)).filter((one) => typeof one === "string");
  return [
    ...[column, columns, short].flat().flatMap((name) => (name === undefined ? [] : textOf(name))),
    ...[...inserted].map(([, name = ""]) => name),
    ...Object.values(others).flatMap(columnsIn),
  ];
}

/** Sets keys of a member, or removes them; one in its short form gets its long one. */
export function setKeys(
  text: string,
  { path, isLong, source, from }: Member,
  values: Readonly<Record<string, unknown>>,
): Edited {
  if (!isLong && Object.values(values).every((value) => value === undefined)) return text;
  return Object.entries(values).reduce<Edited>(
    (edited, [key, value]) => edited && setAt(edited, [...path, key], value),
    isLong ? text : setAt(text, path, { [source]: from }),
  );
}

/** Takes the value of a member from a column, or from nowhere: then it is the same for every row. */
export function setSource(
  text: string,
  { path, name, isLong, source: before }: Member,
  source: "column" | "value",
  from: string,
): Edited {
  if (isLong && before === source) return setAt(text, [...path, source], from);
  const isShort = source === (name === "" ? "value" : "column");
  return setAt(text, path, isShort ? from : { [source]: from });
}

/** Gives a member another type, without what was said for the former: `ofTypes` are the keys for some types only. */
export function setType(text: string, member: Member, type: string, ofTypes: Keys): Edited {
  const separator = type === "list" ? ";" : undefined;
  const keys = { type: type === "string" ? undefined : type, separator };
  return setKeys(text, member, { ...without(ofTypes), ...without(["map", "otherwise"]), ...keys });
}

/** Says what a code of a text becomes; undefined: nothing any more. */
export function setCode(
  text: string,
  member: Member,
  code: string,
  becomes: string | undefined,
  ofTypes: Keys,
): Edited {
  const { values = {}, path } = member;
  if (becomes === undefined && Object.keys(values).every((one) => one === code))
    return setKeys(text, member, without(["map", "otherwise"]));
  if (member.values !== undefined) return setAt(text, [...path, "map", code], becomes);
  return setKeys(text, member, { ...without(ofTypes), map: { [code]: becomes } });
}

type Keys = readonly string[];

function without(keys: Keys) {
  return Object.fromEntries(keys.map((key) => [key, undefined]));
}

/** Counts a cell as blank, wherever it stands. */
export function countAsBlank(text: string, cell: string): Edited {
  const isThere = Object.hasOwn(Object(readText(text)), "null_values");
  return isThere ? addItem(text, ["null_values"], cell) : setAt(text, ["null_values"], [cell]);
}

/** Leaves out the rows in which a column has a cell, beside those that a list of conditions leaves out already. */
export function leaveRowsOut(text: string, column: string, cell: string): Edited {
  const isThere = Object.hasOwn(Object(readText(text)), "when");
  const condition = { column, not_in: [cell] };
  if (isThere) return addItem(text, ["when", "all"], condition);
  return setAt(text, ["when"], { all: [condition] });
}

function textOf(value: unknown = ""): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
