import type { z } from "zod";
import { type FileProblem, inFileOrder } from "../model/file-problem.ts";
import type { Reading } from "../model/reading.ts";
import { delimiterOf } from "../model/reading.ts";
import { quote } from "../model/row.ts";
import {
  isRecord,
  type YamlDocument,
  type YamlFinding,
  type YamlPath,
} from "../model/yaml-document.ts";
import { createColumns } from "./columns.ts";
import { withFixedTextHint } from "./compile-member.ts";
import { compileTemplate } from "./compile-template.ts";
import { describeIssues } from "./describe-issue.ts";
import { findContentProblems } from "./find-content-problems.ts";
import { blocksOf, listOf, partsOf } from "./mapping-parts.ts";
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
    ...findUnknownOfGone(content),
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
    orderingKey,
    onKeyFailure,
    empty,
    nullValues,
    events: eventsOf(data),
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

/**
 * Looks up the columns of a mapping file whose form is wrong, so that missing columns are reported
 * together with the rest. A mapping of the right form is compiled instead, which finds the same and more.
 */
function findColumnProblems(
  content: Readonly<Record<string, unknown>>,
  columns: readonly string[],
): YamlFinding[] {
  const known = createColumns(columns);
  const inName = (name: unknown, path: YamlPath): YamlFinding[] => {
    const found = typeof name === "string" && name !== "" ? known.find(name) : undefined;
    return found?.kind === "problem" ? [{ path, message: found.message }] : [];
  };
  const inTemplate = (template: unknown, path: YamlPath): YamlFinding[] => {
    if (typeof template !== "string" || template === "") return [];
    const findings: YamlFinding[] = [];
    compileTemplate(template, known, (_, message) => findings.push({ path, message }));
    return findings;
  };
  const inList = (list: unknown, path: YamlPath): YamlFinding[] =>
    listOf(list).flatMap((name, at) => inName(name, [...path, at]));
  return partsOf(content).flatMap(({ kind, path, given }) => {
    if (kind === "key_part" && typeof given === "string") return inName(given, path);
    if (kind === "member" && typeof given === "string") {
      const found = inName(given, path);
      return found.map((one) => ({ ...one, message: withFixedTextHint(one.message, given) }));
    }
    if (!isRecord(given)) return [];
    return [
      ...(isRecord(given.equals) ? inName(given.equals.column, [...path, "equals", "column"]) : []),
      ...inName(given.column, [...path, "column"]),
      ...inList(given.columns, [...path, "columns"]),
      ...inTemplate(given.template, [...path, "template"]),
    ];
  });
}

/** Of a key that is gone, nothing is known but its own columns. */
function findUnknownOfGone(content: Readonly<Record<string, unknown>>): YamlFinding[] {
  const { gone, ordering_key: parts } = content;
  const columns = listOf(parts).map((part) => String(isRecord(part) ? part.column : part));
  if (!isRecord(gone) || columns.length === 0) return [];
  const message = `reads another column than those of ordering_key (${columns.map(quote).join(", ")}), and nothing else is known of a key that is gone: use these, or { value: … }`;
  const found = findColumnProblems({ gone }, columns);
  return found.map(({ path }) => ({ path, message }));
}

/** Whether a line is valid in a mapping file: as a member, or as a key of the file. */
export function acceptsLine(line: string, place: "member" | "file"): boolean {
  const head = "version: 1\nresource: users\nevent: { value: any }\n";
  const text =
    place === "member" ? `${head}members:\n  ${line}\n` : `${head}members: {}\n${line}\n`;
  return loadMapping(text).kind === "loaded";
}
