import type { z } from "zod";
import type { MappingProblem } from "../model/mapping-problem.ts";
import { describeIssues } from "./describe-issue.ts";
import { findColumnProblems } from "./find-columns.ts";
import { findContentProblems } from "./find-content-problems.ts";
import { findNameProblems } from "./member-path.ts";
import { readYaml, type YamlFile } from "./read-yaml.ts";
import { type EventSpec, type MappingSpec, severalEventsFile, singleEventFile } from "./schema.ts";

/** A mapping file read and checked for form, with the means to name places in it. */
export interface LoadedMapping {
  readonly spec: MappingSpec;
  /** Makes a problem of something found at a place in the file. */
  problemAt: YamlFile["problemAt"];
}

export type LoadResult =
  | { readonly kind: "loaded"; readonly mapping: LoadedMapping }
  | {
      readonly kind: "invalid";
      /** Those of its form. */
      readonly problems: readonly MappingProblem[];
      /** All of them, with the columns that an input has not. */
      problemsWith(columns: readonly string[]): readonly MappingProblem[];
    };

/** Reads a mapping file, YAML or JSON, and reports all problems of its form at once. */
export function loadMapping(text: string): LoadResult {
  const yaml = readYaml(text);
  if (yaml.kind === "invalid") return { ...yaml, problemsWith: () => yaml.problems };
  const { content, problemAt, problems } = yaml.file;
  const all = [...problems, ...problemsOf(yaml.file)];
  const parsed = schemaOf(content).safeParse(content);
  if (!parsed.success || all.length > 0) {
    return {
      kind: "invalid",
      problems: inFileOrder(all),
      problemsWith: (columns) =>
        inFileOrder([
          ...all,
          ...findColumnProblems(content, columns).map(({ path, message }) =>
            problemAt(path, message),
          ),
        ]),
    };
  }

  const { data } = parsed;
  const { ordering_key: orderingColumns = [], on_key_failure: onKeyFailure = "default" } = data;
  const { empty = "omit", null_values: nullValues = [], when } = data;
  const ofRow = when === undefined ? {} : { when };
  const events = eventsOf(data);
  const spec: MappingSpec = { orderingColumns, onKeyFailure, empty, nullValues, events, ...ofRow };
  return { kind: "loaded", mapping: { spec, problemAt } };
}

function schemaOf(content: unknown) {
  return isRecord(content) && Object.hasOwn(content, "events")
    ? severalEventsFile
    : singleEventFile;
}

/** What is wrong with the form of a file. */
function problemsOf({ content, problemAt }: YamlFile): MappingProblem[] {
  const schema = schemaOf(content);
  const parsed = schema.safeParse(content);
  const findings = [
    ...(parsed.success ? [] : describeIssues(parsed.error.issues, content, schema)),
    ...findContentProblems(content),
    ...blocksOf(content).flatMap(({ path, members }) =>
      findNameProblems(Object.keys(members)).map(({ name, message }) => ({
        path: [...path, "members", name],
        part: "key" as const,
        message,
      })),
    ),
  ];
  return findings.map(({ path, message, part }) => problemAt(path, message, part));
}

function eventsOf(
  data: z.infer<typeof singleEventFile> | z.infer<typeof severalEventsFile>,
): EventSpec[] {
  if (!("events" in data)) {
    const { resource, event, members } = data;
    return [{ resource, event, members, path: [] }];
  }
  return data.events.map((block, index) => {
    const { event, members, when } = block;
    // The schema has made sure that one of them is there.
    const resource = (block.resource ?? data.resource)!;
    const ofEvent = when === undefined ? {} : { when };
    return { resource, event, members, path: ["events", index], ...ofEvent };
  });
}

/** The blocks with members, whatever else may be wrong with them. */
function blocksOf(content: unknown): { path: (string | number)[]; members: object }[] {
  if (!isRecord(content)) return [];
  const blocks = Array.isArray(content.events)
    ? content.events.map((block: unknown, index) => ({ path: ["events", index], block }))
    : [{ path: [], block: content }];
  return blocks.flatMap(({ path, block }) =>
    isRecord(block) && isRecord(block.members) ? [{ path, members: block.members }] : [],
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function inFileOrder(problems: readonly MappingProblem[]): MappingProblem[] {
  return problems.toSorted(
    (a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0),
  );
}

/** Whether a line can stand in a mapping file: as a member, or as a key of the file. */
export function acceptsLine(line: string, place: "member" | "file"): boolean {
  const head = "version: 1\nresource: users\nevent: { value: any }\n";
  const text =
    place === "member" ? `${head}members:\n  ${line}\n` : `${head}members: {}\n${line}\n`;
  return loadMapping(text).kind === "loaded";
}
