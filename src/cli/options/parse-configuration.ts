import { dirname, isAbsolute, join } from "node:path";
import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  type YAMLError,
} from "yaml";
import { parseBaseUrl } from "../../model/endpoint.ts";
import { CannotStartError } from "../../model/errors.ts";
import { describeMappingProblem, type MappingProblem } from "../../model/mapping-problem.ts";
import { whyNoName, whyNotFilled } from "../../model/results-name.ts";
import { suggest } from "../../model/suggest.ts";
import { whyNoHeader } from "../../run/validate-options.ts";
import type { Layer, Setting } from "./arguments.ts";
import { type Option, toKey, whyNoTarget } from "./option-types.ts";

/** What a configuration file says, by the names of the options. */
export interface Configuration {
  /** Its name, as a message has it. */
  readonly file: string;
  readonly isThere: boolean;
  readonly settings: Layer;
  /** The services that are named under `targets`, and what is said of each. */
  readonly targets: ReadonlyMap<string, Layer>;
}

export type KnownOptions = Readonly<
  Record<string, Pick<Option, "takesList" | "takesProgram" | "isPath" | "read">>
>;

/**
 * Reads the text of a configuration file: all of it, also the values and targets that this command does not
 * need.
 *
 * @param file its name, as a message has it
 * @param known the options of all commands
 * @throws CannotStartError with every problem and its line
 */
export function parseConfiguration(text: string, file: string, known: KnownOptions): Configuration {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const problems: ConfigProblem[] = [];
  const tell = (at: number | undefined, path: string, message: string) => {
    const { line, col } = lines.linePos(at ?? 0);
    if (!problems.some((other) => other.line === line && other.path === path)) {
      problems.push({ line, column: col, path, message });
    }
  };
  for (const error of document.errors) tell(error.pos[0], "", whatIsWrong(error));
  if (problems.length > 0) throw invalid(file, problems.slice(0, 1));

  const root = { file, folder: dirname(file), known, document, tell };
  const entries = entriesOf(document.contents, root);
  if (entries === undefined && document.contents !== null && !isBlank(document.contents)) {
    tell(0, "", "it has to hold keys and values with a space after the colon, such as rate: 50/s");
  }
  const settings = settingsOf(entries ?? [], { ...root, within: "", origin: "configuration" });
  const targets = new Map<string, Layer>();
  for (const { value, at } of (entries ?? []).filter(({ key }) => key === "targets")) {
    const named = entriesOf(value, root);
    if (named === undefined) tell(at, "targets", "has to hold the names of targets");
    for (const target of named ?? []) {
      const within = `targets.${target.key}`;
      const own = entriesOf(target.value, root);
      if (own === undefined) tell(target.at, within, "has to hold keys such as base_url");
      const place = { ...root, within: `${within}.`, origin: "target" } as const;
      targets.set(target.key, settingsOf(own ?? [], place));
    }
  }
  const chosen = settings.get("target");
  if (chosen !== undefined && !targets.has(chosen.value)) {
    const at = (entries ?? []).find(({ key }) => key === "target")?.at;
    tell(at, "target", `this file ${whyNoTarget(chosen.value, [...targets.keys()])}`);
  }
  if (problems.length > 0) throw invalid(file, problems);
  return { file, isThere: true, settings, targets };
}

/** A problem of a configuration file: never with an excerpt, as the line may hold a secret. */
type ConfigProblem = Omit<MappingProblem, "excerpt">;

interface Root {
  readonly file: string;
  /** That paths in it go by. */
  readonly folder: string;
  readonly known: KnownOptions;
  readonly document: Document.Parsed;
  tell(at: number | undefined, path: string, message: string): void;
}

interface Place extends Root {
  /** What stands before a key when it is named: `targets.north.`, or nothing. */
  readonly within: string;
  readonly origin: "configuration" | "target";
}

interface Entry {
  readonly key: string;
  readonly value: unknown;
  /** Offset of the value, or of the key of a blank one. */
  readonly at: number;
}

function entriesOf(node: unknown, { document }: Pick<Root, "document">): Entry[] | undefined {
  const map = isAlias(node) ? node.resolve(document) : node;
  if (!isMap(map)) return undefined;
  return map.items.map(({ key, value }) => ({
    key: isScalar(key) ? String(key.value) : "",
    value: isAlias(value) ? value.resolve(document) : value,
    at: (isBlank(value) ? undefined : startOf(value)) ?? startOf(key) ?? 0,
  }));
}

function startOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}

function isBlank(value: unknown): boolean {
  return value === null || (isScalar(value) && String(value.value ?? "").trim() === "");
}

/** Keys that have a meaning at the top of the file alone. */
const topKeys = ["target", "targets"];

function settingsOf(entries: readonly Entry[], place: Place): Layer {
  const { known, within, tell } = place;
  const settings = new Map<string, Setting>();
  const add = (entry: Entry, path: string, name: string) => {
    const option = known[name];
    if (option === undefined) return;
    const setting = readSetting(entry, path, option, place);
    if (typeof setting === "string") {
      tell(entry.at, path, setting);
      return;
    }
    const checked = option.read(setting.value);
    const why = checked.kind === "wrong" ? checked.why : findFault(name, setting.value);
    if (why !== undefined) tell(entry.at, "", `${path}${why}`);
    settings.set(name, setting);
  };
  for (const entry of entries) {
    const { key, value, at } = entry;
    const path = `${within}${key}`;
    const isTop = within === "";
    if (key === "targets" && isTop) continue;
    if (key === "statuses") {
      const lists = entriesOf(value, place);
      if (lists === undefined) tell(at, path, "has to hold success, retry or reject");
      for (const list of lists ?? []) {
        const name = `statuses-${list.key}`;
        if (Object.hasOwn(known, name)) add(list, `${path}.${list.key}`, name);
        else
          tell(
            list.at,
            `${path}.${list.key}`,
            `unknown key; it is success, retry or reject. A list of statuses needs brackets: [2xx, 409]`,
          );
      }
      continue;
    }
    const name = key.replaceAll("_", "-");
    const isKnown = Object.hasOwn(known, name) && name !== "config" && !key.includes("-");
    if (isKnown && !name.startsWith("statuses-") && (isTop || !topKeys.includes(key))) {
      add(entry, path, name);
    } else tell(at, path, whyUnknown(key, isMap(value), isTop, known));
  }
  return settings;
}

/** The setting, or what is wrong with its form. */
function readSetting(
  { value }: Entry,
  path: string,
  option: KnownOptions[string],
  { file, folder, origin, document }: Place,
): Setting | string {
  const { takesList, isPath, takesProgram } = option;
  if (isBlank(value)) return "is blank; give it a value, or leave it out";
  const inFolder = (text: string) => (isPath ? fromFolder(folder, text) : text);
  const shared = {
    origin,
    place: `${file}: ${path}`,
    ...(takesProgram && folder !== "." ? { folder } : {}),
  };
  if (isScalar(value)) return { ...shared, value: inFolder(asWritten(value)) };
  if (!isSeq(value) || !takesList) {
    return `takes ${takesList ? "a text, or a list of texts" : "one value, not a list or an object"}`;
  }
  const items = value.items.map((item) => (isAlias(item) ? item.resolve(document) : item));
  if (items.length === 0 || !items.every((item) => isScalar(item) && !isBlank(item))) {
    return "takes a text, or a list of texts";
  }
  const list = items.map((item) => inFolder(asWritten(item as { value: unknown })));
  return { ...shared, value: list.join(","), list };
}

/** A file called 007 is not file 7. */
function asWritten({ value, source }: { readonly value: unknown; readonly source?: string }) {
  return source ?? String(value);
}

/** A path as the program can use it; `-` is no file. */
function fromFolder(folder: string, path: string): string {
  return folder === "." || path === "-" || isAbsolute(path) ? path : join(folder, path);
}

function whyUnknown(key: string, isMapping: boolean, isTop: boolean, known: KnownOptions): string {
  if (key === "token") {
    return "the token does not belong in a file like this; give token_file or token_command, or set EVENTLOAD_TOKEN";
  }
  if (key === "config") return "cannot stand in a configuration file; give --config";
  if (topKeys.includes(key)) return `belongs at the top of the file, not into a target`;
  const keys = Object.keys(known)
    .map(toKey)
    .filter((one) => !one.includes("."));
  const meant = suggest(key.replaceAll("-", "_"), [
    ...keys,
    "statuses",
    ...(isTop ? ["targets"] : []),
  ]);
  if (meant !== undefined) return `unknown key; did you mean ${meant}?`;
  return isTop && isMapping
    ? "unknown key; a target belongs under targets:"
    : "unknown key; remove it";
}

function invalid(file: string, found: readonly ConfigProblem[]): CannotStartError {
  const problems = found
    .toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0))
    .map((problem) => describeMappingProblem(file, problem));
  const [only = ""] = problems;
  return problems.length === 1
    ? new CannotStartError("config_invalid", only)
    : new CannotStartError("config_invalid", `${file} has ${problems.length} problems.`, problems);
}

/** In our words: those of the parser may repeat the line, and that may hold a secret. */
function whatIsWrong({ code }: YAMLError): string {
  switch (code) {
    case "DUPLICATE_KEY":
      return "this key is there already: give it once";
    case "TAB_AS_INDENT":
      return "not valid YAML: a tab, where only spaces may indent";
    case "BAD_INDENT":
      return "not valid YAML: indented otherwise than its neighbours";
    case "MISSING_CHAR":
      return "not valid YAML: a quote or a bracket is opened above and never closed";
    case "BLOCK_AS_IMPLICIT_KEY":
      return "not valid YAML: a second colon; put the value in quotes";
    case "MULTIPLE_DOCS":
      return "not valid YAML: a second document begins here (---)";
    default:
      return "not valid YAML";
  }
}

/**
 * What is wrong with the value of an option that only those commands look at which need it: a
 * configuration file is for all of them, and its problems are reported at once.
 *
 * @returns how the sentence continues after the name of the option
 */
function findFault(option: string, value: string): string | undefined {
  const why = finders[option]?.(value);
  return why === undefined ? undefined : `: ${why}`;
}

const finders: Readonly<Record<string, (value: string) => string | undefined>> = {
  "base-url": whyNoBaseUrl,
  "idempotency-header": whyNoHeader,
  // Whether there is a target may be said elsewhere.
  results: (name) => whyNoName(name, true),
  report: (name) => whyNotFilled(name, true),
  "log-file": (name) => whyNotFilled(name, true),
};

/** Whether plain http is allowed may be said elsewhere as well. */
function whyNoBaseUrl(url: string): string | undefined {
  try {
    parseBaseUrl(url, true);
    return undefined;
  } catch (error) {
    if (error instanceof CannotStartError) return error.message.replace(/\.$/, "");
    throw error;
  }
}
