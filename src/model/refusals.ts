import { count, grouped, size } from "./quantities.ts";
import { quote } from "./row.ts";
import { fileWord, tellCommand } from "./typed-command.ts";

/** The sentence of each refusal: where, what, and what to do. */
export const refusals = {
  account_damaged: (results: string, why: string) =>
    `The account of ${results} is damaged: ${why}. Restore what eventload wrote: results must not be edited, because cells are fixed in the failed rows. If you have no copy, move the failed rows to another folder and import them there.`,
  account_elsewhere: (given: string) =>
    `There is no account of ${given} beside it. If its results are elsewhere or have another name, name them with --results. If they are lost, send the file with ${eventload("import", given)}`,
  account_missing: (results: string) =>
    `There is no account of ${results}: it was never started, or its files are elsewhere. To list the accounts of this folder, run: eventload status`,
  base_url_invalid: (url: string, why: string) =>
    `The base URL ${quote(url)} cannot be used: ${why}.`,
  base_url_missing: () =>
    "No base URL: give --base-url https://… or set EVENTLOAD_BASE_URL (base_url in eventload.yaml).",
  base_url_plain_http: (url: string) =>
    `${url} is plain http, so anybody on the network could read the token: use https, or --allow-http if you trust the network. In a file, allow_http counts only if --config names the file, and for a token that the file names.`,
  ca_file_invalid: (file: string, why: string) =>
    `The certificates in ${file} cannot be used: ${why}.`,
  cells_altered: (name: string, original: string) =>
    `A spreadsheet program seems to have altered cells in ${name}: they differ from ${original}. Nothing was sent. To put these cells back and keep what you changed, add --restore-altered. To send them as they are, add --allow-altered.`,
  config_invalid: (file: string, why: string) => `${file}: ${why}`,
  /** @param more what has to be given with `--skip-lines 0` */
  header_further_down: (name: string, title: ShownLine, header: ShownLine, more: string) =>
    `${name}: line ${title.line} (${firstCells(title.cells)}) does not name every column, and line ${header.line} seems to (${firstCells(header.cells)}): give --skip-lines ${header.line - 1}, or --skip-lines 0${more} if the names are on line ${title.line}.`,
  header_missing: (name: string, first: ShownLine, why: string) =>
    `${name}: line ${first.line} (${firstCells(first.cells)}) looks like a row and not like column names, because ${why}: give --no-header, or --skip-lines 0 if it does name the columns.`,
  failed_rows_edited: (failed: string, given: string) =>
    `${failed} was edited, and a retry of ${given} would overwrite it: retry ${failed}, or move it away. Nothing was sent.`,
  file_in_use: (path: string) =>
    `${path} is read-only, or open in another program, such as a spreadsheet program: close it there, then give the command again. Nothing was sent.`,
  file_of_others: (which: string, owner: number) =>
    `${which} belongs to another user (${owner}), who could change where the token goes, what is sent or what runs: if you trust it, copy it to a folder of your own and use the copy, or run eventload as that user.`,
  file_writable: (which: string, path: string) =>
    `${which} can be written by everybody, who could change where the token goes, what is sent or what runs: check it, then run ${tellCommand("chmod", "o-w", fileWord(path))}`,
  headers_differ: (first: string, names: string, count: number) =>
    `${names} ${count === 1 ? "has" : "have"} other columns than ${first}: give all files the same columns, or import them one by one. Nothing was sent.`,
  config_not_named: (place: string, does: string, file: string) =>
    `${place} ${does}, and nobody named ${file}, which lies in the working directory: if you trust it, add ${tellCommand("--config", fileWord(file))}`,
  delimiter_unclear: (name: string, why: string) => `${name}: ${why}.`,
  disk_too_small: (results: string, needed: number, free: number) =>
    `${results} and the journal may need ${size(needed)}, and the disk has ${size(free)} left: make room first. Nothing was sent.`,
  encoding_unsupported: (name: string, encoding: string) =>
    `${name} is ${encoding}, which cannot be read: save it as UTF-8.`,
  export_impossible: (name: string, why: string) => `${name}: ${why}. No workbook was written.`,
  input_changing: (name: string) =>
    `${name} was changed while it was checked: give the command again. Nothing was sent.`,
  input_damaged: (name: string, why: string) => `${name}: ${why} Nothing was sent.`,
  input_empty: (name: string) =>
    `${name} is empty: it needs a header line with the names of the columns.`,
  input_no_header: (name: string, line: number, next?: number) =>
    `${name}: line ${line} is blank, and should name the columns; ${next === undefined ? "if the names are further down, skip the lines above them with --skip-lines" : `if line ${next} names them, give --skip-lines ${next - 1}`}.`,
  input_is_json: (name: string, isPlainFile: boolean) =>
    `${name} is JSON or JSON Lines: convert it to CSV (nested lists and objects stay JSON: use type: json in the mapping), or give --no-header if it is CSV without a header. For example, ${isPlainFile ? "run" : "pipe it through"} ${tellCommand("jq", "-rs", jqProgram, ...(isPlainFile ? [fileWord(name)] : []))}`,
  input_not_found: (name: string) => `There is no file ${name}.`,
  input_twice: (path: string, before: string) =>
    `${path} and ${before} are the same file: give it once.`,
  input_unreadable: (name: string, why: string) => `${name} cannot be read: ${why}.`,
  input_no_text: (name: string, wide = "utf-16le") =>
    `${name}: its column names hold NUL bytes. It is not a text file, or you have to give its encoding, such as --encoding ${wide}.`,
  input_too_short: (name: string, lines: number) =>
    `--skip-lines ${lines} skips all lines of ${name}: give a smaller number.`,
  journal_outdated: (path: string, version = "") =>
    `${path} was written by ${/^[\w.+-]{1,40}$/.test(version) ? `eventload ${version}` : "another version of eventload"}: resume the run with that version.`,
  journal_damaged: (path: string, offset: number) =>
    `${path} is damaged at offset ${offset}, so it does not say what was sent. If you have a copy, put it back. If not, move it away, and ${sendTheRest}.`,
  journal_edited: (path: string, why: string) =>
    `${path} was edited or is damaged (${why}), so it does not say what was sent. If you have a copy, put it back. If not, move it away, and ${sendTheRest}.`,
  part_damaged: (results: string, why: string, isRetry: boolean) =>
    `${isRetry ? "A retry" : "The import"} of ${results} is unfinished, and ${why}. If it is lost, ${isRetry ? sendItsRows : "look in the service for what has arrived, and send the rest with other --results"}. Otherwise put it back as it was, then run ${eventload("resume", results)}`,
  journal_and_manifest_missing: (results: string, journal: string, manifest: string) =>
    `Beside ${results} there is neither its manifest ${manifest} nor its journal ${journal}. If it was moved or renamed, move them too, and give them that name. If they are lost, move the failed rows to another folder and import them there.`,
  locked: (results: string) =>
    `Another eventload is running on ${results}: wait for it, or name other results with --results.`,
  manifest_unreadable: (manifest: string, why: string) =>
    `The manifest ${manifest} cannot be used (${why}): put back what eventload wrote. If there is no copy, move the failed rows to another folder and import them there.`,
  mapping_invalid: (name: string, count: number) =>
    `${name} has ${count === 1 ? "a problem" : `${count} problems`}; nothing was sent.`,
  mapping_is_program: (path: string) =>
    `No mapping: ${path} is a program, and runs only if you name it. If you trust it, add ${tellCommand("--mapping", fileWord(path))}`,
  mapping_missing: (input: string | undefined, lookedFor: readonly string[]) =>
    input === undefined
      ? "No mapping: give --mapping <file>, which says which column becomes which member."
      : `No mapping: there is no ${lookedFor.join(", ")}; name it with --mapping, or write one with ${eventload("init", input)}`,
  mapping_not_found: (name: string) => `There is no mapping file ${name}.`,
  mapping_unreadable: (name: string, why: string) =>
    `The mapping file ${name} cannot be read: ${why}.`,
  merge_impossible: (name: string, why: string) => `${name} cannot be merged: ${why}.`,
  merge_incomplete: (first: number, missing: number, count: number) =>
    `${missing} of ${count} shards ${missing === 1 ? "is" : "are"} missing, the first of them shard ${first}: give the results of all. Import a shard that was not imported yet (--shard ${first}/${count}), and resume one that is unfinished: eventload status shows them.`,
  no_rows_to_look_at: (name: string, firstProblem: string | undefined) =>
    firstProblem === undefined
      ? `${name} has no rows to propose a mapping from, only the names of the columns: give a file that has some, or --no-header if its first line is a row.`
      : `${name}: no row fits the header. The first is on ${firstProblem}. If the names of the columns are further down, skip the lines above them with --skip-lines; else fix the file.`,
  night_unfinished: (results: string) =>
    `${results} belongs to an unfinished night. A night is not resumed: give its command again, which sends what is left.`,
  not_a_results_file: (name: string, missing: string) =>
    `${name} is not a results file: it has no column ${missing}. If it was renamed, give it that name back. To send a file for the first time, use eventload import.`,
  not_a_table: (name: string, what: string) =>
    `${name} is ${what}: save its table as .xlsx without a password, or as CSV.`,
  option_invalid: (option: string, why: string) => `${option}: ${why}.`,
  output_exists: (name: string, option: string) =>
    `${name} exists already, and nothing is overwritten: move it away, or name another with ${option}.`,
  output_not_writable: (name: string, why: string) => `${name} cannot be written: ${why}.`,
  resume_differs: (results: string, differences: readonly string[]) =>
    `The unfinished run of ${results} cannot be resumed: ${differences.join("; ")}. Nothing was sent.`,
  packed_otherwise: (name: string, how: string) =>
    `${name} is packed with ${how}, which eventload does not read: unpack it, or compress it with gzip.`,
  proxy_invalid: (variable: string, why: string) =>
    `The proxy in ${variable} cannot be used: ${why}. Give http://host:port or http://user:password@host:port, or name the service in NO_PROXY.`,
  results_exist: (name: string, isNight = false) =>
    `${name} exists already, and results are never overwritten: ${isNight ? "every night needs a name of its own, such as --results out/people.{date}.{time}.results.csv" : "move it away, or name another with --results"}.`,
  results_file_as_input: (name: string, path: string) =>
    `${name} is a results file: to send only what is open, after a check (with --strict nothing while a row is invalid), run ${eventload("retry", path)}`,
  reserved_column: (name: string, column: string) =>
    `${name} has a column ${quote(column)}, which is the name of a column of the results: rename it.`,
  retry_refused: (name: string, why: string) =>
    `${name} cannot be retried: ${why.replace(/\.$/, "")}. Nothing was sent.`,
  rows_invalid: (name: string, count: number) =>
    `${name}: ${count === 1 ? "a row is" : `${grouped(count)} rows are`} invalid, so --strict sends nothing.`,
  run_unfinished: (results: string) =>
    `${results} belongs to an unfinished run: resume it with ${eventload("resume", results)}`,
  run_unsealed: (file: string, why: string) =>
    `${file} cannot be verified (${why}), so you decide where the data and the token go. If these values are right, add them and the other options of the import:`,
  shard_merged: (results: string, merged: string) =>
    `${results} was merged into ${merged}, which is retried in its place; if that is lost, merge the shards again. Run ${eventload("retry", merged)}`,
  sheet_missing: (name: string, sheets: string) =>
    `${name} has several sheets: choose one with --sheet, of ${sheets}.`,
  sheet_unknown: (name: string, wanted: string, sheets: string) =>
    `${name} has no sheet ${quote(wanted)}: it has ${sheets}.`,
  strict_needs_a_check: () =>
    "--strict checks every row before it sends the first: leave out --no-check.",
  state_locked: (path: string) =>
    `Another run uses the state ${path}. Wait for it. Nothing was sent.`,
  state_refused: (why: string) => `--state: ${why}.`,
  state_of_another: (path: string, what: string, its: string, wanted: string) =>
    `The state ${path} belongs to another ${what} (${its}, not ${wanted}): give the state of this one with --state, or a new name to send every key.`,
  state_too_many_gone: (
    name: string,
    state: string,
    missing: number,
    before: number,
    most: unknown,
  ) =>
    `${name} lacks ${grouped(missing)} of the ${count(before, "key")} in ${state}, more than --max-gone ${most} allows: nothing was sent. Check whether the export is complete; if it is, give a higher --max-gone.`,
  state_too_many_changed: (
    name: string,
    state: string,
    changed: number,
    before: number,
    most: unknown,
  ) =>
    `${name} changes ${grouped(changed)} of the ${count(before, "key")} in ${state}, more than --max-changed ${most} allows: nothing was sent. Check whether its cells are as usual; if they are, give a higher --max-changed.`,
  state_unreadable: (path: string, why: string) =>
    `The state ${path} cannot be read: ${why}. If it was replaced or edited, restore the file that the last night left. Use no older copy, because it would hide what has changed since. If you have only that, move the state away: the next night then sends every key.`,
  target_differs: (results: string, baseUrl: string, target: string, file: string) =>
    `The run of ${results} went to ${baseUrl} as target ${quote(target)}, which ${file} does not have at that address now: give its token with --token-file, or type the --target that has it. Nothing was sent.`,
  settings_missing: (count: number) => `${count} settings are missing.`,
  token_elsewhere: (token: string, itsAddress: string, address: string) =>
    `The token from ${token} is for ${itsAddress}, the base URL beside it, and is not sent to ${address}: give another token with --token-file or --token-command, or name a target that has both with --target. Nothing was sent.`,
  token_invalid: (where: string, why: string) => `The token from ${where} cannot be used: ${why}.`,
  token_missing: () => "No token: set EVENTLOAD_TOKEN, or give --token-file or --token-command.",
  token_unavailable: (where: string, why: string) =>
    `The token cannot be read from ${where}: ${why}.`,
  too_many_invalid: (name: string, count: number, rows: number, allowed: string) =>
    `${name}: ${grouped(count)} of ${grouped(rows)} ${rows === 1 ? "row" : "rows"} cannot be mapped, more than --max-errors ${allowed} allows; nothing was sent.`,
  workbook_unreadable: (name: string, why: string) =>
    `${name} cannot be read as a workbook: ${why}.`,
} as const;

/** What to do if nobody knows what a run has sent; and what a retry has. */
const sendTheRest =
  "look in the service for what has arrived, and import the rest as a file of its own, with other --results";
const sendItsRows =
  "look in the service for what has arrived of it. Then move the failed rows to another folder, set what has arrived to skipped, and import them there";

function eventload(command: string, file: string): string {
  return tellCommand("eventload", command, fileWord(file));
}

const jqProgram =
  "flatten | (map(keys_unsorted) | add | unique) as $k | $k, (.[] | [.[$k[]] | (iterables | tojson) // .]) | @csv";

function firstCells(cells: readonly string[]): string {
  const filled = cells.filter((cell) => cell.trim() !== "");
  const more = filled.length > maxCells ? ", …" : "";
  return filled.slice(0, maxCells).map(quote).join(", ") + more;
}

const maxCells = 5;

type ShownLine = { readonly line: number; readonly cells: readonly string[] };
