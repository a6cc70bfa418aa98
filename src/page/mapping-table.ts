import {
  commentOutAt,
  flow,
  type Path,
  readText,
  removeAt,
  renameAt,
  setAt,
  wrapAt,
} from "./edit-yaml.ts";

/** The members of a mapping as a table: a view of its text, and the edits of the text that a table offers. */
export interface MappingTable {
  /** What makes an event for a row, or for a gone key. */
  readonly blocks: readonly Block[];
  /** The resource of blocks that name none. */
  readonly resource: string;
  /** The column of the ordering key, if it is one; `…` where it is more. */
  readonly orderingKey: string;
}

export interface Block {
  readonly path: Path;
  /** First the event itself, whose name is blank. */
  readonly members: readonly Member[];
}

/** Where a member's value comes from. Of `other` only the text can change anything. */
type Source = "column" | "value" | "other";

export interface Member {
  readonly path: Path;
  readonly name: string;
  readonly source: Source;
  /** The column, the fixed value, or what else stands there. */
  readonly from: string;
  readonly type: string;
  readonly format: string;
  readonly isRequired: boolean;
  /** Names, and `…` for one with arguments. */
  readonly transforms: readonly string[];
  readonly values: Readonly<Record<string, string>> | undefined;
  readonly otherwise: string | undefined;
  readonly default: string | undefined;
  /** The columns that it reads in any way. */
  readonly columns: readonly string[];
}

/** The table of a text; undefined if that is no mapping of keys to values. */
export function readTable(text: string): MappingTable | undefined {
  let content: unknown;
  try {
    content = readText(text);
  } catch {
    return undefined; // its aliases stand for too much
  }
  if (!isObject(content)) return undefined;
  const { events, gone } = content;
  const blocks: Block[] = Array.isArray(events)
    ? events.flatMap((block, at) => (isObject(block) ? [readBlock(block, ["events", at])] : []))
    : [readBlock(content, [])];
  const ofGone = isObject(gone) ? [readBlock(gone, ["gone"])] : [];
  const key = Array.isArray(content.ordering_key) ? content.ordering_key : [];
  const [part] = key;
  const column = isObject(part) ? part.column : part;
  return {
    blocks: [...blocks, ...ofGone],
    resource: textOf(content.resource),
    orderingKey: key.length > 1 ? "…" : textOf(column),
  };
}

function readBlock(block: Record<string, unknown>, path: Path): Block {
  const members = isObject(block.members) ? block.members : {};
  return {
    path,
    members: [
      readMember(block.event, [...path, "event"], ""),
      ...Object.entries(members).map(([name, given]) =>
        readMember(given, [...path, "members", name], name),
      ),
    ],
  };
}

function readMember(given: unknown, path: Path, name: string): Member {
  const short = name === "" ? { value: given } : { column: given };
  const spec: Record<string, unknown> = isObject(given) ? given : short;
  const { column, value, map, transform = [], otherwise } = spec;
  const source = column !== undefined ? "column" : typeof value === "string" ? "value" : "other";
  const { template, columns, meta } = spec;
  const other = template ?? columns ?? meta ?? value;
  return {
    ...{ path, name, source },
    from: source === "column" ? textOf(column) : textOf(other),
    type: textOf(spec.type) || "string",
    format: textOf(spec.format),
    isRequired: spec.required === "true",
    transforms: [transform].flat().map((step) => (typeof step === "string" ? step : "…")),
    values: isObject(map)
      ? Object.fromEntries(Object.entries(map).map(([code, to]) => [code, textOf(to)]))
      : undefined,
    otherwise: otherwise === undefined ? undefined : textOf(otherwise),
    default: spec.default === undefined ? undefined : textOf(spec.default),
    columns: [...new Set(columnsIn(spec))],
  };
}

/** The columns that a part of a mapping names, also in conditions and templates. */
function columnsIn(spec: unknown): string[] {
  if (Array.isArray(spec)) return spec.flatMap(columnsIn);
  if (!isObject(spec)) return [];
  return Object.entries(spec).flatMap(([key, value]) => {
    if (key === "column") return [textOf(value)];
    if (key === "columns" && Array.isArray(value)) return value.map(textOf);
    if (key !== "template") return ["map", "lookup"].includes(key) ? [] : columnsIn(value);
    const inserted = textOf(value).matchAll(/(?<!\{)\{([^{}|]+)/g);
    return [...inserted].map(([, name = ""]) => name);
  });
}

/** Sets a key of a member, or removes it; one in its short form gets its long one. */
export function setMemberKey(
  text: string,
  member: Member,
  key: string,
  value: unknown,
): string | undefined {
  const { path, source, from } = member;
  const isLong = isObject(valueAt(readText(text), path));
  if (value === undefined) return isLong ? (removeAt(text, [...path, key]) ?? text) : text;
  if (isLong) return setAt(text, [...path, key], value);
  return setAt(text, path, { ...(from === "" ? {} : { [source]: from }), [key]: value });
}

/** Takes the value of a member from a column, or from nowhere: then it is the same for every row. */
export function setSource(
  text: string,
  member: Member,
  source: "column" | "value",
  from: string,
): string | undefined {
  const { path, name, source: before } = member;
  const isLong = isObject(valueAt(readText(text), path));
  // A fixed value has nothing beside it.
  if (source === "value") return setAt(text, path, name === "" ? from : { value: from });
  if (before !== "column") return setAt(text, path, name === "" ? { column: from } : from);
  return setAt(text, isLong ? [...path, "column"] : path, from);
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
): string | undefined {
  const ofType = found.type === type ? found : type === "list" ? { separator: ";" } : {};
  let edited: string | undefined = text;
  const isMapped = type !== "string" && member.values !== undefined;
  const unfit = isMapped ? [...keysOfTypes, "map", "otherwise"] : keysOfTypes;
  for (const key of unfit) {
    edited = edited && setMemberKey(edited, member, key, undefined);
  }
  edited = edited && setMemberKey(edited, member, "type", type === "string" ? undefined : type);
  for (const [key, value] of Object.entries(ofType)) {
    if (keysOfTypes.includes(key)) edited = edited && setMemberKey(edited, member, key, value);
  }
  return edited;
}

/** Says what a code becomes; undefined: nothing any more. */
export function setCode(
  text: string,
  member: Member,
  code: string,
  becomes: string | undefined,
): string | undefined {
  const known = { ...member.values };
  if (becomes !== undefined && member.values !== undefined) {
    return setAt(text, [...member.path, "map", code], becomes);
  }
  if (becomes !== undefined) {
    const isOfText = setType(text, member, "string", {});
    return (
      isOfText && setMemberKey(isOfText, { ...member, type: "string" }, "map", { [code]: becomes })
    );
  }
  delete known[code];
  if (Object.keys(known).length > 0) return removeAt(text, [...member.path, "map", code]);
  const rest = setMemberKey(text, member, "otherwise", undefined);
  return rest && setMemberKey(rest, member, "map", undefined);
}

/** Adds a member to a block: it takes up the line that was made a comment, if there is one. */
export function addMember(
  text: string,
  block: Block,
  name: string,
  spec: unknown,
): string | undefined {
  const edited = setAt(text, [...block.path, "members", name], spec);
  if (block.path.length > 0) return edited;
  const lines = text.split("\n");
  const at = lines.findIndex((line) => {
    const [, said] = /^ +# (.*)$/.exec(line) ?? [];
    const pair = said === undefined ? undefined : readQuietly(said);
    return isObject(pair) && Object.keys(pair).join() === name && readTable(text) !== undefined;
  });
  const isOfMembers = at > lines.findIndex((line) => line.startsWith("members:"));
  if (at < 0 || !isOfMembers) return edited;
  const back = lines.with(at, lines[at]?.replace(/^( +)# /, "$1") ?? "").join("\n");
  const filled = back.replace(/^members: \{\}/m, "members:");
  const isThere = readTable(filled)?.blocks[0]?.members.some((member) => member.name === name);
  return isThere ? filled : edited;
}

export function leaveOut(text: string, member: Member): string | undefined {
  return commentOutAt(text, member.path) ?? removeAt(text, member.path);
}

export const rename = (text: string, member: Member, name: string): string | undefined =>
  renameAt(text, member.path, name);

/** Counts a cell as blank, wherever it stands. */
export function countAsBlank(text: string, cell: string): string | undefined {
  const content = readText(text);
  const known = isObject(content) && Array.isArray(content.null_values) ? content.null_values : [];
  return known.includes(cell) ? text : setTop(text, "null_values", [...known, cell]);
}

/** Leaves out the rows in which a column has a cell. */
export function leaveRowsOut(text: string, column: string, cell: string): string | undefined {
  const content = readText(text);
  const when = isObject(content) ? content.when : undefined;
  const added = { column, not_in: [cell] };
  if (!isObject(when)) return setTop(text, "when", added);
  if (when.column === column && Array.isArray(when.not_in)) {
    return setAt(text, ["when", "not_in"], [...when.not_in, cell]);
  }
  // What stands there already is moved as it is written.
  return wrapAt(text, ["when"], "{ all: [", `, ${flow(added)}] }`);
}

/** Sets a key of the whole mapping; a new one comes before the members. */
export function setTop(text: string, key: string, value: unknown): string | undefined {
  const content = readText(text);
  if (!isObject(content) || Object.hasOwn(content, key)) return setAt(text, [key], value);
  const at = /^(?:members|events):/m.exec(text)?.index;
  if (at === undefined) return setAt(text, [key], value);
  return `${text.slice(0, at)}${key}: ${flow(value)}\n${text.slice(at)}`;
}

/** What differs between two texts, for people. */
export function describeChanges(before: string, after: string): string {
  const [old, now] = [membersOf(before), membersOf(after)];
  const names = (list: readonly string[]) => list.map((name) => name || "the event").join(", ");
  const added = [...now.keys()].filter((name) => !old.has(name));
  const gone = [...old.keys()].filter((name) => !now.has(name));
  const changed = [...now].filter(([name, spec]) => old.has(name) && old.get(name) !== spec);
  const parts = [
    ...(added.length === 0 ? [] : [`added ${names(added)}`]),
    ...(gone.length === 0 ? [] : [`left out ${names(gone)}`]),
    ...(changed.length === 0 ? [] : [`changed ${names(changed.map(([name]) => name))}`]),
  ];
  return parts.length > 0
    ? parts.join("; ")
    : before === after
      ? "nothing"
      : "other keys or comments";
}

function membersOf(text: string): Map<string, string> {
  const blocks = readTable(text)?.blocks ?? [];
  const content = readQuietly(text);
  return new Map(
    blocks.flatMap(({ members }) =>
      members.map(({ name, path }): [string, string] => [
        [...path.slice(0, -2), name].join("."),
        JSON.stringify(valueAt(content, path)),
      ]),
    ),
  );
}

function readQuietly(text: string): unknown {
  try {
    return readText(text);
  } catch {
    return undefined;
  }
}

function valueAt(content: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      Array.isArray(value) ? value[Number(key)] : isObject(value) ? value[key] : undefined,
    content,
  );
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
