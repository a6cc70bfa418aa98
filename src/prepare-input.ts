import { basename } from "node:path";
import { cannotStart } from "./domain/errors.ts";
import type { OnKeyFailure } from "./domain/key-failure.ts";
import { isResultsColumn, isResultsFile } from "./domain/results-columns.ts";
import type { Row } from "./domain/row.ts";
import type { Checkpoint } from "./domain/run-record.ts";
import type { SourcePosition } from "./domain/source-position.ts";
import {
  type Fingerprint,
  fingerprintFile,
  inputId,
  randomInputId,
} from "./journal/fingerprint.ts";
import type { Mapper } from "./mapping/compile-mapping.ts";
import type { LookupFile } from "./read-lookups.ts";
import { mappingInvalid, readMapping } from "./read-mapping.ts";
import type { Dialect } from "./source/dialect.ts";
import { openResultsFile } from "./source/open-results-file.ts";
import { openSource } from "./source/open-source.ts";
import type { InputSpec } from "./source/read-bytes.ts";
import type { Reading } from "./source/reading.ts";
import { type RowSelection, selectRows } from "./source/select-rows.ts";
import type { Source } from "./source/source.ts";

/** What is read: a path, or the bytes of something that can be read once, such as standard input. */
export type Input = string | AsyncIterable<Uint8Array>;

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
  /** What the mapping was told that it is called. */
  readonly called: string;
  /** Nothing for what can be read only once. */
  readonly path: string | undefined;
  /** Identity of the input in event ids: 16 hex digits. */
  readonly id: string;
  /** Of the file; for what can be read once it is not known before the end. */
  readonly fingerprint: Fingerprint | undefined;
  readonly mapping: {
    readonly path: string;
    readonly lookups: readonly LookupFile[];
  } & Fingerprint;
  readonly columns: readonly string[];
  /** How it is written, as far as that is found out from its beginning. */
  readonly dialect: Dialect;
  readonly mapRow: Mapper;
  readonly onKeyFailure: OnKeyFailure;
  /**
   * Begins a pass over the chosen rows. A file allows any number of them, a stream one.
   *
   * @param from where an interrupted run reads on
   */
  open(from?: ReadFrom): Promise<Source>;
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
  const spec: InputSpec =
    typeof input === "string"
      ? { kind: "file", path: input, name: basename(input) }
      : { kind: "stream", stream: input, name: request.inputName ?? "stdin" };
  const mapping = await readMapping(request.mapping, () => columnsOf(spec, kind, reading));
  const fingerprint = spec.kind === "file" ? await fingerprintFile(spec.path) : undefined;
  const id =
    fingerprint === undefined ? (request.streamId ?? randomInputId()) : inputId(fingerprint);

  const source = await openRows(spec, kind, reading, request.warn);
  let unused: Source | undefined = source;
  const told = new Set<string>();
  const tellWarnings = ({ warnings }: Source) => {
    for (const warning of warnings) {
      if (!told.has(warning)) request.warn(warning);
      told.add(warning);
    }
  };
  tellWarnings(source);
  const identity = { name: request.inputName ?? spec.name, id };
  const compiled = mapping.compile(source.columns, identity);
  if (compiled.kind === "invalid") {
    await source.close();
    throw mappingInvalid(request.mapping, compiled.problems);
  }

  return {
    name: spec.name,
    called: request.inputName ?? spec.name,
    path: spec.kind === "file" ? spec.path : undefined,
    id,
    fingerprint,
    mapping: { path: request.mapping, ...mapping.fingerprint, lookups: mapping.lookups },
    columns: source.columns,
    dialect: source.dialect,
    mapRow: compiled.mapRow,
    onKeyFailure: compiled.onKeyFailure,
    async open(from) {
      const position = from?.position ?? undefined;
      if (position !== undefined) await unused?.close();
      const opened =
        position === undefined && unused !== undefined
          ? unused
          : await openRows(spec, kind, reading, () => {}, position);
      unused = undefined;
      const rest = {
        skip: Math.max(0, selection.skip - (position?.rowsBefore ?? 0)),
        limit: selection.limit - (from?.rowsBeforePosition ?? 0),
      };
      return { ...opened, batches: selectRows(toTheEnd(opened, tellWarnings), rest) };
    },
    async close() {
      await unused?.close();
    },
  };
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
    return source;
  }
  const source = await openSource(spec, reading, position);
  const reserved = source.columns.find(isResultsColumn);
  if (reserved === undefined) return source;
  await source.close();
  throw isResultsFile(source.columns)
    ? cannotStart("results_file_as_input", spec.name)
    : cannotStart("reserved_column", spec.name, reserved);
}

/**
 * The columns of a file, as far as it can be read, for what else is wrong with a mapping. A stream
 * may take its time, which a mapping that is wrong anyway is not worth.
 */
async function columnsOf(
  spec: InputSpec,
  kind: InputKind,
  reading: Reading,
): Promise<readonly string[] | undefined> {
  if (spec.kind === "stream") return undefined;
  const source = await openRows(spec, kind, reading, () => {}).catch(() => undefined);
  await source?.close();
  return source?.columns;
}
