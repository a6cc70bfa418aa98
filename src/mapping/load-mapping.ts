import { isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from "yaml";
import { describeIssues } from "./describe-issue.ts";
import { keepAsWritten } from "./keep-as-written.ts";
import type { MappingProblem } from "./mapping-problem.ts";
import { type EventSpec, type MappingSpec, severalEventsFile, singleEventFile } from "./schema.ts";

type Path = readonly PropertyKey[];

/** A mapping file read and checked for form, with the means to name places in it. */
export interface LoadedMapping {
  readonly spec: MappingSpec;
  /** Makes a problem of something found at a place in the file. */
  problemAt(path: Path, message: string): MappingProblem;
}

export type LoadResult =
  | { readonly kind: "loaded"; readonly mapping: LoadedMapping }
  | { readonly kind: "invalid"; readonly problems: readonly MappingProblem[] };

/** Reads a mapping file, YAML or JSON (which is YAML too), and reports all its problems at once. */
export function loadMapping(text: string): LoadResult {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, prettyErrors: false });
  if (document.errors.length > 0) {
    const problems = document.errors.map(({ pos, message }): MappingProblem => {
      const { line, col } = lineCounter.linePos(pos[0]);
      return { line, column: col, path: "", message: `not valid YAML: ${message}` };
    });
    return { kind: "invalid", problems };
  }
  keepAsWritten(document.contents);

  const problemAt = (path: Path, message: string): MappingProblem => {
    const offset = offsetOf(document.contents, path);
    const shown = path.map(String).join(".");
    if (offset === undefined) return { path: shown, message };
    const { line, col } = lineCounter.linePos(offset);
    return { line, column: col, path: shown, message };
  };

  const content: unknown = document.toJS({ maxAliasCount: 100 });
  if (!isMap(document.contents)) {
    return {
      kind: "invalid",
      problems: [problemAt([], "is not a mapping: it needs version, resource, event and members")],
    };
  }
  const several = typeof content === "object" && content !== null && "events" in content;
  const parsed = several
    ? severalEventsFile.safeParse(content)
    : singleEventFile.safeParse(content);
  if (!parsed.success) {
    const problems = describeIssues(parsed.error.issues, content).map(({ path, message }) =>
      problemAt(path, message),
    );
    return { kind: "invalid", problems };
  }

  const { data } = parsed;
  if (!("events" in data)) {
    const { resource, event, members, only_when } = data;
    const events = [{ resource, event, members, path: [] }];
    return loaded({ order_by: data.order_by, empty: data.empty, only_when, events });
  }
  const problems: MappingProblem[] = [];
  const events = data.events.flatMap((block, index): EventSpec[] => {
    const path = ["events", index];
    const resource = block.resource ?? data.resource;
    if (resource === undefined) {
      problems.push(
        problemAt(path, "has no resource: write resource: users or resource: contacts"),
      );
      return [];
    }
    const onlyWhen = block.only_when === undefined ? {} : { onlyWhen: block.only_when };
    return [{ resource, event: block.event, members: block.members, path, ...onlyWhen }];
  });
  if (problems.length > 0) return { kind: "invalid", problems };
  return loaded({ order_by: data.order_by, empty: data.empty, only_when: data.only_when, events });

  function loaded(file: {
    order_by: string[] | undefined;
    empty: MappingSpec["empty"];
    only_when: MappingSpec["onlyWhen"] | undefined;
    events: EventSpec[];
  }): LoadResult {
    const onlyWhen = file.only_when === undefined ? {} : { onlyWhen: file.only_when };
    const spec = {
      orderBy: file.order_by ?? [],
      empty: file.empty,
      events: file.events,
      ...onlyWhen,
    };
    return { kind: "loaded", mapping: { spec, problemAt } };
  }
}

/** Offset of the node at a path, or of the nearest one around it that is there. */
function offsetOf(root: unknown, path: Path): number | undefined {
  let node: unknown = root;
  let offset = isNode(root) ? root.range?.[0] : undefined;
  for (const key of path) {
    if (isMap(node)) {
      const pair = node.items.find(({ key: name }) => isScalar(name) && String(name.value) === key);
      if (pair === undefined) break;
      if (isNode(pair.key) && pair.key.range) offset = pair.key.range[0];
      node = pair.value;
    } else if (isSeq(node) && typeof key === "number") {
      node = node.items[key];
      if (isNode(node) && node.range) offset = node.range[0];
    } else break;
  }
  return offset;
}
