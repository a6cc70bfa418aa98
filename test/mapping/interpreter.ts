import { DateTime } from "luxon";
import { splitList } from "../../src/mapping/compile-conversion.ts";

/**
 * The mapping language as a slow and obvious program: everything is looked up by name for each row, with
 * what JavaScript and luxon have. The compiled mapping has to say the same.
 */
export type Interpreted =
  | { readonly kind: "events"; readonly bodies: readonly string[] }
  | { readonly kind: "invalid"; readonly codes: readonly string[] }
  | { readonly kind: "skipped" };

// biome-ignore lint/suspicious/noExplicitAny: a mapping file as JSON, taken for what it is
type Part = any;
type Cells = Readonly<Record<string, string>>;

class Invalid extends Error {}

export function interpret(
  file: Part,
  cells: Cells,
  metaValue: (name: string) => unknown,
): Interpreted {
  const wordsOf = (list: Part) => (list ?? []).map((one: unknown) => String(one).trim());
  const clears = wordsOf(file.clear_values);
  const nulls = [...wordsOf(file.null_values), ...clears].filter(Boolean);
  const unlessNull = (text: string) => (nulls.includes(text.trim()) ? "" : text);
  const cell = (name: unknown) => unlessNull(cells[String(name)] ?? "");
  const raw = (name: unknown) => cells[String(name)] ?? "";
  const codes: string[] = [];
  const wants = (condition: Part) => attempt(() => holds(condition, cell, raw), codes) ?? false;
  if (file.when !== undefined) {
    const isWanted = wants(file.when);
    if (codes.length > 0) return { kind: "invalid", codes };
    if (!isWanted) return { kind: "skipped" };
  }
  const bodies: string[] = [];
  for (const block of file.events ?? [file]) {
    if (block !== file && block.when !== undefined && !wants(block.when)) continue;
    const body: Part = new Group();
    body.event = attempt(() => eventName(block.event, cell), codes);
    for (const [name, given] of Object.entries<Part>(block.members)) {
      const spec = typeof given === "object" && given !== null ? given : { column: given };
      const read = columnsOf(spec).map(raw);
      const isCleared =
        read.some((text) => clears.includes(text.trim())) &&
        read.every((text) => unlessNull(text).trim() === "");
      const isLeftOut = spec.when !== undefined && !wants(spec.when);
      const value = isLeftOut
        ? undefined
        : isCleared
          ? attempt(() => cleared(spec), codes)
          : attempt(() => member(spec, cell, unlessNull, file.empty, metaValue), codes);
      // Also where there is none: an object stands where the first of its members does.
      put(body, pathOf(name), value);
    }
    bodies.push(JSON.stringify(withoutGaps(body)));
  }
  if (codes.length > 0) return { kind: "invalid", codes };
  return bodies.length === 0 ? { kind: "skipped" } : { kind: "events", bodies };
}

/** The columns that a member reads. */
function columnsOf({ column, columns, template }: Part): Part[] {
  if (template === undefined) return columns ?? (column === undefined ? [] : [column]);
  const inserted = String(template).matchAll(/\{\{|\}\}|\{([^}]*)\}/g);
  return Array.from(inserted, ([, name]) => name?.split("|")[0]).filter(
    (name) => name !== undefined,
  );
}

function cleared({ required }: Part): null {
  if (required) throw new Invalid("missing_value");
  return null;
}

function attempt<Value>(make: () => Value, codes: string[]): Value | undefined {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof Invalid)) throw error;
    codes.push(error.message);
    return undefined;
  }
}

type ReadCell = (name: unknown) => string;

const isoDay = /^\d{4}-\d\d-\d\d($|[T ]\d\d:\d\d)/;

/** @param raw the cell as the file has it, also where it counts as blank */
function holds(condition: Part, cell: ReadCell, raw: ReadCell): boolean {
  const inner = (one: Part) => holds(one, cell, raw);
  if ("all" in condition) return condition.all.every(inner);
  if ("any" in condition) return condition.any.some(inner);
  if ("not" in condition) return !inner(condition.not);
  const text = raw(condition.column).trim();
  const among = (list: Part[]) => list.some((one) => String(one).trim() === text);
  if ("in" in condition) return among(condition.in);
  if ("not_in" in condition) return !among(condition.not_in);
  if (typeof condition.equals === "object") return raw(condition.equals.column).trim() === text;
  if ("equals" in condition) return among([condition.equals]);
  if ("above" in condition || "below" in condition) {
    const bound = condition.above ?? condition.below;
    const isDay = typeof bound === "string";
    if (cell(condition.column).trim() === "") return false;
    const isComma = condition.decimal_separator === ",";
    const number = isComma ? /^[+-]?(\d+,?\d*|,\d+)$/ : /^[+-]?(\d+\.?\d*|\.\d+)$/;
    if (!(isDay ? isoDay : number).test(text)) {
      throw new Invalid(isDay ? "not_a_date" : "not_a_number");
    }
    const given = isDay ? text.slice(0, 10) : Number(text.replace(",", "."));
    return "above" in condition ? given > bound : given < bound;
  }
  if ("matches" in condition) return new RegExp(condition.matches, "u").test(text);
  return condition.blank === (cell(condition.column).trim() === "");
}

function sourceText(spec: Part, cell: ReadCell): string {
  if ("column" in spec) return cell(spec.column);
  if ("columns" in spec)
    return spec.columns.map(cell).find((text: string) => text.trim() !== "") ?? "";
  let isBlank = true;
  const filled = spec.template.replaceAll(
    /\{\{|\}\}|\{([^}]*)\}/g,
    (all: string, name?: string) => {
      if (name === undefined) return all.charAt(0);
      const [column, ...steps] = name.split("|");
      const inserted = transformed(cell(column), steps);
      if (inserted.trim() !== "") isBlank = false;
      return inserted;
    },
  );
  return isBlank ? "" : filled;
}

function transformed(text: string, transform: Part): string {
  return [transform ?? []].flat().reduce((current: string, step: Part) => {
    switch (step) {
      case "trim":
        return current.trim();
      case "collapse_spaces":
        return current.split(/\s+/u).filter(Boolean).join(" ");
      case "lowercase":
        return current.toLowerCase();
      case "uppercase":
        return current.toUpperCase();
      case "title_case":
        return current.replaceAll(/[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu, (word) => {
          const first = [...word][0] ?? "";
          // The capital of ß or of the ligature ff is two letters, of which the second is small.
          const [capital = "", ...others] = first.toUpperCase();
          return capital + others.join("").toLowerCase() + word.slice(first.length).toLowerCase();
        });
      case "digits_only":
        return Array.from(current, (char) => (/\p{Nd}/u.test(char) ? char : "")).join("");
    }
    if ("strip_prefix" in step) {
      const prefix = String(step.strip_prefix);
      return current.startsWith(prefix) ? current.slice(prefix.length) : current;
    }
    if ("split" in step) {
      const { by, item } = step.split;
      const items = current.split(String(by));
      return (items[item > 0 ? item - 1 : items.length + item] ?? "").trim();
    }
    if ("pad_start" in step) {
      if (current.trim() === "") return current;
      const missing = step.pad_start.length - [...current.trim()].length;
      return Array.from({ length: missing }, () => step.pad_start.with).join("") + current.trim();
    }
    const { find, pattern, with: to } = step.replace;
    return pattern === undefined
      ? current.replaceAll(String(find), () => String(to))
      : current.replaceAll(new RegExp(pattern, "gu"), String(to));
  }, text);
}

function eventName(spec: Part, cell: ReadCell): string {
  if (typeof spec !== "object") return String(spec);
  if ("value" in spec) return spec.value;
  const text = transformed(sourceText(spec, cell), spec.transform);
  const name = spec.map === undefined ? text : among(spec.map, text);
  if (name !== undefined && String(name).trim() !== "") return String(name);
  const fallback = text.trim() === "" ? spec.default : spec.otherwise;
  if (fallback !== undefined) return String(fallback);
  throw new Invalid(text.trim() === "" ? "missing_event" : "unknown_value");
}

function member(
  spec: Part,
  cell: ReadCell,
  unlessNull: (text: string) => string,
  emptyOfFile: Part,
  metaValue: (name: string) => unknown,
): unknown {
  if ("meta" in spec) return metaValue(spec.meta);
  if ("value" in spec) return spec.value;
  const text = transformed(sourceText(spec, cell), spec.transform);
  if (spec.map !== undefined) {
    const value = among(spec.map, text);
    if (value !== undefined) return value;
  }
  const isBlank = text.trim() === "";
  const value = isBlank || spec.map !== undefined ? "" : converted(text, spec, unlessNull);
  if (isBlank || (Array.isArray(value) && spec.type === "list" && value.length === 0)) {
    if (spec.default !== undefined) return spec.default;
    if (spec.required) throw new Invalid("missing_value");
    const empty = "empty" in spec ? spec.empty : emptyOfFile === undefined ? "omit" : emptyOfFile;
    return empty === "omit" ? undefined : empty === "keep" ? text : null;
  }
  if (spec.map !== undefined) {
    if (spec.otherwise !== undefined) return spec.otherwise;
    throw new Invalid("unknown_value");
  }
  return value;
}

function among(map: Part, text: string): Part {
  return Object.entries(map).find(([key]) => key.trim() === text.trim())?.[1];
}

function converted(text: string, spec: Part, unlessNull: (text: string) => string): unknown {
  const type = spec.type ?? "string";
  if (type === "list") {
    return splitList(text, spec.separator)
      .map((item) => transformed(unlessNull(item.trim()), spec.items?.transform))
      .filter((item) => item.trim() !== "")
      .map((item) => converted(item, spec.items ?? {}, unlessNull));
  }
  const value = typed(text, type, spec);
  const number = Number(value);
  const length = [...String(value)].length;
  if (type === "string" && spec.format !== undefined && !isInFormat(text, spec.format))
    throw new Invalid("wrong_format");
  if (spec.pattern !== undefined && !new RegExp(spec.pattern, "u").test(text))
    throw new Invalid("wrong_format");
  if (length < (spec.min_length ?? 0) || length > (spec.max_length ?? length))
    throw new Invalid("wrong_length");
  if (number < (spec.min ?? number) || number > (spec.max ?? number))
    throw new Invalid("out_of_range");
  const isSame = (one: Part) =>
    type === "string" ? String(one) === String(value) : Number(one) === number;
  if (spec.enum !== undefined && !spec.enum.some(isSame)) throw new Invalid("unknown_value");
  return value;
}

function typed(text: string, type: string, spec: Part): unknown {
  switch (type) {
    case "string":
      return text;
    case "integer":
    case "number":
    case "decimal":
      return numeric(text.trim(), type, spec);
    case "boolean": {
      const word = text.trim().toLowerCase();
      const has = (list: Part[]) => list.some((one) => String(one).trim().toLowerCase() === word);
      if (has(spec.true_values ?? ["true", "yes", "y", 1])) return true;
      if (has(spec.false_values ?? ["false", "no", "n", 0])) return false;
      throw new Invalid("not_a_boolean");
    }
    case "date":
      return moment(text.trim(), spec, "not_a_date").toFormat("yyyy-MM-dd");
    case "datetime":
      return moment(text.trim(), spec, "not_a_datetime").toUTC().toISO();
    default:
      try {
        return exact(JSON.parse(text));
      } catch {
        throw new Invalid("not_json");
      }
  }
}

/** No cell of the tests has a number in JSON that would change, unless it is nothing else. */
function exact(value: unknown): unknown {
  if (typeof value === "number" && Math.abs(value) > Number.MAX_SAFE_INTEGER) throw new Invalid("");
  return value;
}

function numeric(text: string, type: string, spec: Part): unknown {
  const code = `not_a${type === "integer" ? "n" : ""}_${type}`;
  const point = spec.decimal_separator ?? ".";
  const between = { " ": "[ \u00a0\u2009\u202f]", "'": "['\u2019]", ".": "\\.", ",": "," }[
    spec.thousands_separator as string
  ];
  const grouped = between === undefined ? "" : `[1-9]\\d{0,2}(?:${between}\\d{3})+|`;
  const exponent = type === "number" ? "([eE][+-]?\\d+)?" : "()";
  const ofInteger = spec.thousands_separator === "." ? "," : ".";
  const sign0 = type === "integer" ? ofInteger : point;
  const hasFraction = type !== "integer" || spec.scale !== undefined;
  const fraction = hasFraction ? `(?:\\${sign0}(\\d*))?` : "()";
  const match = new RegExp(`^([+-]?)(${grouped}\\d*)${fraction}${exponent}$`).exec(text);
  const [, sign = "", written = "", digits = "", power = ""] = match ?? [];
  const whole = written.replaceAll(/\D/g, "");
  if (match === null || whole + digits === "") throw new Invalid(code);
  const plain = `${sign === "-" ? "-" : ""}${whole || "0"}.${digits || "0"}${power}`;
  if (spec.scale !== undefined) return scaled(plain, digits, type, spec, code);
  if (type === "decimal") {
    const shown = `${BigInt(whole || "0")}${digits === "" ? "" : `.${digits}`}`;
    return sign === "-" && /[1-9]/.test(shown) ? `-${shown}` : shown;
  }
  if (Math.abs(Number(plain)) > Number.MAX_SAFE_INTEGER) throw new Invalid(code);
  return Number(plain);
}

/** Multiplies as fractions do: numerator by numerator. */
function scaled(plain: string, digits: string, type: string, spec: Part, code: string): unknown {
  const [mantissa = "", power = "0"] = plain.toLowerCase().split("e");
  const [factor = "", factorPower = "0"] = String(spec.scale).split("e");
  const places = (text: string) => (text.split(".")[1] ?? "").length;
  const numerator = BigInt(mantissa.replace(".", "")) * BigInt(factor.replace(".", ""));
  // The number is numerator / 10 ** decimals.
  const ofFactor = places(factor) - Number(factorPower);
  const decimals = places(mantissa) - Number(power) + ofFactor;
  const number = Number(`${numerator}e${-decimals}`);
  if (type === "integer" && !Number.isInteger(number)) throw new Invalid(code);
  if (type !== "decimal") {
    const exact = significant(String(numerator));
    const held = [String(number), number.toPrecision(Math.min(17, exact.length || 1))];
    const isExact = held.some((text) => significant(text) === exact);
    if (Math.abs(number) > Number.MAX_SAFE_INTEGER || !isExact) throw new Invalid(code);
    return number;
  }
  const trailing = /0*$/.exec(factor.replace(".", ""))?.[0].length ?? 0;
  const shown = Math.max(0, digits.length + ofFactor - trailing);
  const whole = numerator < 0n ? -numerator : numerator;
  const scale = 10n ** BigInt(Math.abs(decimals - shown));
  const units = decimals > shown ? whole / scale : whole * scale;
  const text = String(units).padStart(shown + 1, "0");
  const point = text.length - shown;
  const written = shown === 0 ? text : `${text.slice(0, point)}.${text.slice(point)}`;
  return numerator < 0n ? `-${written}` : written;
}

function significant(number: string): string {
  return (number.split("e")[0] ?? "").replaceAll(/\D/g, "").replaceAll(/^0+|0+$/g, "");
}

function moment(text: string, spec: Part, code: string): DateTime {
  const zone = spec.timezone ?? "UTC";
  for (const format of [spec.format ?? "iso"].flat()) {
    const read = momentIn(text, format, zone, code);
    if (read === undefined) continue;
    if (read === "never") throw new Invalid(code);
    return read;
  }
  throw new Invalid(code);
}

function momentIn(
  text: string,
  format: string,
  zone: string,
  code: string,
): DateTime | "never" | undefined {
  const utc = { zone: "UTC" };
  switch (format) {
    case "X":
      return /^-?\d{1,12}$/.test(text)
        ? ofFourDigits(DateTime.fromSeconds(Number(text), utc))
        : undefined;
    case "x":
      return /^-?\d{1,15}$/.test(text)
        ? ofFourDigits(DateTime.fromMillis(Number(text), utc))
        : undefined;
    case "excel_serial": {
      const serial = Number(text);
      if (
        !/^\d{1,7}(\.\d+)?$/.test(text) ||
        serial < 1 ||
        Math.floor(serial) === 60 ||
        serial >= 2958466
      )
        return undefined;
      const start = serial < 60 ? "1899-12-31" : "1899-12-30";
      const days = code === "not_a_date" ? Math.floor(serial) : serial;
      return there(DateTime.fromISO(start, utc).plus({ seconds: Math.round(days * 86_400) }), zone);
    }
  }
  const isIso = format === "iso";
  // Luxon takes more forms of ISO 8601 than are meant here: weeks, ordinal days, years alone.
  if (isIso && !/^\d{4}-\d\d-\d\d([T ]\d\d:\d\d|$)/.test(text)) return undefined;
  const local = isIso
    ? DateTime.fromISO(text.replace(" ", "T"), { ...utc, setZone: true })
    : DateTime.fromFormat(text, format, { ...utc, setZone: true, locale: "en" });
  if (!local.isValid) return undefined;
  const saysZone = isIso ? /[T ].*(Z|[+-]\d\d)/.test(text) : format.includes("ZZ");
  if (saysZone) return local;
  return there(local, zone);
}

function ofFourDigits(time: DateTime): DateTime | undefined {
  return time.year >= 1000 && time.year <= 9999 ? time : undefined;
}

/** A time without an offset, in the zone in which it is meant. */
function there(local: DateTime, zone: string): DateTime | "never" {
  const meant = local.setZone(zone, { keepLocalTime: true });
  if (meant.toFormat("HH:mm") !== local.toFormat("HH:mm")) return "never";
  return meant.getPossibleOffsets()[0] ?? meant;
}

/** The cells of the tests are clear cases. */
function isInFormat(text: string, format: string): boolean {
  return (format === "email" ? /^\w+@\w+\.\w+$/ : /^https:\/\/\S+$/i).test(text);
}

/** Lists and objects that the mapping makes, in which there may be gaps. */
class Made extends Array<unknown> {}
class Group {}

function withoutGaps(value: unknown): unknown {
  if (!(value instanceof Made || value instanceof Group)) return value;
  const members = Object.entries(value)
    .map(([name, inside]) => [name, withoutGaps(inside)] as const)
    .filter(([, inside]) => inside !== undefined);
  if (members.length === 0) return undefined;
  return value instanceof Made ? members.map(([, inside]) => inside) : Object.fromEntries(members);
}

function pathOf(name: string): (string | number)[] {
  const path: (string | number)[] = [];
  let part = "";
  for (let at = 0; at < name.length; at++) {
    const char = name.charAt(at);
    if (char === "\\") part += name.charAt(++at);
    else if (char === "[") {
      if (part !== "") path.push(part);
      part = "";
      path.push(Number(name.slice(at + 1, name.indexOf("]", at))));
      at = name.indexOf("]", at);
    } else if (char === ".") {
      if (part !== "") path.push(part);
      part = "";
    } else part += char;
  }
  return part === "" ? path : [...path, part];
}

function put(body: Part, path: readonly (string | number)[], value: unknown): void {
  const [step = "", ...rest] = path;
  if (rest.length === 0) {
    body[step] = value;
    return;
  }
  if (!Object.hasOwn(body, step))
    body[step] = typeof rest[0] === "number" ? new Made() : new Group();
  put(body[step], rest, value);
}
