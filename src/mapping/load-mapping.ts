import type { z } from "zod";
import { type FileProblem, inFileOrder } from "../model/file-problem.ts";
import { quote, quoteWhole } from "../model/row.ts";
import { isRecord, type YamlDocument, type YamlFinding } from "../model/yaml-document.ts";
import { createColumns } from "./columns.ts";
import { compileTemplate } from "./compile-template.ts";
import { describeIssues } from "./describe-issue.ts";
import { readingOfKeys } from "./input-keys.ts";
import { type NamedColumns, readMappingYaml } from "./read-mapping-yaml.ts";
import {
  type EventSpec,
  type MappingSpec,
  type mappingFile,
  severalEventsFile,
  singleEventFile,
} from "./schema.ts";

type MappingFile = z.infer<typeof mappingFile>;

/** A mapping file of the right form, with the means to name places in it. */
export interface LoadedMapping {
  readonly spec: MappingSpec;
  problemOf: YamlDocument["problemOf"];
  /** What is wrong with what the mapping says of the columns of an input. */
  columnProblems(columns: readonly string[]): readonly FileProblem[];
  /** Columns that the mapping reads for anything. */
  columnsRead(columns: readonly string[]): readonly string[];
}

export type LoadResult =
  | { readonly kind: "loaded"; readonly mapping: LoadedMapping }
  | {
      readonly kind: "invalid";
      readonly problems: readonly FileProblem[];
      /** The problems of the mapping, and the columns that an input lacks. */
      problemsWith(columns: readonly string[]): readonly FileProblem[];
    };

const maxTold = 1000;

/** Reads a mapping file, YAML or JSON, and reports all problems of its form at once. */
export function loadMapping(text: string): LoadResult {
  const { yaml, named } = readMappingYaml(text);
  if (yaml.kind === "invalid") return invalidMapping(yaml.problems);
  const { content, problemOf, problems } = yaml.document;
  if (!isRecord(content)) {
    const message = "is not a mapping: it needs version, resource, event and members";
    return invalidMapping([problemOf({ path: [], message })]);
  }
  const schema = Object.hasOwn(content, "events") ? severalEventsFile : singleEventFile;
  const parsed = schema.safeParse(content);
  const findings = [
    ...(parsed.success ? [] : describeIssues(parsed.error.issues, content, schema)),
    ...findUnknownOfGone(named),
  ];
  const all = [...problems, ...findings.slice(0, maxTold).map(problemOf)];
  const columnProblems = (columns: readonly string[]) =>
    findColumnProblems(named, columns).map(problemOf);
  if (!parsed.success || all.length > 0) return invalidMapping(all, columnProblems);

  const { data } = parsed;
  const { ordering_key: orderingKey = [], on_key_failure: onKeyFailure = "default" } = data;
  const { empty = "omit", when } = data;
  const { null_values: nullValues = [], clear_values: clearValues = [] } = data;
  const ofRow = when === undefined ? {} : { when };
  const spec: MappingSpec = {
    orderingKey,
    onKeyFailure,
    empty,
    nullValues,
    clearValues,
    events: eventSpecsOf(data),
    ...ofRow,
    ...goneOf(data),
    reading: readingOfKeys(data.input),
  };
  return { kind: "loaded", mapping: { spec, problemOf, columnProblems, columnsRead } };

  function columnsRead(columns: readonly string[]): string[] {
    const known = createColumns(columns);
    return named.flatMap(({ as, text }) => {
      if (as === "template") return compileTemplate(text, known).inserts.map(({ name }) => name);
      return as === "event" ? [] : [text];
    });
  }
}

function invalidMapping(
  problems: readonly FileProblem[],
  columnProblems: (columns: readonly string[]) => readonly FileProblem[] = () => [],
): LoadResult {
  return {
    kind: "invalid",
    problems: inFileOrder(problems),
    problemsWith: (columns) => inFileOrder([...problems, ...columnProblems(columns)]),
  };
}

function eventSpecsOf(data: MappingFile): EventSpec[] {
  if (!("events" in data)) {
    const { resource, method = "POST", event, members } = data;
    return [{ resource, method, event, members, path: [] }];
  }
  return data.events.map((block, index) => {
    const { method = "POST", event, members, when } = block;
    // The schema makes sure that one of them exists.
    const resource = (block.resource ?? data.resource)!;
    const ofEvent = when === undefined ? {} : { when };
    return { resource, method, event, members, path: ["events", index], ...ofEvent };
  });
}

function goneOf({ resource, gone }: MappingFile): Pick<MappingSpec, "gone"> {
  if (gone === undefined) return {};
  // The schema makes sure that one of them exists.
  const { method = "POST" } = gone;
  return { gone: { ...gone, resource: (gone.resource ?? resource)!, method, path: ["gone"] } };
}

/** Looks up all that a mapping file names, whatever else is wrong with it. */
function findColumnProblems(
  named: readonly NamedColumns[],
  columns: readonly string[],
): YamlFinding[] {
  const known = createColumns(columns);
  return named.flatMap(({ path, as, text }): YamlFinding[] => {
    if (as === "template") {
      const findings: YamlFinding[] = [];
      compileTemplate(text, known, (message) => findings.push({ path, message }));
      return findings;
    }
    const found = known.find(text);
    const word = quoteWhole(text);
    if (as === "event") {
      const message = `is also a column: write { column: ${word} } for its cells, or { value: ${word} } for the word itself`;
      return found.kind === "found" ? [{ path, message }] : [];
    }
    if (found.kind === "found") return [];
    const { message } = found;
    // `source: legacy-crm` may mean the text itself.
    const mayBeText = as === "member" && !message.endsWith("?");
    const hint = `; for this text in every row write { value: ${word} }`;
    return [{ path, message: mayBeText ? message + hint : message }];
  });
}

/** Of a key that is gone, nothing is known but its own columns. */
function findUnknownOfGone(named: readonly NamedColumns[]): YamlFinding[] {
  const within = (key: string) => named.filter(({ path, as }) => path[0] === key && as !== "event");
  const columns = within("ordering_key").map(({ text }) => text);
  if (columns.length === 0) return [];
  const message = `reads another column than those of ordering_key (${columns.map(quote).join(", ")}), and nothing else is known of a key that is gone: use these, or { value: … }`;
  return findColumnProblems(within("gone"), columns).map(({ path }) => ({ path, message }));
}

/** Whether a line is valid in a mapping file: as a member, or as a key of the file. */
export function acceptsLine(line: string, place: "member" | "file"): boolean {
  const head = "version: 1\nresource: users\nevent: { value: any }\n";
  const text =
    place === "member" ? `${head}members:\n  ${line}\n` : `${head}members: {}\n${line}\n`;
  return loadMapping(text).kind === "loaded";
}
