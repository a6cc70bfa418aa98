import { dayMs } from "../model/clock.ts";
import { type Coerce, Misfit } from "./coerce.ts";
import { trimmed } from "./columns.ts";
import {
  type CivilTime,
  compileDateFormat,
  firstYear,
  inOtherOrder,
  luxon,
} from "./date-format.ts";

/** Converts a date in one of the formats to `2024-05-01`. A time beside it is left out. */
export function toDate(formats: readonly string[], pivotYear?: number): Coerce {
  const read = anyOf(formats, pivotYear);
  const message = `is not a date in ${formatsText(formats)}`;
  const hint = orderHint(formats);
  return (cell) => {
    const date = read(trimmed(cell));
    return date === undefined
      ? new Misfit("not_a_date", message + hint(trimmed(cell)))
      : isoDay(date);
  };
}

/** Converts a time in a zone to the UTC instant `2024-05-01T12:30:00.000Z`, with all decimals that its second has. */
export function toDatetime(
  formats: readonly string[],
  zoneName: string,
  pivotYear?: number,
): Coerce {
  const read = anyOf(formats, pivotYear);
  const message = `is not a date and time in ${formatsText(formats)}`;
  const hint = orderHint(formats);
  const instantOf = inZone(zoneName);
  return (cell) => {
    const time = read(trimmed(cell));
    if (time === undefined) return new Misfit("not_a_datetime", message + hint(trimmed(cell)));
    const localMs = localMsOf(time);
    const { offset, beyondMs } = time;
    const instant = offset === undefined ? instantOf(localMs) : localMs - offset * 60_000;
    if (instant === undefined) {
      return new Misfit("not_a_datetime", `did not exist in ${zoneName}: clocks went forward then`);
    }
    if (instant < firstInstant || instant > lastInstant) {
      return new Misfit(
        "not_a_datetime",
        `is outside the years ${firstYear} to 9999 when it is in UTC`,
      );
    }
    const text = new Date(instant).toISOString();
    return beyondMs === undefined ? text : text.replace("Z", `${beyondMs}Z`);
  };
}

const firstInstant = Date.UTC(firstYear, 0);
const lastInstant = Date.parse("9999-12-31T23:59:59.999Z");

function localMsOf({ year, month, day, timeMs }: CivilTime): number {
  return Date.UTC(year, month - 1, day) + timeMs;
}

function orIso(formats: readonly string[]): readonly string[] {
  return formats.length === 0 ? ["iso"] : formats;
}

function formatsText(formats: readonly string[]): string {
  return orIso(formats)
    .map((format) => formatNames[format] ?? format)
    .join(" or ");
}

const formatNames: Readonly<Record<string, string>> = {
  iso: "ISO 8601 (such as 2024-05-31)",
  excel_serial: "Excel's numbers of days",
  X: "seconds since 1970",
  x: "milliseconds since 1970",
};

/** A hint where a cell has day and month in the other order. */
function orderHint(formats: readonly string[]): (cell: string) => string {
  const others = formats.flatMap((format) => inOtherOrder(format) ?? []);
  const readers = others.map((format) => ({ format, read: compileDateFormat(format) }));
  return (cell) => {
    const other = readers.find(({ read }) => read(cell) !== undefined);
    return other === undefined ? "" : `; it is one in ${other.format}`;
  };
}

function anyOf(
  formats: readonly string[],
  pivotYear: number | undefined,
): (text: string) => CivilTime | undefined {
  const readers = orIso(formats).map((format) => compileDateFormat(format, pivotYear));
  const [only] = readers;
  if (readers.length === 1 && only !== undefined) return only;
  return (text) => {
    for (const read of readers) {
      const date = read(text);
      if (date !== undefined) return date;
    }
    return undefined;
  };
}

function isoDay({ year, month, day }: CivilTime): string {
  return `${year}-${two(month)}-${two(day)}`;
}

function two(number: number): string {
  return number < 10 ? `0${number}` : String(number);
}

const maxCachedDays = 40_000;

/**
 * The instant of a local time. Undefined if the clocks skipped it; the earlier of two if the clocks
 * went back over it.
 */
function inZone(name: string): (localMs: number) => number | undefined {
  if (name === "UTC") return (localMs) => localMs;
  const zone = luxon().IANAZone.create(name);
  /** Offsets of days without a change: asking luxon takes a hundred times as long. */
  const steady = new Map<number, number | undefined>();
  const offsetOfDay = (day: number): number | undefined => {
    if (steady.has(day)) return steady.get(day);
    const [before, after] = [zone.offset((day - 1) * dayMs), zone.offset((day + 2) * dayMs)];
    const offset = before === after ? before : undefined;
    if (steady.size >= maxCachedDays) steady.clear();
    steady.set(day, offset);
    return offset;
  };
  return (localMs) => {
    const offset = offsetOfDay(Math.floor(localMs / dayMs));
    if (offset !== undefined) return localMs - offset * 60_000;
    const candidates = [localMs - dayMs, localMs + dayMs]
      .map((near) => localMs - zone.offset(near) * 60_000)
      .filter((instant) => instant + zone.offset(instant) * 60_000 === localMs);
    return candidates.length === 0 ? undefined : Math.min(...candidates);
  };
}
