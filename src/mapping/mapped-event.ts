import { contentOf, type LoadEvent, type Method, type Resource } from "../model/event.ts";
import type { Row } from "../model/row.ts";
import type { MemberValues, WriteBody } from "./compile-body.ts";
import { eventId } from "./event-id.ts";
import type { MetaName } from "./schema.ts";

/** The name and id of an input, for event ids and `meta` members. */
export interface NamedInput {
  readonly name: string;
  /** First 16 hex digits of the SHA-256 of the original input; random for standard input. */
  readonly id: string;
}

export interface EventBlock {
  readonly index: number;
  readonly resource: Resource;
  readonly method: Method;
  readonly input: NamedInput;
  readonly write: WriteBody;
  /** The members of `meta`, by their places. */
  readonly meta: readonly (readonly [member: number, name: MetaName])[];
}

/**
 * An event as the values of its members. Its text and id are made on demand, and a check never asks.
 * A class, because there is one for every row and getters of object literals are slow.
 */
export class MappedEvent implements LoadEvent {
  readonly index: number;
  readonly resource: Resource;
  readonly method: Method;
  private knownId: string | undefined;
  private text: string | undefined;

  constructor(
    private readonly kind: EventBlock,
    private readonly row: Row,
    readonly name: string,
    private readonly values: MemberValues,
  ) {
    this.index = kind.index;
    this.resource = kind.resource;
    this.method = kind.method;
  }

  get id(): string {
    const { origin, row } = this.row;
    const input = origin?.input ?? this.kind.input.id;
    this.knownId ??= eventId(input, row, this.index, contentOf(this));
    return this.knownId;
  }

  data(): string {
    const text = this.text ?? this.kind.write(this.name, this.values);
    // An event with meta members has two texts: keeping both would waste memory.
    if (this.kind.meta.length === 0) this.text = text;
    return text;
  }

  body(importedAt: string): string {
    const { meta, input, write } = this.kind;
    if (meta.length === 0) return this.data();
    const values = this.values.slice();
    const ofMeta = metaValues(this.row, this.id, importedAt, input);
    for (const [at, name] of meta) values[at] = ofMeta[name];
    return write(this.name, values);
  }

  countMembers(counts: number[]): void {
    const { values, kind } = this;
    for (let at = 0; at < values.length; at++) {
      if (values[at] !== undefined) counts[at] = (counts[at] ?? 0) + 1;
    }
    for (const [at] of kind.meta) counts[at] = (counts[at] ?? 0) + 1;
  }

  isBare(): boolean {
    const { values, kind } = this;
    return values.length > kind.meta.length && values.every((value) => value === undefined);
  }
}

export function metaValues(row: Row, id: string, importedAt: string, input: NamedInput) {
  return {
    event_id: id,
    row: row.row,
    line: row.origin?.line ?? row.line,
    input_name: (row.origin?.source ?? row.source) || input.name,
    imported_at: importedAt,
  } satisfies Record<MetaName, string | number>;
}
