import type { LoadEvent } from "../domain/event.ts";
import type { Row, RowProblem } from "../domain/row.ts";
import type { Json } from "./coerce.ts";
import { compileBody } from "./compile-body.ts";
import type { PartProblem } from "./compile-cell.ts";
import { type Condition, compileCondition } from "./compile-condition.ts";
import { compileEventName, type EventNamer } from "./compile-event-name.ts";
import { compileMember, type MemberContext } from "./compile-member.ts";
import { eventId } from "./event-id.ts";
import { type MemberPath, parseMemberPath } from "./member-path.ts";
import type { MetaName } from "./member-schema.ts";
import type { EventSpec } from "./schema.ts";

/** What the input is called and known by; both go into ids and `meta` members. */
export interface InputIdentity {
  readonly name: string;
  /** First 16 hex digits of the SHA-256 of the original input; random for standard input. */
  readonly id: string;
}

/** One event block of a mapping, ready to be applied to rows. */
export interface CompiledEvent {
  readonly condition: Condition | undefined;
  /** The event of a row; nothing where a problem was added to the list. */
  build(row: Row, problems: RowProblem[]): LoadEvent | undefined;
}

interface Member {
  readonly path: MemberPath;
  readonly meta?: MetaName;
  read(cells: readonly string[], problems: RowProblem[]): Json | undefined;
}

type MetaValues = Record<MetaName, Json>;

export function compileEvent(
  spec: EventSpec,
  index: number,
  file: MemberContext & {
    readonly input: InputIdentity;
    readonly report: (path: readonly PropertyKey[], message: string) => void;
  },
): CompiledEvent {
  const reportAll = (at: readonly string[], problems: readonly PartProblem[]) => {
    for (const one of problems) file.report([...spec.path, ...at, ...one.at], one.message);
  };

  const name = compileEventName(spec.event, file.columns);
  if (name.kind === "problems") reportAll(["event"], name.problems);
  const condition =
    spec.onlyWhen === undefined ? undefined : compileCondition(spec.onlyWhen, file.columns);
  if (condition?.kind === "problems") reportAll(["only_when"], condition.problems);

  const members: Member[] = [];
  for (const [memberName, given] of Object.entries(spec.members)) {
    const path = parseMemberPath(memberName);
    const member = compileMember(given, file);
    switch (member.kind) {
      case "cells":
        members.push({ path, read: member.read });
        break;
      case "meta":
        members.push({ path, meta: member.meta, read: () => undefined });
        break;
      case "problems":
        reportAll(["members", memberName], member.problems);
        break;
      default:
        member satisfies never;
    }
  }

  const nameOf: EventNamer["name"] = name.kind === "problems" ? () => undefined : name.name;
  const hasMeta = members.some(({ meta }) => meta !== undefined);
  const write = compileBody(members.map(({ path }) => path));

  const json = (event: string, row: Row, problems: RowProblem[], meta?: MetaValues): string =>
    write(event, (at) => {
      const member = members[at] as Member;
      return member.meta === undefined ? member.read(row.cells, problems) : meta?.[member.meta];
    });

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
              input_name: file.input.name,
              imported_at: importedAt,
            })
        : () => data;
      return { id, index, name: event, resource: spec.resource, body };
    },
  };
}
