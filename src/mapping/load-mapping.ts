import type { z } from "zod";
import { delimiterOf } from "../model/dialect.ts";
import { type FileProblem, inFileOrder } from "../model/file-problem.ts";
import type { Reading } from "../model/reading.ts";
import { isRecord, type YamlDocument, type YamlFinding } from "../model/yaml-document.ts";
import { describeIssues } from "./describe-issue.ts";
import { findColumnProblems } from "./find-column-problems.ts";
import { findContentProblems } from "./find-content-problems.ts";
import { blocksOf } from "./mapping-parts.ts";
import { findNameProblems } from "./member-path.ts";
import { readMappingYaml } from "./read-mapping-yaml.ts";
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

/** Reads a mapping file, YAML or JSON, and reports all problems of its form at once. */
export function loadMapping(text: string): LoadResult {
  const yaml = readMappingYaml(text);
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
    ...findContentProblems(content),
    ...findMemberNameProblems(content),
  ];
  const all = [...problems, ...findings.map(problemOf)];
  if (!parsed.success || all.length > 0) {
    return invalid(all, (columns) => findColumnProblems(content, columns).map(problemOf));
  }

  const { data } = parsed;
  const { ordering_key: orderingKey = [], on_key_failure: onKeyFailure = "default" } = data;
  const { empty = "omit", null_values: nullValues = [], when } = data;
  const ofRow = when === undefined ? {} : { when };
  const spec: MappingSpec = {
    ...{ orderingKey, onKeyFailure, empty, nullValues, events: eventsOf(data) },
    ...ofRow,
    ...goneOf(data),
    reading: readingOfInput(data.input),
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
    const { resource, event, members } = data;
    return [{ resource, event, members, path: [] }];
  }
  return data.events.map((block, index) => {
    const { event, members, when } = block;
    // The schema makes sure that one of them exists.
    const resource = (block.resource ?? data.resource)!;
    const ofEvent = when === undefined ? {} : { when };
    return { resource, event, members, path: ["events", index], ...ofEvent };
  });
}

function goneOf({ resource, gone }: MappingFile): {
  gone?: EventSpec;
} {
  if (gone === undefined) return {};
  // The schema makes sure that one of them exists.
  return { gone: { ...gone, resource: (gone.resource ?? resource)!, path: ["gone"] } };
}

function findMemberNameProblems(content: Readonly<Record<string, unknown>>): YamlFinding[] {
  return blocksOf(content).flatMap(({ path, given: { members } }) =>
    findNameProblems(Object.keys(isRecord(members) ? members : {})).map(({ name, message }) => ({
      path: [...path, "members", name],
      part: "key",
      message,
    })),
  );
}

function readingOfInput({
  encoding,
  delimiter,
  sheet,
  skip_lines: skipLines,
  no_header: noHeader,
}: MappingFile["input"] = {}): Reading {
  return {
    ...(encoding === undefined ? {} : { encoding }),
    ...(delimiter === undefined ? {} : { delimiter: delimiterOf(delimiter) }),
    ...(sheet === undefined ? {} : { sheet }),
    ...(skipLines === undefined ? {} : { skipLines }),
    ...(noHeader === undefined ? {} : { header: !noHeader }),
  };
}

/** Whether a line is valid in a mapping file: as a member, or as a key of the file. */
export function acceptsLine(line: string, place: "member" | "file"): boolean {
  const head = "version: 1\nresource: users\nevent: { value: any }\n";
  const text =
    place === "member" ? `${head}members:\n  ${line}\n` : `${head}members: {}\n${line}\n`;
  return loadMapping(text).kind === "loaded";
}
