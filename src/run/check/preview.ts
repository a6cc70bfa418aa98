import { mask } from "../../delivery/http/redact.ts";
import { systemClock } from "../../model/clock.ts";
import { createRequestBuilder, type Endpoint, parseBaseUrl } from "../../model/endpoint.ts";
import type { EventExplanation } from "../../model/explanation.ts";
import { checkReading, type GivenReading } from "../../model/reading.ts";
import type { Row, RowProblem } from "../../model/row.ts";
import {
  type GivenInput,
  type Input,
  type MappingObject,
  type Rows,
  toInput,
} from "../options/input.ts";
import { planRow } from "../prepare/plan-row.ts";
import { prepareInput } from "../prepare/prepare-input.ts";

export interface PreviewOptions {
  readonly input: Input | Rows;
  /** Path of the mapping file, or what would stand in it. */
  readonly mapping: string | MappingObject;
  /** How the input is to be read; default by its content. */
  readonly reading?: GivenReading;
  /** Number of the row, from 1. */
  readonly row: number;
  /** Without it the addresses begin with `{base_url}`. */
  readonly baseUrl?: string;
  readonly allowHttp?: boolean;
  readonly idempotencyHeader?: string;
}

/** A request as it would leave, with the token masked. */
export interface PreviewedRequest {
  readonly method: "POST";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** How each member came about; undefined if a function made it, or the row could not be read. */
type Explained = readonly EventExplanation[] | undefined;

export type Preview =
  | {
      readonly kind: "requests";
      readonly row: Row;
      readonly requests: readonly PreviewedRequest[];
      readonly explained: Explained;
    }
  | {
      readonly kind: "invalid";
      readonly row: Row;
      readonly problems: readonly RowProblem[];
      readonly explained: Explained;
    }
  | { readonly kind: "skipped"; readonly row: Row; readonly why: string }
  | { readonly kind: "no_such_row" };

/**
 * The requests of one row, built by the code that sends them.
 *
 * @throws CannotStartError if input, mapping or base URL cannot be used
 */
export async function previewRow(options: PreviewOptions): Promise<Preview> {
  const { mapping, baseUrl, reading } = options;
  checkReading(reading);
  const endpoint =
    baseUrl === undefined ? placeholder : parseBaseUrl(baseUrl, options.allowHttp ?? false);
  const selection = { skip: options.row - 1, limit: 1 };
  const { input, inputName } = await toInput<GivenInput>({ input: options.input });
  const prepared = await prepareInput({
    input,
    inputName,
    kind: "import",
    mapping,
    reading,
    selection,
    startedAt: systemClock.date().toISOString(),
    warn: () => {},
  });
  const row = await firstRow(prepared);
  if (row === undefined) return { kind: "no_such_row" };

  const firstAttempt = systemClock.date().toISOString();
  const explain = row.problem === undefined ? prepared.explain : undefined;
  const planned = planRow(row, prepared.mapRow, prepared.onKeyFailure);
  const { problems, outcomes } = planned;
  if (problems.length > 0) {
    return { kind: "invalid", row, problems, explained: explain?.(row, [], firstAttempt) };
  }
  if (planned.events.length === 0) return { kind: "skipped", row, why: outcomes[0]?.error ?? "" };
  const authorization = `Bearer ${mask}`;
  const build = createRequestBuilder(endpoint, { authorization }, options.idempotencyHeader);
  const requests = planned.events.map((event): PreviewedRequest => {
    const { path, headers, body } = build(event, firstAttempt);
    return { method: "POST", url: endpoint.origin + path, headers, body };
  });
  const explained = explain?.(row, planned.events, firstAttempt);
  return { kind: "requests", row, requests, explained };
}

const placeholder: Endpoint = {
  origin: "{base_url}",
  baseUrl: "{base_url}",
  path: (resource) => `/v1/${resource}/events`,
};

async function firstRow(prepared: Awaited<ReturnType<typeof prepareInput>>) {
  const source = await prepared.open();
  try {
    for await (const [row] of source.batches) return row;
    return undefined;
  } finally {
    await source.close();
  }
}
