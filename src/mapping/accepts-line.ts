import { loadMapping } from "./load-mapping.ts";

/** Whether a line can stand in a mapping file: as a member, or as a key of the file. */
export function acceptsLine(line: string, place: "member" | "file"): boolean {
  const head = "version: 1\nresource: users\nevent: { value: any }\n";
  const text =
    place === "member" ? `${head}members:\n  ${line}\n` : `${head}members: {}\n${line}\n`;
  return loadMapping(text).kind === "loaded";
}
