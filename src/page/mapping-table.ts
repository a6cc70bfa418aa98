import {
  addItem,
  commentOutAt,
  flow,
  listAt,
  type Path,
  readText,
  removeAt,
  renameAt,
  setAt,
} from "./edit-yaml.ts";

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
  /** Names, and `…` for one with arguments. */
  readonly transforms: readonly string[];
  readonly values: Readonly<Record<string, string>> | undefined;
  readonly otherwise: string;
  readonly default: string;
  /** The columns that it reads in any way. */
  readonly columns: readonly string[];
}

/** Each edit returns the new text, or undefined where only a person can make it. */
type Edited = string | undefined;

/** The table of a text; undefined if that is no mapping of keys to values. */
export function readTable(text: string): MappingTable | undefined {
  const content = readText(text);
  if (!isObject(content)) return undefined;
  const { event, members, resource, ordering_key: _, input: __, ...others } = content;
  const first = readMember(event, ["event"], "");
  const columns = [...first.columns, ...columnsIn(others)];
  const named = Object.entries(isObject(members) ? members : {});
  const list = named.map(([name, spec]) => readMember(spec, ["members", name], name));
  return { resource: textOf(resource), members: [{ ...first, columns }, ...list] };
}

function readMember(given: unknown, path: Path, name: string): Member {
  const isLong = isObject(given);
  const spec = isLong ? given : { [name === "" ? "value" : "column"]: given };
  const { column, columns, template, meta, value, map, transform = [] } = spec;
  const isFixed = column === undefined && typeof value === "string";
  return {
    ...{ path, name, isLong },
    source: column !== undefined ? "column" : isFixed ? "value" : "other",
    from: textOf(column ?? template ?? columns ?? meta ?? value),
    type: textOf(spec.type) || "string",
    format: textOf(spec.format),
    isRequired: spec.required === "true",
    transforms: [transform].flat().map((step) => (typeof step === "string" ? step : "…")),
    values: isObject(map)
      ? Object.fromEntries(Object.entries(map).map(([code, to]) => [code, textOf(to)]))
      : undefined,
    otherwise: textOf(spec.otherwise),
    default: textOf(spec.default),
    columns: columnsIn(spec),
  };
}

/** The columns that a part of a mapping names, also in conditions and templates. */
function columnsIn(spec: unknown): string[] {
  if (Array.isArray(spec)) return spec.flatMap(columnsIn);
  if (!isObject(spec)) return [];
  const { column, columns, template, map: _, lookup: __, ...others } = spec;
  const inserted = textOf(template).matchAll(/(?<!\{)\{([^{}|]+)/g);
  return [
    ...[column, columns].flat().flatMap((name) => (name === undefined ? [] : textOf(name))),
    ...[...inserted].map(([, name = ""]) => name),
    ...Object.values(others).flatMap(columnsIn),
  ];
}

/** Sets a key of a member, or removes it; one in its short form gets its long one. */
export function setMemberKey(text: string, member: Member, key: string, value: unknown): Edited {
  const { path, isLong, source, from } = member;
  if (value === undefined) return isLong ? (removeAt(text, [...path, key]) ?? text) : text;
  if (isLong) return setAt(text, [...path, key], value);
  return setAt(text, path, { [source]: from, [key]: value });
}

/** Takes the value of a member from a column, or from nowhere: then it is the same for every row. */
export function setSource(
  text: string,
  member: Member,
  source: "column" | "value",
  from: string,
): Edited {
  const { path, name, isLong, source: before } = member;
  if (isLong && before === source) return setAt(text, [...path, source], from);
  const isShort = source === (name === "" ? "value" : "column");
  return setAt(text, path, isShort ? from : { [source]: from });
}

/** What has a meaning for some types only. */
const keysOfTypes = [
  ...[
    "format",
    "timezone",
    "pivot_year",
    "decimal_separator",
    "thousands_separator",
    "scale",
    "as",
  ],
  ...["true_values", "false_values", "pattern", "min", "max", "min_length", "max_length", "enum"],
  ...["separator", "items"],
];

/**
 * Gives a member another type. What was said for the former type goes; what `init` found of the cells comes.
 *
 * @param found the member that `init` proposed for the column
 */
export function setType(
  text: string,
  member: Member,
  type: string,
  found: Readonly<Record<string, unknown>>,
): Edited {
  const ofType = found.type === type ? found : type === "list" ? { separator: ";" } : {};
  const ofMap = member.values === undefined ? [] : ["map", "otherwise"];
  const keys = [
    ...[...keysOfTypes, ...ofMap].map((key) => [key, undefined] as const),
    ["type", type === "string" ? undefined : type] as const,
    ...Object.entries(ofType).filter(([key]) => keysOfTypes.includes(key)),
  ];
  let now: Member | undefined = member;
  return keys.reduce<Edited>((edited, [key, value]) => {
    const next = edited && now && setMemberKey(edited, now, key, value);
    if (next !== undefined && next !== edited) now = { ...member, isLong: true };
    return next;
  }, text);
}

/** Says what a code becomes; undefined: nothing any more. */
export function setCode(
  text: string,
  member: Member,
  code: string,
  becomes: string | undefined,
): Edited {
  const { [code]: _, ...others } = member.values ?? {};
  const path = [...member.path, "map", code];
  if (becomes !== undefined) {
    if (member.values !== undefined) return setAt(text, path, becomes);
    const plain = setType(text, member, "string", {});
    return plain && setMemberKey(plain, member, "map", { [code]: becomes });
  }
  if (Object.keys(others).length > 0) return removeAt(text, path);
  const rest = setMemberKey(text, member, "otherwise", undefined);
  return rest && setMemberKey(rest, member, "map", undefined);
}

export function addMember(text: string, name: string, spec: unknown): Edited {
  return setAt(text, ["members", name], spec);
}

/** Makes a comment of a member; in braces, where it has no line of its own, it goes. */
export function leaveOut(text: string, { path }: Member): Edited {
  return commentOutAt(text, path) ?? removeAt(text, path);
}

export function rename(text: string, { path }: Member, name: string): Edited {
  return renameAt(text, path, name);
}

/** Counts a cell as blank, wherever it stands. */
export function countAsBlank(text: string, cell: string): Edited {
  return addItem(text, ["null_values"], cell) ?? setNew(text, "null_values", [cell]);
}

/** Leaves out the rows in which a column has a cell, beside those that a condition leaves out already. */
export function leaveRowsOut(text: string, column: string, cell: string): Edited {
  const { when } = Object(readText(text)) as { when?: Record<string, unknown> };
  const condition = { column, not_in: [cell] };
  if (!isObject(when)) return setNew(text, "when", condition);
  const parts = Array.isArray(when.all) ? when.all : [when];
  const at = parts.findIndex((part) => isObject(part) && part.column === column && part.not_in);
  const place = parts === when.all ? ["when", "all", at] : ["when"];
  if (at >= 0) return addItem(text, [...place, "not_in"], cell);
  if (parts === when.all) return addItem(text, ["when", "all"], condition);
  return listAt(text, ["when"], "all", condition);
}

/** Sets a key that the whole mapping does not have yet, before the members and what is said of them above. */
function setNew(text: string, key: string, value: unknown): Edited {
  if (Object.hasOwn(Object(readText(text)), key)) return undefined;
  const lines = text.split("\n");
  let at = lines.findIndex((line) => /^(?:members|events):/.test(line));
  if (at < 0) return setAt(text, [key], value);
  while (lines[at - 1]?.startsWith("#")) at--;
  return lines.toSpliced(at, 0, `${key}: ${flow(value)}`).join("\n");
}

/** Which members differ between two texts. */
export function describeChanges(before: string, after: string): string {
  const membersOf = (text: string) =>
    new Map(
      readTable(text)?.members.map(({ columns: _, ...member }) => [
        member.name || "event",
        JSON.stringify(member),
      ]),
    );
  const [old, now] = [membersOf(before), membersOf(after)];
  const names = [...new Set([...old.keys(), ...now.keys()])];
  const differ = names.filter((name) => old.get(name) !== now.get(name));
  const left = differ.map((name) => (now.has(name) ? name : `${name} (left out)`));
  return left.join(", ") || "other keys or comments";
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
