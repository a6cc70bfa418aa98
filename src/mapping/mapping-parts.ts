import { isRecord, type YamlPath } from "../model/yaml-document.ts";

/** A part of a mapping file, not yet validated. */
export interface MappingPart {
  readonly kind: "condition" | "event" | "member" | "key_part";
  readonly path: YamlPath;
  readonly given: unknown;
}

/** A block that makes an event: an item of `events`, the file itself, or `gone`. */
interface Block {
  readonly path: YamlPath;
  readonly given: Readonly<Record<string, unknown>>;
}

export function blocksOf(content: Readonly<Record<string, unknown>>): Block[] {
  const events = listOf(content.events).flatMap((given, at) =>
    isRecord(given) ? [{ path: ["events", at], given }] : [],
  );
  const gone = isRecord(content.gone) ? [{ path: ["gone"], given: content.gone }] : [];
  return [{ path: [], given: content }, ...events, ...gone];
}

/** All conditions, also those within others and of members, kinds of event, members, and parts of the ordering key. */
export function partsOf(content: Readonly<Record<string, unknown>>): MappingPart[] {
  const keyParts = listOf(content.ordering_key).map((given, at) => ({
    kind: "key_part" as const,
    path: ["ordering_key", at],
    given,
  }));
  const ofBlocks = blocksOf(content).flatMap(({ path, given: { when, event, members } }) => [
    ...conditionsIn(when, [...path, "when"]),
    { kind: "event" as const, path: [...path, "event"], given: event },
    ...Object.entries(isRecord(members) ? members : {}).flatMap(([name, given]) => {
      const at = [...path, "members", name];
      return [
        { kind: "member" as const, path: at, given },
        ...(isRecord(given) ? conditionsIn(given.when, [...at, "when"]) : []),
      ];
    }),
  ]);
  return [...keyParts, ...ofBlocks];
}

function conditionsIn(given: unknown, path: YamlPath): MappingPart[] {
  if (!isRecord(given)) return [];
  const inLists = ["all", "any"].flatMap((key) =>
    listOf(given[key]).flatMap((one, at) => conditionsIn(one, [...path, key, at])),
  );
  const inNot = conditionsIn(given.not, [...path, "not"]);
  return [{ kind: "condition", path, given }, ...inLists, ...inNot];
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
