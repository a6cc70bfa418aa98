import { mkdir, stat } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import { whyNotFileName } from "./disk/platform.ts";
import { cannotStart, reasonOf } from "./errors.ts";

export type RunFiles = ReturnType<typeof runFiles>;

/** Why a name cannot be that of results, as the end of a sentence. */
export function whyNotResults(name: string): string | undefined {
  if (name.endsWith(extension)) return whyNotFileName(name);
  return `names of results end in ${extension}; give ${baseOfRun(name)}${extension}`;
}

const extension = ".results.csv";

/**
 * The files of an account, beside its results: `out/people.results.csv` gives `out/people.run.json` and others.
 *
 * @param state of a night: its journal lies beside it, so that whoever keeps the one keeps the other
 */
export function runFiles(results: string, state?: string) {
  const base = results.slice(0, -extension.length);
  const files = {
    results,
    failed: `${base}.failed.csv`,
    manifest: `${base}.run.json`,
    /**
     * Files that are there only while a part is unfinished: its journal, with the number of the process behind the
     * name, and the copy of an input that can be read only once.
     */
    journal: state === undefined ? `${base}.results.csv.journal` : journalOfState(state),
    input: `${base}.results.csv.input`,
    /** The input while it is written, before it gets its name. */
    newInput: `${base}.results.csv.input.new`,
    newResults: `${base}.results.csv.new`,
    newFailed: `${base}.failed.csv.new`,
    ...(state === undefined ? {} : { state, newState: `${state}.new` }),
  };
  const { newState } = files;
  return {
    ...files,
    /** What the account is, once it is complete. */
    ofAccount: [results, files.failed, files.manifest],
    /** What only an unfinished account has, beside its journal. */
    ofPart: [
      ...[files.input, files.newInput, files.newResults, files.newFailed],
      ...(newState === undefined ? [] : [newState]),
    ],
  };
}

/** The results that files of a folder are beside, by name: what an unfinished account has first is its journal. */
export function resultsBeside(names: readonly string[]): string[] {
  const pattern = /^(.+)\.(?:run\.json|results\.csv(?:\.journal(?:\.\d+)?)?)$/s;
  const bases = new Set(names.flatMap((name) => pattern.exec(name)?.[1] ?? []));
  const byName = new Intl.Collator("en", { numeric: true }).compare;
  return [...bases].toSorted(byName).map((base) => base + extension);
}

export function journalOfState(state: string): string {
  return `${state}.journal`;
}

/** The files of the account that has a file: its results, its failed rows, or an edited copy of them. */
export function filesOfAccount(path: string): RunFiles {
  return runFiles(`${baseOfRun(path)}${extension}`);
}

export function defaultResultsPath(inputPath: string): string {
  const name = basename(inputPath, extname(inputPath));
  return join(dirname(inputPath), `${name}.results.csv`);
}

export function isModule(mapping: string | undefined): boolean {
  return mapping?.endsWith(".mjs") === true;
}

/** What the mapping of an input is called, if no name is given. */
export function mappingPathOf(input: string): string {
  const packed = input.replace(/\.gz$/i, "");
  return `${packed.slice(0, packed.length - extname(packed).length)}.yaml`;
}

/**
 * Creates a file's parent folder, with mode 0700 unless another is given.
 *
 * @returns the folders that it created, the innermost first
 * @throws CannotStartError
 */
export async function makeFolderOf(path: string, mode = 0o700): Promise<string[]> {
  const folder = dirname(path);
  return makeFolders(folder, mode).catch((error: NodeJS.ErrnoException) => {
    const isTaken = error.code === "EEXIST";
    const why = isTaken ? `${error.path ?? folder} is a file, not a folder` : reasonOf(error);
    throw cannotStart("output_not_writable", path, why);
  });
}

/** Creates missing parents too. Node's own recursive `mkdir` never returns where nothing can be created, as in /proc. */
async function makeFolders(folder: string, mode: number): Promise<string[]> {
  if (await isFolder(folder)) return [];
  const within = dirname(folder);
  const made = within === folder ? [] : await makeFolders(within, mode);
  try {
    await mkdir(folder, mode);
    return [folder, ...made];
  } catch (error) {
    // Another process may have created it.
    if (!(await isFolder(folder))) throw error;
    return made;
  }
}

function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

/**
 * `people.results.csv`, `people.failed.csv`, edited copies such as `people.failed-fixed.csv`, and
 * workbooks of them, `people.failed.xlsx`. While a part is unfinished, a shell completes the name of
 * the results to `people.results.csv.` or its journal. Windows takes `PEOPLE.FAILED.CSV` for the same file.
 */
export function baseOfRun(path: string): string {
  const named = path.replace(/(\.results\.csv)\.(journal(\.\d+)?|input)?$/i, "$1");
  const name = basename(named, extname(named)).replace(/\.(results|failed)[^.]*$/i, "");
  return join(dirname(path), name);
}
