/** Where in the body a member goes: `profile.first_name` is a member of a member. */
export interface MemberPath {
  readonly parents: readonly string[];
  readonly leaf: string;
}

export function parseMemberPath(name: string): MemberPath {
  const segments = name.split(".");
  return { parents: segments.slice(0, -1), leaf: segments.at(-1) ?? "" };
}

/** Why members cannot be called so, each by itself and all of them together. */
export function findNameProblems(names: readonly string[]): { name: string; message: string }[] {
  const all = new Set(names);
  return names.flatMap((name) => {
    const segments = name.split(".", maxParts + 1);
    const message = problemOfName(segments);
    if (message !== undefined) return [{ name, message }];
    const parent = segments
      .slice(1)
      .map((_, index) => segments.slice(0, index + 1).join("."))
      .find((above) => all.has(above));
    if (parent === undefined) return [];
    return [{ name, message: `${parent} is a value already and cannot hold ${name}: rename one` }];
  });
}

/** As deep as JSON of any use goes, and far from where JSON.stringify runs out of stack. */
const maxParts = 100;

function problemOfName(segments: readonly string[]): string | undefined {
  if (segments.length > maxParts) return `has more than ${maxParts} parts: nest less deeply`;
  if (segments.includes("")) return "has an empty part: write parent.child";
  if (segments.length > 1 && segments.includes("__proto__")) {
    return "__proto__ cannot be the name of a member: use another";
  }
  if (segments[0] === "event") {
    return "the member event names the kind of event: use the key event of the mapping";
  }
  return undefined;
}
