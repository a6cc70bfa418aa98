import type { z } from "zod";
import { type FileProblem, inFileOrder } from "../model/file-problem.ts";
import { quote } from "../model/row.ts";
import { isRecord, type YamlDocument, type YamlFinding } from "../model/yaml-document.ts";
import { createColumns } from "./columns.ts";
import { compileTemplate } from "./compile-template.ts";
import { withFixedTextHint } from "./compile-value.ts";
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
}

export type LoadResult =
  | { readonly kind: "loaded"; readonly mapping: LoadedMapping }
  | {
      readonly kind: "invalid";
      /** Problems of form only. */
      readonly problems: readonly FileProblem[];
      /** The same, and the columns that an input lacks. */
      problemsWith(columns: readonly string[]): readonly FileProblem[];
    };

const maxTold = 1000;

/** Reads a mapping file, YAML or JSON, and reports all problems of its form at once. */
export function loadMapping(text: string): LoadResult {
  const { yaml, named } = readMappingYaml(text);
  if (yaml.kind === "invalid") return invalid(yaml.problems);
  const { content, problemOf, problems } = yaml.document;
  if (!isRecord(content)) {
    const message = "is not a mapping: it needs version, resource, event and members";
    return invalid([problemOf({ path: [], message })]);
  }
  const schema = Object.hasOwn(content, "events") ? severalEventsFile : singleEventFile;
  const parsed = schema.safeParse(content);
  const findings = [
    ...(parsed.success ? [] : describeIssues(parsed.error.issues, content, schema)),
    ...findUnknownOfGone(named),
  ];
  const all = [...problems, ...findings.slice(0, maxTold).map(problemOf)];
  if (!parsed.success || all.length > 0) {
    return invalid(all, (columns) =>
      findColumnProblems(named, columns).slice(0, maxTold).map(problemOf),
    );
  }

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
    events: eventsOf(data),
    ...ofRow,
    ...goneOf(data),
    reading: readingOfKeys(data.input),
  };
  return { kind: "loaded", mapping: { spec, problemOf } };
}

function invalid(
  problems: readonly FileProblem[],
  columnProblems: (columns: readonly string[]) => readonly FileProblem[] = () => [],
): LoadResult {
  return {
    kind: "invalid",
    problems: inFileOrder(problems),
    problemsWith: (columns) => inFileOrder([...problems, ...columnProblems(columns)]),
  };
}

function eventsOf(data: MappingFile): EventSpec[] {
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

/**
 * Looks up the columns of a mapping file whose form is wrong, so that missing columns are reported
 * together with the rest. A mapping of the right form is compiled instead, which finds the same and more.
 */
function findColumnProblems(
  named: readonly NamedColumns[],
  columns: readonly string[],
): YamlFinding[] {
  const known = createColumns(columns);
  return named.flatMap(({ path, as, text }): YamlFinding[] => {
    if (as === "template") {
      const findings: YamlFinding[] = [];
      compileTemplate(text, known, (_, message) => findings.push({ path, message }));
      return findings;
    }
    const found = known.find(text);
    if (found.kind === "found") return [];
    const { message } = found;
    return [{ path, message: as === "member" ? withFixedTextHint(message, text) : message }];
  });
}

/** Of a key that is gone, nothing is known but its own columns. */
function findUnknownOfGone(named: readonly NamedColumns[]): YamlFinding[] {
  const within = (key: string) => named.filter(({ path }) => path[0] === key);
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
