import type { LoadEvent, Resource } from "../../src/domain/event.ts";

/** An event whose body tells which it is. */
export function eventOf(row: number, index = 1, resource: Resource = "users"): LoadEvent {
  return {
    id: `id-${row}-${index}`,
    index,
    name: "user.updated",
    resource,
    data: () => JSON.stringify({ event: "user.updated", row, index }),
    body: (importedAt) => JSON.stringify({ event: "user.updated", row, index, importedAt }),
  };
}

export function rowOf({ body }: { readonly body: string }): number {
  return (JSON.parse(body) as { row: number }).row;
}
