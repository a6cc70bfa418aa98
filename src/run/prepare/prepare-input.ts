import { nameOfAll } from "../../input/open-several.ts";
import type { InputSpec } from "../../input/read-bytes.ts";
import type { Source } from "../../input/source.ts";
import { fingerprintOfAll, inputId, randomInputId } from "../../journal/fingerprint.ts";
import { type FilesReadAs, type Reading, resolveReading } from "../../model/reading.ts";
import type { Row, RowProblem } from "../../model/row.ts";
import type { SelectedLines } from "../../model/run-events.ts";
import type { ArrivedRecord, Fingerprint } from "../../model/run-record.ts";
import type { Settings } from "../../model/run-settings.ts";
import { isInShard } from "../../model/shard.ts";
import { type GivenMapping, type Input, isStream } from "../options/input.ts";
import {
  columnsOfInput,
  holdFiles,
  type InputFile,
  nameFiles,
  openerOf,
  warnOfCopies,
} from "./open-inputs.ts";
import { type BoundMapping, readMapping } from "./read-mapping.ts";

export interface InputRequest extends Pick<Settings, "reading" | "skip" | "limit" | "shard"> {
  readonly input: Input;
  /** Path of the state of nights; with one, a row needs an ordering key. */
  readonly state?: string | undefined;
  /** What the input is called, if it is one; default the name of the file. */
  readonly inputName?: string | undefined;
  readonly mapping: GivenMapping;
  /** Whether the files stay open until the input is closed. */
  readonly hold?: boolean;
  readonly warn: (message: string) => void;
}

export interface InputIdentity {
  /** In the order of reading; empty if the input can be read only once. */
  readonly files: readonly InputFile[];
  /** The input's identity in event ids: 16 hex digits. */
  readonly id: string;
  /** Of all files together; undefined if the input can be read only once. */
  readonly fingerprint: Fingerprint | undefined;
}

/** What a retry selects: its rows, with all their lines, and what has arrived behind them. */
export type Selected = { readonly kind: "row"; readonly row: Row } | ArrivedRecord;

export interface PreparedInput extends BoundMapping {
  readonly name: string;
  /** The name of the input for the mapping: of rows that are sent again, that of the input that they are from. */
  readonly called: string;
  /**
   * Tells what the input is, and gives its events their final ids. Reads the files for their hash.
   *
   * @param ids of a night, what sets its ids apart from those of others
   */
  identify(ids?: string): Promise<InputIdentity>;
  /** How the input is read, as far as that was said. */
  readonly reading: Reading;
  readonly columns: readonly string[];
  /** Whether each row says which of several files it is from. */
  readonly hasSources: boolean;
  /** The dialects, as far as they are detected from the beginning, each with its files. */
  readonly readAs: readonly FilesReadAs[];
  /**
   * Of rows that are sent again: selects them.
   *
   * @param put is given each row that is selected
   * @throws CannotStartError if the account or the given file cannot be used
   */
  select?(put: (selected: Selected) => Promise<void>): Promise<SelectedLines>;
  /**
   * Begins a pass over the chosen rows. A file allows any number of passes, a stream one.
   *
   * @param onOther called with each row of another shard
   */
  beginPass(onOther?: (row: Row) => void): Promise<Source>;
  close(): Promise<void>;
}

/**
 * Opens the input and binds the mapping to its columns.
 *
 * @throws CannotStartError if either cannot be used; all problems of the mapping are in `details`
 */
export async function prepareInput(request: InputRequest): Promise<PreparedInput> {
  const { input, inputName, hold } = request;
  const held = isStream(input)
    ? undefined
    : await holdFiles(await nameFiles([input].flat(), inputName), hold);
  try {
    return await prepareHeld(request, held);
  } catch (error) {
    await held?.close();
    throw error;
  }
}

async function prepareHeld(
  request: InputRequest,
  held: Awaited<ReturnType<typeof holdFiles>> | undefined,
): Promise<PreparedInput> {
  const { input, shard } = request;
  const readingBy = (ofMapping: Reading) => resolveReading(request.reading ?? {}, ofMapping);
  const specs: readonly InputSpec[] = isStream(input)
    ? [{ kind: "stream", stream: input, name: request.inputName ?? "stdin" }]
    : (held?.specs ?? []);
  const mapping = await readMapping(request.mapping, () => columnsOfInput(specs[0], readingBy({})));
  const reading = readingBy(mapping.reading);
  const open = await openerOf(specs, reading);
  const name = nameOfAll(specs);
  const identity = { name, id: randomInputId() };
  let known: InputIdentity | undefined;
  const identify = async (ids?: string) => {
    if (known !== undefined && ids === undefined) return known;
    const files = known?.files ?? (await held?.fingerprints()) ?? [];
    if (known === undefined) warnOfCopies(files, request.warn);
    const fingerprint = fingerprintOfAll(files);
    if (fingerprint !== undefined) identity.id = inputId(fingerprint, ids);
    known = { files, id: identity.id, fingerprint };
    return known;
  };

  const source = await open();
  let unused: Source | undefined = source;
  /** A pass that stops early would count less than the first has told. */
  let isReadBefore = false;
  const reported = new Set<string>();
  const tellWarnings = ({ warnings }: Source) => {
    for (const warning of warnings) {
      if (!reported.has(warning)) request.warn(warning);
      reported.add(warning);
    }
  };
  tellWarnings(source);
  let bound: BoundMapping;
  try {
    bound = mapping.bind(source.columns, identity);
    // What the service has of a key is known if all its events succeed in their order.
    if (request.state !== undefined) bound = { ...withoutBlankKeys(bound), onKeyFailure: "block" };
  } catch (error) {
    await source.close();
    throw error;
  }

  return {
    name,
    called: name,
    identify,
    ...bound,
    reading,
    columns: source.columns,
    hasSources: source.hasSources ?? false,
    readAs: source.readAs ?? [{ name, dialect: source.dialect }],
    async beginPass(onOther) {
      const opened = unused ?? (await open());
      unused = undefined;
      const all = isReadBefore ? opened.batches : toTheEnd(opened, tellWarnings);
      isReadBefore = true;
      const isWanted =
        shard &&
        ((row: Row) => {
          const isOwn = isInShard(shard, bound.keyOf?.(row.cells), row.row);
          if (!isOwn) onOther?.(row);
          return isOwn;
        });
      return { ...opened, batches: selectRows(all, request, isWanted) };
    },
    async close() {
      await unused?.close();
      await held?.close();
    },
  };
}

/**
 * Passes on the chosen rows; reads no further than it has to. Rows keep their numbers.
 *
 * @param isWanted which of them; default all
 */
export async function* selectRows(
  batches: AsyncIterable<readonly Row[]>,
  { skip = 0, limit = Number.POSITIVE_INFINITY }: Pick<Settings, "skip" | "limit">,
  isWanted?: (row: Row) => boolean,
): AsyncGenerator<readonly Row[]> {
  let seen = 0;
  if (limit === 0) return;
  for await (const rows of batches) {
    const part = rows.slice(Math.max(0, skip - seen), Math.max(0, skip + limit - seen));
    seen += rows.length;
    const chosen = isWanted === undefined ? part : part.filter(isWanted);
    if (chosen.length > 0) yield chosen;
    if (seen >= skip + limit) return;
  }
}

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

const blankKey: RowProblem = {
  code: "missing_value",
  message: "its ordering key is blank, and --state keeps what the service has by that key",
};

/** The mapping of a night: a row without a key is invalid. */
export function withoutBlankKeys(mapping: BoundMapping): BoundMapping {
  return {
    ...mapping,
    mapRow(row) {
      const mapped = mapping.mapRow(row);
      const isBlank = mapped.kind === "events" && mapped.orderingKey === undefined;
      return isBlank ? { kind: "invalid", problems: [blankKey] } : mapped;
    },
  };
}
