/** The columns that a results file has behind those of the input, in this order. */
export const resultsColumns = [
  "import_row",
  "import_line",
  "import_event",
  "import_status",
  "import_http_status",
  "import_attempts",
  "import_unanswered",
  "import_error_code",
  "import_error",
  "import_event_id",
  "import_input",
  "import_part",
  "import_finished_at",
] as const;

/** The column that names the file of each row, in the results of a run of several. */
export const sourceColumn = "import_source";

export type ResultsColumn = (typeof resultsColumns)[number] | typeof sourceColumn;

export function isResultsColumn(name: string): name is ResultsColumn {
  return name === sourceColumn || (resultsColumns as readonly string[]).includes(name);
}

export function resultsColumnsOf(hasSources: boolean): readonly ResultsColumn[] {
  if (!hasSources) return resultsColumns;
  return resultsColumns.flatMap((name) => (name === "import_line" ? [name, sourceColumn] : [name]));
}

/**
 * Whether an input with these columns is a file that eventload wrote, though somebody may have
 * dropped some of them since. One alone may be somebody else's.
 */
export function hasResultsColumns(columns: readonly string[]): boolean {
  // A program may have changed how they are written, and the file is one of ours all the same.
  const written = columns.map((name) => name.trim().toLowerCase().replaceAll(/[ -]/g, "_"));
  const found = resultsColumns.filter((name) => written.includes(name));
  return found.includes("import_status") && found.length >= 3;
}
