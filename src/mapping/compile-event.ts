import type { LoadEvent } from "../domain/event.ts";
import type { Row, RowProblem } from "../domain/row.ts";
import type { Json } from "./coerce.ts";
import type { ColumnLookup } from "./columns.ts";
import { type CompiledCondition, compileCondition } from "./compile-condition.ts";
import { compileEventName, type EventNamer } from "./compile-event-name.ts";
import { compileMember } from "./compile-member.ts";
import { eventId } from "./event-id.ts";
import { type MemberPath, parseMemberPath } from "./member-path.ts";
import type { EmptyPolicy, EventSpec, MetaName } from "./schema.ts";

/** What the input is called and known by; both go into ids and `meta` members. */
export interface InputIdentity {
  readonly name: string;
  /** First 16 hex digits of the SHA-256 of the original input; random for standard input. */
  readonly id: string;
}

/** One event block of a mapping, ready to be applied to rows. */
export interface CompiledEvent {
  readonly condition: Extract<CompiledCondition, { kind: "condition" }> | undefined;
  /** The event of a row; nothing where a problem was added to the list. */
  build(row: Row, problems: RowProblem[]): LoadEvent | undefined;
}

interface Member extends MemberPath {
  readonly meta?: MetaName;
  read(cells: readonly string[], problems: RowProblem[]): Json | undefined;
}

type MetaValues = Record<MetaName, Json>;
type Tree = { [key: string]: Json };

export function compileEvent(
  spec: EventSpec,
  index: number,
  file: {
    readonly column: (name: string) => ColumnLookup;
    readonly empty: EmptyPolicy;
    readonly input: InputIdentity;
    readonly report: (path: readonly PropertyKey[], message: string) => void;
  },
): CompiledEvent {
  const report = (path: readonly PropertyKey[], message: string) =>
    file.report([...spec.path, ...path], message);

  const name = compileEventName(spec.event, file.column);
  if (name.kind === "problem") report(["event", ...name.at], name.message);
  const condition =
    spec.onlyWhen === undefined ? undefined : compileCondition(spec.onlyWhen, file.column);
  if (condition?.kind === "problem") report(["only_when", "column"], condition.message);

  const members: Member[] = [];
  for (const [memberName, given] of Object.entries(spec.members)) {
    const { parents, leaf } = parseMemberPath(memberName);
    const member = compileMember(given, file.column, file.empty);
    switch (member.kind) {
      case "cells":
        members.push({ parents, leaf, read: member.read });
        break;
      case "meta":
        members.push({ parents, leaf, meta: member.meta, read: () => undefined });
        break;
      case "problem":
        report(
          ["members", memberName, ...(member.at === undefined ? [] : [member.at])],
          member.message,
        );
        break;
      default:
        member satisfies never;
    }
  }

  const nameOf: EventNamer["name"] = name.kind === "problem" ? () => undefined : name.name;
  const hasMeta = members.some(({ meta }) => meta !== undefined);

  const json = (event: string, row: Row, problems: RowProblem[], meta?: MetaValues): string => {
    const body: Tree = { event };
    for (const member of members) {
      const value =
        member.meta === undefined ? member.read(row.cells, problems) : meta?.[member.meta];
      if (value !== undefined) place(body, member, value);
    }
    return JSON.stringify(body);
  };

  return {
    condition: condition?.kind === "condition" ? condition : undefined,
    build(row, problems) {
      const problemsBefore = problems.length;
      const event = nameOf(row.cells, problems);
      const data = json(event ?? "", row, problems);
      if (event === undefined || problems.length > problemsBefore) return undefined;
      const id = eventId(row.earlier?.input ?? file.input.id, row.row, index, data);
      const body = hasMeta
        ? (importedAt: string) =>
            json(event, row, [], {
              event_id: id,
              row: row.row,
              line: row.earlier?.line ?? row.line,
              input_name: (row.earlier?.source ?? row.source) || file.input.name,
              imported_at: importedAt,
            })
        : () => data;
      // With meta members the event is kept with its row anyway, and not with two texts of its data.
      const dataAgain = hasMeta ? () => json(event, row, []) : () => data;
      return { id, index, name: event, resource: spec.resource, data: dataAgain, body };
    },
  };
}

function place(body: Tree, { parents, leaf }: Member, value: Json): void {
  let target = body;
  for (const parent of parents) {
    // Own members only, and no prototype to reach: a column may be called "constructor".
    if (!Object.hasOwn(target, parent)) target[parent] = Object.create(null) as Tree;
    target = target[parent] as Tree;
  }
  target[leaf] = value;
}
