import { nameOfAll } from "../input/open-several.ts";
import type { InputSpec } from "../input/read-bytes.ts";
import { type RowSelection, selectRows } from "../input/select-rows.ts";
import type { Source } from "../input/source.ts";
import {
  type Fingerprint,
  fingerprintOfAll,
  inputId,
  randomInputId,
} from "../journal/fingerprint.ts";
import type { Mapper } from "../mapping/compile-mapping.ts";
import type { ExplainRow } from "../mapping/explain-row.ts";
import type { ColumnUse } from "../model/column-use.ts";
import type { FilesReadAs } from "../model/dialect.ts";
import { cannotStart, InputDamagedError } from "../model/errors.ts";
import type { OnKeyFailure } from "../model/key-failure.ts";
import type { Reading } from "../model/reading.ts";
import type { Row } from "../model/row.ts";
import type { Checkpoint } from "../model/run-record.ts";
import { type Input, type InputKind, isStream, type MappingObject } from "./input.ts";
import { columnsOf, openerOf } from "./open-rows.ts";
import { type InputFile, nameFiles, warnOfCopies, watchFiles } from "./prepare-several.ts";
import type { LookupFile } from "./read-lookups.ts";
import { mappingInvalid, nameOfMapping, readMapping } from "./read-mapping.ts";

export interface InputRequest {
  readonly input: Input;
  readonly kind: InputKind;
  /** What the mapping is told that the input is called; default its name. */
  readonly inputName?: string | undefined;
  /** Path of the mapping file, or what would stand in it. */
  readonly mapping: string | MappingObject;
  readonly selection: RowSelection;
  /** How the input is to be read; default by its content. */
  readonly reading?: Reading | undefined;
  /** Whether the files are hashed as they are read, or once more before that; default before. */
  readonly hash?: "before" | "while_reading";
  /** When the run began, in ISO 8601: no date of birth is later than that day. */
  readonly startedAt: string;
  /** Called with what is odd and no reason to stop. */
  readonly warn: (message: string) => void;
}

/** Passes rows on, and sees them. */
export type Watch = (batches: Source["batches"]) => Source["batches"];

/** Where an interrupted run reads on. */
export type ReadFrom = Pick<Checkpoint, "position" | "rowsBeforePosition">;

/** What an input is known by. */
export interface InputIdentity {
  /** In the order in which they are read; none for what can be read only once. */
  readonly files: readonly InputFile[];
  /** Its identity in event ids: 16 hex digits. */
  readonly id: string;
  /** Of all the files; nothing for what can be read only once. */
  readonly fingerprint: Fingerprint | undefined;
}

/** An input and a mapping that fit each other. */
export interface PreparedInput {
  readonly name: string;
  /** What the mapping was told that it is called; with several files, the mapping gets the name of each. */
  readonly called: string;
  /**
   * What the input is, and which ids its events have: until then they have others. Reads the files for
   * their hash where no pass over the rows has come to their end.
   */
  identify(): Promise<InputIdentity>;
  readonly mapping: {
    readonly path: string;
    readonly lookups: readonly LookupFile[];
  } & Fingerprint;
  readonly columns: readonly string[];
  /** Whether each row says which of several files it is from. */
  readonly hasSources: boolean;
  /** How it is written, as far as that is detected from its beginning: each way, with its files. */
  readonly readAs: readonly FilesReadAs[];
  readonly mapRow: Mapper;
  /** The same mapping for a file whose columns may come in another order; undefined if some lack. */
  mapperFor(columns: readonly string[]): Mapper | undefined;
  /** The columns of which something is sent. */
  readonly columnUses: readonly ColumnUse[];
  /** The columns that the mapping reads, also those that only decide what is sent. */
  readonly columnsRead: readonly string[];
  /** The members of each of the mapping's events; undefined if a function makes them. */
  readonly memberNames: readonly (readonly string[])[] | undefined;
  /** What years of two digits are taken for, a sentence for each member that has them. */
  readonly twoDigitYears: readonly string[];
  /** How the members of a row come about; undefined if a function makes them. */
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
   * @param watch what else looks at the rows
   * @throws CannotStartError
   */
  lookThrough(watch?: Watch): Promise<void>;
  /** Lets go of an input that was not passed over. */
  close(): Promise<void>;
}

/**
 * Opens the input and binds the mapping to its columns.
 *
 * @throws CannotStartError if either cannot be used; all problems of the mapping are in `details`
 */
export async function prepareInput(request: InputRequest): Promise<PreparedInput> {
  const { input, kind, selection, reading = {} } = request;
  const watched = isStream(input) ? undefined : await watchFiles(await nameFiles([input].flat()));
  const specs: readonly InputSpec[] = isStream(input)
    ? [{ kind: "stream", stream: input, name: request.inputName ?? "stdin" }]
    : (watched?.specs ?? []);
  const mapping = await readMapping(request.mapping, () => columnsOf(specs[0], kind, reading));
  const open = await openerOf(specs, kind, reading, request.warn);
  const name = nameOfAll(specs);
  const called = request.inputName ?? name;
  const identity = { name: called, id: randomInputId() };
  let known: InputIdentity | undefined;
  const identify = async () => {
    if (known !== undefined) return known;
    const files = (await watched?.fingerprints()) ?? [];
    warnOfCopies(files, request.warn);
    const fingerprint = fingerprintOfAll(files);
    if (fingerprint !== undefined) identity.id = inputId(fingerprint);
    known = { files, id: identity.id, fingerprint };
    return known;
  };
  if (request.hash !== "while_reading") await identify();

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
  const runDay = request.startedAt.slice(0, "2024-05-31".length);
  const compiled = mapping.compile(source.columns, identity, runDay);
  if (compiled.kind === "invalid") {
    await source.close();
    throw mappingInvalid(nameOfMapping(request.mapping), compiled.problems);
  }

  return {
    name,
    called,
    identify,
    mapping: {
      path: nameOfMapping(request.mapping),
      ...mapping.fingerprint,
      lookups: mapping.files,
    },
    columns: source.columns,
    hasSources: source.hasSources ?? false,
    readAs: source.readAs ?? [{ name, dialect: source.dialect }],
    mapRow: compiled.mapRow,
    mapperFor(columns) {
      const other = mapping.compile(columns, identity, runDay);
      return other.kind === "compiled" ? other.mapRow : undefined;
    },
    columnUses: mapping.columnUses(source.columns),
    columnsRead: mapping.columnsRead(source.columns),
    memberNames: mapping.memberNames,
    twoDigitYears: mapping.twoDigitYears(runDay),
    explain: mapping.explain?.(source.columns, identity, runDay),
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
    async lookThrough(watch = (batches) => batches) {
      if (kind === "import") return;
      const source = await open();
      try {
        for await (const _ of watch(source.batches));
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
