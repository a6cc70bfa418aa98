/** Where in the body a member goes: `profile.first_name` is a member of a member. */
export type MemberPath =
  | { readonly kind: "path"; readonly parents: readonly string[]; readonly leaf: string }
  | { readonly kind: "problem"; readonly message: string };

export function parseMemberPath(name: string): MemberPath {
  const segments = name.split(".");
  if (segments.some((segment) => segment === "")) {
    return { kind: "problem", message: "has an empty part: write parent.child" };
  }
  if (segments.includes("__proto__")) {
    return { kind: "problem", message: "__proto__ cannot be the name of a member" };
  }
  if (segments[0] === "event") {
    return {
      kind: "problem",
      message: "the member event names the kind of event: use the key event of the mapping",
    };
  }
  return { kind: "path", parents: segments.slice(0, -1), leaf: segments.at(-1) ?? "" };
}

/** Pairs of member names of which one would be both a value and the parent of the other. */
export function findPathConflicts(names: readonly string[]): { parent: string; child: string }[] {
  const all = new Set(names);
  return names.flatMap((child) => {
    const segments = child.split(".");
    return segments
      .slice(1)
      .map((_, index) => segments.slice(0, index + 1).join("."))
      .filter((parent) => all.has(parent))
      .map((parent) => ({ parent, child }));
  });
}
