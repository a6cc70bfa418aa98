import type { Json, LoadEvent, MemberExplanation } from "../model/event.ts";
import type { Row, RowProblem } from "../model/row.ts";
import { compileBody } from "./compile-body.ts";
import { type Condition, compileCondition } from "./compile-condition.ts";
import { compileValue, ofTexts, type ValueContext } from "./compile-value.ts";
import { type EventBlock, MappedEvent, metaValues, type NamedInput } from "./mapped-event.ts";
import type { EventSpec } from "./schema.ts";

export interface CompiledEvent {
  readonly index: number;
  readonly condition: Condition | undefined;
  /** The event of a row; undefined if a problem was added to the list. */
  build(row: Row, problems: RowProblem[]): LoadEvent | undefined;
  /** How the kind of event and its members are made, of a row of which it is made if that is possible. */
  explain(row: Row, made: LoadEvent | undefined, importedAt: string): MemberExplanation[];
}

export function compileEvent(
  spec: EventSpec,
  index: number,
  file: ValueContext & { readonly input: NamedInput },
): CompiledEvent {
  const { input } = file;
  const nameSpec = typeof spec.event === "string" ? { value: spec.event } : spec.event;
  const name = compileValue(nameSpec, ofTexts(file), noEvent);
  const condition = spec.when && compileCondition(spec.when, file.columns);
  const members = Object.entries(spec.members).map(([name, given]) => {
    const member = typeof given === "string" ? { column: given } : given;
    return { name, meta: member.meta, ...compileValue(member, file) };
  });
  // What is known only once the event is made has no value until then.
  const reads = members.map(({ meta, read }) => (meta === undefined ? read : () => undefined));
  const kind: EventBlock = {
    index,
    resource: spec.resource,
    method: spec.method,
    input,
    write: compileBody(Object.keys(spec.members)),
    meta: members.flatMap(({ meta }, at) => (meta === undefined ? [] : [[at, meta] as const])),
  };

  return {
    index,
    condition,
    build(row, problems) {
      const problemsBefore = problems.length;
      const { cells } = row;
      const event = name.read(cells, problems);
      const values: (Json | undefined)[] = new Array(reads.length);
      for (let at = 0; at < reads.length; at++) values[at] = reads[at]?.(cells, problems);
      if (event === undefined || problems.length > problemsBefore) return undefined;
      return new MappedEvent(kind, row, String(event), values);
    },
    explain(row, made, importedAt) {
      const known = made && metaValues(row, made.id, importedAt, input);
      return [
        name.explain("event", row.cells),
        ...members.map(({ name, meta, explain }) => {
          if (meta === undefined) return explain(name, row.cells);
          const value = known?.[meta];
          const step = { by: "meta", of: meta };
          return value === undefined
            ? { name, steps: [step] }
            : { name, steps: [{ ...step, gives: value }], value };
        }),
      ];
    },
  };
}

const noEvent = {
  code: "missing_event",
  message: "is blank, and it decides the kind of event",
};
