import type { ColumnUse } from "./domain/column-use.ts";
import { cannotStart, InputDamagedError } from "./domain/errors.ts";
import type { OnKeyFailure } from "./domain/key-failure.ts";
import { isResultsColumn, isResultsFile, originalOfSafeCopy } from "./domain/results-columns.ts";
import type { Row } from "./domain/row.ts";
import type { Checkpoint } from "./domain/run-record.ts";
import type { SourcePosition } from "./domain/source-position.ts";
import { type Input, isStream } from "./input.ts";
import {
  type Fingerprint,
  fingerprintOfAll,
  inputId,
  randomInputId,
} from "./journal/fingerprint.ts";
import type { Mapper } from "./mapping/compile-mapping.ts";
import type { ExplainRow } from "./mapping/explain-row.ts";
import {
  fingerprintFiles,
  type InputFile,
  joinFiles,
  nameFiles,
  warnOfCopies,
} from "./prepare-several.ts";
import type { LookupFile } from "./read-lookups.ts";
import { mappingInvalid, readMapping } from "./read-mapping.ts";
import { refuseDoubledLines } from "./refuse-doubled-lines.ts";
import type { FilesReadAs } from "./source/dialect.ts";
import { openResultsFile } from "./source/open-results-file.ts";
import { nameOfAll } from "./source/open-several.ts";
import { openSource } from "./source/open-source.ts";
import type { InputSpec } from "./source/read-bytes.ts";
import type { Reading } from "./source/reading.ts";
import { type RowSelection, selectRows } from "./source/select-rows.ts";
import type { Source } from "./source/source.ts";

/** Whether the input is somebody's file, or the results of an earlier run. */
export type InputKind = "import" | "retry";

export interface InputRequest {
  readonly input: Input;
  readonly kind: InputKind;
  /** What the mapping is told that the input is called; default its name. */
  readonly inputName?: string | undefined;
  /** Path of the mapping file. */
  readonly mapping: string;
  readonly selection: RowSelection;
  /** How the input is to be read; default by its content. */
  readonly reading?: Reading | undefined;
  /**
   * Whether nobody asks for the ids of events, or what the input is: all of it is read once more to
   * know that.
   */
  readonly withoutIds?: boolean;
  /** Identity of a stream that an interrupted run has begun to read. */
  readonly streamId?: string | undefined;
  /** Told of what is odd and no reason to stop. */
  readonly warn: (message: string) => void;
}

/** Where an interrupted run reads on. */
export type ReadFrom = Pick<Checkpoint, "position" | "rowsBeforePosition">;

/** An input and a mapping that fit each other. */
export interface PreparedInput {
  readonly name: string;
  /** What the mapping was told that it is called; of several files, the mapping is told of each. */
  readonly called: string;
  /** In the order in which they are read; none for what can be read only once, or without ids. */
  readonly files: readonly InputFile[];
  /** Identity of the input in event ids: 16 hex digits. */
  readonly id: string;
  /** Of all the files; of what can be read once it is not known before the end, nor without ids. */
  readonly fingerprint: Fingerprint | undefined;
  readonly mapping: {
    readonly path: string;
    readonly lookups: readonly LookupFile[];
  } & Fingerprint;
  readonly columns: readonly string[];
  /** Whether each row says which of several files it is from. */
  readonly hasSources: boolean;
  /** How it is written, as far as that is found out from its beginning: each way, with its files. */
  readonly readAs: readonly FilesReadAs[];
  readonly mapRow: Mapper;
  /** The same mapping for a file whose columns may come in another order; nothing where some lack. */
  mapperFor(columns: readonly string[]): Mapper | undefined;
  /** The columns of which something is sent. */
  readonly columnUses: readonly ColumnUse[];
  /** The members of each of the mapping's events; nothing where a function makes them. */
  readonly memberNames: readonly (readonly string[])[] | undefined;
  /** How the members of a row come about; nothing where a function makes them. */
  readonly explain: ExplainRow | undefined;
  readonly onKeyFailure: OnKeyFailure;
  /**
   * Begins a pass over the chosen rows. A file allows any number of them, a stream one.
   *
   * @param from where an interrupted run reads on
   */
  open(from?: ReadFrom): Promise<Source>;
  /**
   * Looks through a results file, where no check does: no event may stand in it twice, and one that is
   * not among the chosen rows may have succeeded.
   *
   * @throws CannotStartError
   */
  lookThrough(): Promise<void>;
  /** Lets go of an input that was not passed over. */
  close(): Promise<void>;
}

/**
 * Opens the input and binds the mapping to its columns.
 *
 * @throws CannotStartError where either cannot be used; all problems of the mapping are in `details`
 */
export async function prepareInput(request: InputRequest): Promise<PreparedInput> {
  const { input, kind, selection, reading = {} } = request;
  const specs: readonly InputSpec[] = isStream(input)
    ? [{ kind: "stream", stream: input, name: request.inputName ?? "stdin" }]
    : await nameFiles([input].flat());
  const mapping = await readMapping(request.mapping, () => columnsOf(specs[0], kind, reading));
  const open = await openerOf(specs, kind, reading, request.warn);
  // Of several, it is told too whether two hold the same.
  const isNeeded = request.withoutIds !== true || specs.length > 1;
  const files = isNeeded ? await fingerprintFiles(specs) : [];
  warnOfCopies(files, request.warn);
  const fingerprint = fingerprintOfAll(files);
  const id =
    fingerprint === undefined ? (request.streamId ?? randomInputId()) : inputId(fingerprint);

  const source = await open();
  let unused: Source | undefined = source;
  const told = new Set<string>();
  const tellWarnings = ({ warnings }: Source) => {
    for (const warning of warnings) {
      if (!told.has(warning)) request.warn(warning);
      told.add(warning);
    }
  };
  tellWarnings(source);
  const name = nameOfAll(specs);
  const called = request.inputName ?? name;
  const identity = { name: called, id };
  const compiled = mapping.compile(source.columns, identity);
  if (compiled.kind === "invalid") {
    await source.close();
    throw mappingInvalid(request.mapping, compiled.problems);
  }

  return {
    name,
    called,
    files,
    id,
    fingerprint,
    mapping: { path: request.mapping, ...mapping.fingerprint, lookups: mapping.files },
    columns: source.columns,
    hasSources: source.hasSources ?? false,
    readAs: source.readAs ?? [{ name, dialect: source.dialect }],
    mapRow: compiled.mapRow,
    mapperFor(columns) {
      const other = mapping.compile(columns, identity);
      return other.kind === "compiled" ? other.mapRow : undefined;
    },
    columnUses: mapping.columnUses(source.columns),
    memberNames: mapping.memberNames,
    explain: mapping.explain?.(source.columns, identity),
    onKeyFailure: compiled.onKeyFailure,
    async open(from) {
      const position = from?.position ?? undefined;
      if (position !== undefined) await unused?.close();
      const opened = position === undefined && unused !== undefined ? unused : await open(position);
      unused = undefined;
      const rest = {
        skip: Math.max(0, selection.skip - (position?.rowsBefore ?? 0)),
        limit: selection.limit - (from?.rowsBeforePosition ?? 0),
      };
      return { ...opened, batches: selectRows(toTheEnd(opened, tellWarnings), rest) };
    },
    async lookThrough() {
      if (kind === "import") return;
      const source = await open();
      try {
        for await (const _ of source.batches);
      } catch (error) {
        await unused?.close();
        if (!(error instanceof InputDamagedError)) throw error;
        throw cannotStart("input_damaged", name, error.message);
      } finally {
        await source.close();
      }
    },
    async close() {
      await unused?.close();
    },
  };
}

/** What begins a pass over one input or several; what is odd is told of once. */
async function openerOf(
  specs: readonly InputSpec[],
  kind: InputKind,
  reading: Reading,
  warn: (message: string) => void,
): Promise<(from?: SourcePosition) => Promise<Source>> {
  let tell = warn;
  const openOne = (spec: InputSpec, from?: SourcePosition) =>
    openRows(spec, kind, reading, tell, from);
  const [first, second] = specs;
  if (first === undefined) throw cannotStart("option_invalid", "input", "it names no file");
  if (second === undefined) {
    return async (from) => {
      const source = await openOne(first, from);
      tell = () => {};
      return source;
    };
  }
  if (kind === "retry") {
    const why = "results files are read one at a time; give one of them";
    throw cannotStart("option_invalid", "input", why);
  }
  const openAll = await joinFiles(specs, openOne);
  tell = () => {};
  return async (from) => openAll(from);
}

/** Passes rows on, and tells when there are no more or none is wanted. */
async function* toTheEnd(
  source: Source,
  ended: (source: Source) => void,
): AsyncGenerator<readonly Row[]> {
  try {
    yield* source.batches;
  } finally {
    ended(source);
  }
}

async function openRows(
  spec: InputSpec,
  kind: InputKind,
  reading: Reading,
  warn: (message: string) => void,
  position?: SourcePosition,
): Promise<Source> {
  if (kind === "retry") {
    const source = await openResultsFile(spec, reading, position);
    if (source.missingColumns.length > 0) {
      warn(
        `${spec.name} has lost the columns ${source.missingColumns.join(", ")}: what they told is not known any more.`,
      );
    }
    const again = spec.kind === "file" ? () => openResultsFile(spec, reading) : undefined;
    return { ...source, batches: refuseDoubledLines(source.batches, again) };
  }
  const source = await openSource(spec, reading, position);
  const copied = originalOfSafeCopy(source.columns);
  if (copied !== undefined) {
    await source.close();
    throw cannotStart("safe_copy_as_input", spec.name, copied);
  }
  const reserved = source.columns.find(isResultsColumn);
  const isResults = isResultsFile(source.columns);
  if (reserved === undefined && !isResults) return source;
  await source.close();
  throw reserved === undefined || isResults
    ? cannotStart("results_file_as_input", spec.name)
    : cannotStart("reserved_column", spec.name, reserved);
}

/**
 * The columns of a file, as far as it can be read, for what else is wrong with a mapping. A stream
 * may take its time, which a mapping that is wrong anyway is not worth.
 */
async function columnsOf(
  spec: InputSpec | undefined,
  kind: InputKind,
  reading: Reading,
): Promise<readonly string[] | undefined> {
  if (spec?.kind !== "file") return undefined;
  const source = await openRows(spec, kind, reading, () => {}).catch(() => undefined);
  await source?.close();
  return source?.columns;
}
