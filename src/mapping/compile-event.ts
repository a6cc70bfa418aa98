import type { Json, LoadEvent } from "../model/event.ts";
import { quoteWhole, type Row, type RowProblem } from "../model/row.ts";
import { type Columns, type Report, within } from "./columns.ts";
import { compileBody } from "./compile-body.ts";
import { compileCell } from "./compile-cell.ts";
import { type Condition, compileCondition } from "./compile-condition.ts";
import {
  type CompiledMember,
  compileFound,
  compileMap,
  compileMember,
  type MemberContext,
  type OfText,
  plainText,
  readText,
} from "./compile-member.ts";
import { type EventKind, type InputIdentity, MappedEvent } from "./mapped-event.ts";
import type { EventNameSpec, EventSpec } from "./schema.ts";

/** One event block of a mapping, ready to be applied to rows. */
export interface CompiledEvent {
  readonly condition: Condition | undefined;
  readonly readName: ReadName;
  readonly members: readonly EventMember[];
  /** The event of a row; undefined if a problem was added to the list. */
  build(row: Row, problems: RowProblem[]): LoadEvent | undefined;
}

/** A member of the body, with its name as the mapping has it. */
export interface EventMember extends CompiledMember {
  readonly name: string;
}

/** The kind of event of a row; undefined if a problem was added to the list. */
type ReadName = (cells: readonly string[], problems: RowProblem[]) => string | undefined;

export function compileEvent(
  spec: EventSpec,
  index: number,
  file: MemberContext & { readonly input: InputIdentity },
  report: Report,
): CompiledEvent {
  const readName = compileEventName(spec.event, file.columns, within(report, "event"));
  const condition =
    spec.when === undefined
      ? undefined
      : compileCondition(spec.when, file.columns, within(report, "when"));
  const members = Object.entries(spec.members).map(([name, given]): EventMember => {
    const compiled = compileMember(given, file, within(report, "members", name));
    return { name, ...compiled };
  });
  const reads = members.map(({ read }) => read);
  const kind: EventKind = {
    index,
    resource: spec.resource,
    method: spec.method,
    input: file.input,
    write: compileBody(Object.keys(spec.members)),
    meta: members.flatMap(({ meta }, at) => (meta === undefined ? [] : [[at, meta] as const])),
  };

  return {
    condition,
    readName,
    members,
    build(row, problems) {
      const problemsBefore = problems.length;
      const { cells } = row;
      const event = readName(cells, problems);
      const values: (Json | undefined)[] = new Array(reads.length);
      for (let at = 0; at < reads.length; at++) values[at] = reads[at]?.(cells, problems);
      if (event === undefined || problems.length > problemsBefore) return undefined;
      return new MappedEvent(kind, row, event, values);
    },
  };
}

/** Compiles the `event` of a mapping: a fixed name, or one that a column decides. */
function compileEventName(
  given: string | EventNameSpec,
  columns: Columns,
  report: Report,
): ReadName {
  const { trace } = columns;
  const fixed = (name: string) => () => {
    trace?.step({ by: "value", gives: name });
    return name;
  };
  if (typeof given === "string") {
    if (columns.find(given).kind === "found") {
      const word = quoteWhole(given);
      report(
        [],
        `is also a column: write { column: ${word} } for its cells, or { value: ${word} } for the word itself`,
      );
    }
    return fixed(given);
  }
  const { value, map, otherwise, default: ofBlank } = given;
  if (value !== undefined) return fixed(value);

  const cell = compileCell(given, columns, report);
  const decideBlank: OfText<string> = (_, cells, problems) => {
    if (ofBlank === undefined) {
      const message = "is blank, and it decides the kind of event";
      problems.push(cell.problem(cells, "missing_event", message));
    } else trace?.step({ by: "default", gives: ofBlank });
    return ofBlank;
  };
  const text = { cell, ofBlank: decideBlank, trace };
  const become =
    map === undefined
      ? plainText(decideBlank)
      : compileFound(compileMap(map), { by: "map" }, otherwise, text);
  return readText(cell, become);
}
