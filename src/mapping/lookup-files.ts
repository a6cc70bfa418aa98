import type { MappingSpec } from "./schema.ts";

/** The files that a mapping looks things up in, as it names them, each once. */
export function lookupFiles({ events }: MappingSpec): string[] {
  const members = events.flatMap((event) => Object.values(event.members));
  const files = members.flatMap((member) =>
    typeof member === "object" && member.lookup !== undefined ? [member.lookup.file] : [],
  );
  return [...new Set(files)];
}
