import type { Command } from "../../src/cli/command.ts";

export function withOptionTables(
  page: string,
  commands: Readonly<Record<string, Pick<Command, "options">>>,
  toKey: (option: string) => string,
): string;
