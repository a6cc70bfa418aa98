/** The columns of eventload in a results file, behind those of the input, in this order. */
const allColumns = [
  "import_row",
  "import_line",
  "import_source",
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

export type ResultsColumn = (typeof allColumns)[number];

/** The column that names the file of each row, in the results of a run of several. */
export const sourceColumn = "import_source" satisfies ResultsColumn;

/** The columns that every results file has. */
export const resultsColumns = allColumns.filter((name) => name !== sourceColumn);

export function resultsColumnsOf(hasSources: boolean): readonly ResultsColumn[] {
  return hasSources ? allColumns : resultsColumns;
}

export function isResultsColumn(name: string): name is ResultsColumn {
  return (allColumns as readonly string[]).includes(name);
}

/** The columns of the input, of those of its results. */
export function inputColumnsOf(columns: readonly string[]): readonly string[] {
  return columns.slice(0, columns.lastIndexOf("import_row" satisfies ResultsColumn));
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
