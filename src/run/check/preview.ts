import { mask } from "../../delivery/http/redact.ts";
import { systemClock } from "../../model/clock.ts";
import { createRequestBuilder, endpointAt, parseBaseUrl } from "../../model/endpoint.ts";
import type { EventExplanation, Method } from "../../model/event.ts";
import type { Row, RowProblem } from "../../model/row.ts";
import type { StopSignal } from "../../model/stop.ts";
import type { ImportOptions, NightOptions } from "../options/import-options.ts";
import { checkSettings } from "../options/import-settings.ts";
import { type GivenMapping, toInput } from "../options/input.ts";
import { type PlannedRow, planRow } from "../prepare/plan-row.ts";
import { type PreparedInput, prepareInput } from "../prepare/prepare-input.ts";

export interface PreviewOptions
  extends Pick<ImportOptions, "input" | "mapping" | "reading" | "allowHttp" | "idempotencyHeader">,
    Pick<NightOptions, "state"> {
  /** Number of the row, from 1. */
  readonly row: number;
  /** If absent, the addresses begin with `{base_url}`. */
  readonly baseUrl?: string;
}

export interface PreviewedRequest {
  readonly method: Method;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** How each member was made; undefined if a function made it, or the row could not be read. */
type Explained = readonly EventExplanation[] | undefined;

/** What the page asks for too: a mapping that is not saved yet, perhaps of a row that is to be found. */
export interface PreviewRequest extends Omit<PreviewOptions, "mapping"> {
  readonly mapping: GivenMapping;
  /** Whether to take the first row from there on that is invalid. */
  readonly onlyInvalid?: boolean;
  /** Whether the file is not read whole for the event ids, so that nobody knows them. */
  readonly withoutIds?: boolean;
  readonly stop?: Pick<StopSignal, "aborted">;
}

export type Preview =
  | { readonly kind: "no_such_row" }
  | ({ readonly row: Row; readonly columns: readonly string[] } & (
      | {
          readonly kind: "requests";
          readonly requests: readonly PreviewedRequest[];
          readonly explained: Explained;
        }
      | {
          readonly kind: "invalid";
          readonly problems: readonly RowProblem[];
          readonly explained: Explained;
        }
      | { readonly kind: "skipped"; readonly why: string }
    ));

/**
 * The requests of one row, built by the code that sends them.
 *
 * @throws CannotStartError if input, mapping or base URL cannot be used
 */
export async function previewRow(options: PreviewRequest): Promise<Preview> {
  const { baseUrl } = options;
  checkSettings(options);
  const endpoint =
    baseUrl === undefined
      ? endpointAt("{base_url}", "")
      : parseBaseUrl(baseUrl, options.allowHttp ?? false);
  const prepared = await prepareInput({
    ...(await toInput(options)),
    skip: options.row - 1,
    ...(options.onlyInvalid ? {} : { limit: 1 }),
    warn: () => {},
  });
  if (!options.withoutIds) await prepared.identify();
  const found = await firstRow(prepared, options);
  if (found === undefined) return { kind: "no_such_row" };
  const { row, planned } = found;
  const { columns } = prepared;

  const firstAttempt = systemClock.date().toISOString();
  const explain = row.problem === undefined ? prepared.explain : undefined;
  const { problems, lines } = planned;
  if (problems.length > 0) {
    return { kind: "invalid", row, columns, problems, explained: explain?.(row, [], firstAttempt) };
  }
  if (planned.events.length === 0) {
    const why = lines[0]?.kind === "settled" ? (lines[0].outcome.error ?? "") : "";
    return { kind: "skipped", row, columns, why };
  }
  const authorization = `Bearer ${mask}`;
  const build = createRequestBuilder(endpoint, { authorization }, options.idempotencyHeader);
  const requests = planned.events.map((event): PreviewedRequest => {
    const { method, path, headers, body } = build(event, firstAttempt);
    const shown = options.withoutIds ? body.replaceAll(event.id, "(id of the event)") : body;
    return { method, url: endpoint.origin + path, headers, body: shown };
  });
  const explained = explain?.(row, planned.events, firstAttempt);
  return { kind: "requests", row, columns, requests, explained };
}

async function firstRow(
  prepared: PreparedInput,
  { onlyInvalid, stop, withoutIds }: PreviewRequest,
): Promise<{ readonly row: Row; readonly planned: PlannedRow } | undefined> {
  const source = await prepared.beginPass();
  try {
    if (!withoutIds) await prepared.identify();
    for await (const batch of source.batches) {
      if (stop?.aborted) break;
      for (const row of batch) {
        const planned = planRow(row, prepared);
        if (!onlyInvalid || planned.problems.length > 0) return { row, planned };
      }
    }
    return undefined;
  } finally {
    await source.close();
  }
}
