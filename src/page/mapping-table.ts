import { isRecord } from "../model/yaml-document.ts";
import { type Path, yamlContent } from "./edit-yaml.ts";

export interface MappingTable {
  readonly resource: string;
  /** The event itself; undefined where a row gives several, of which only the text says more. */
  readonly event: Member | undefined;
  readonly members: readonly Member[];
  readonly nullValues: readonly string[];
  /** What a blank cell becomes, where its member does not say. */
  readonly empty: string;
}

export interface Member {
  readonly path: Path;
  readonly name: string;
  /** Where the member's value comes from. Of `other` only the text can change anything. */
  readonly source: "column" | "value" | "other";
  /** The column, the fixed value, or what else stands there. */
  readonly from: string;
  readonly kind: MemberKind;
  /** As an object; every scalar in it is a text. */
  readonly spec: Keys;
}

/** Keys of a member with their values. In a change, those that are undefined are removed. */
export type Keys = Readonly<Record<string, unknown>>;

/** What a column can become. `other` is what only the text can say. */
export const memberKinds = [
  ...(["text", "email", "url", "integer", "number", "decimal", "date", "datetime"] as const),
  ...(["boolean", "choice", "list", "json"] as const),
];
export type MemberKind = (typeof memberKinds)[number] | "other";

/** The table of a text; undefined if that is no mapping of keys to values. */
export function readTable(text: string): MappingTable | undefined {
  const content = yamlContent(text);
  if (!isRecord(content)) return undefined;
  const { event, members, resource, null_values: nulls = [], empty } = content;
  const named = Object.entries(isRecord(members) ? members : {});
  return {
    resource: asText(resource),
    event: event === undefined ? undefined : readMember(event, ["event"], ""),
    members: named.map(([name, spec]) => readMember(spec, ["members", name], name)),
    empty: asText(empty) || "omit",
    nullValues: [nulls].flat().map(asText),
  };
}

function readMember(given: unknown, path: Path, name: string): Member {
  const spec = isRecord(given) ? given : { [name === "" ? "value" : "column"]: given };
  const { column, columns, template, meta, value } = spec;
  const isFixed = column === undefined && typeof value === "string";
  return {
    path,
    name,
    source: column !== undefined ? "column" : isFixed ? "value" : "other",
    from: asText(column ?? template ?? columns ?? meta ?? value),
    kind: memberKindOf(spec),
    spec,
  };
}

export function memberKindOf({ type = "string", format, map, lookup }: Keys): MemberKind {
  if (lookup !== undefined) return "other";
  if (map !== undefined) return isRecord(map) ? "choice" : "other";
  const kind = type === "string" ? (format ?? "text") : type;
  return memberKinds.find((name) => name === kind) ?? "other";
}

/** Gives a member the keys of another kind, without what was said for the former. */
export function keysOfKind(kind: MemberKind, keys: Keys, ofTypes: readonly string[]): Keys {
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
export function stepsOfMember({ spec }: Pick<Member, "spec">): readonly unknown[] {
  const steps: unknown[] = [spec.transform ?? []].flat();
  // Of all that stands in a step, these are numbers.
  const typed = (key: string, value: unknown) =>
    key === "length" || key === "item" ? Number(value) : value;
  return steps.map((step) => JSON.parse(JSON.stringify(step), typed));
}

export function keysOfSteps(steps: readonly unknown[]): Keys {
  return { transform: steps.length > 1 ? steps : steps[0] };
}

export function asText(value: unknown = ""): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
