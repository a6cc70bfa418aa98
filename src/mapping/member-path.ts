/** Where in the body a member goes: names of members, and places in lists. */
export type MemberPath = readonly [string, ...(string | number)[]];

/** Deeper than any useful JSON, and far below where JSON.stringify overflows the stack. */
const maxParts = 100;
/** @param name of the right form */
export function parseMemberPath(name: string): MemberPath {
  const steps: (string | number)[] = [];
  for (const [, place, names = ""] of name.matchAll(/\[(\d+)\]|((?:\\.|[^.[\]\\])+)/gsu)) {
    steps.push(place === undefined ? names.replaceAll(/\\([.[\]\\])/g, "$1") : Number(place));
  }
  return steps as unknown as MemberPath;
}

/** Finds names of members that are invalid, or that conflict with one another. */
export function findNameProblems(names: readonly string[]): { name: string; message: string }[] {
  const tree = createTree();
  // readYaml has reported __proto__ alone.
  const all = names.filter((name) => name !== "__proto__");
  const wellNamed = all.filter((name) => problemOfForm(name) === undefined);
  for (const name of wellNamed) tree.add(name);
  return all.flatMap((name) => {
    const message = problemOfForm(name) ?? tree.problemOf(name);
    return message === undefined ? [] : [{ name, message }];
  });
}

/** Stands for the body itself. */
const top = "";

/** What the members put at each place of the body, to find conflicts. */
function createTree() {
  const valueAt = new Map<string, string>();
  const kindAt = new Map<string, "list" | "object">();
  const itemsOf = new Map<string, Set<number>>();
  const places = (name: string) => {
    let above = top;
    return parseMemberPath(name).map((step) => {
      const place = { above, own: `${above}${JSON.stringify(step)},`, step };
      above = place.own;
      return place;
    });
  };
  const whole = new Map<string, string>();
  return {
    add(name: string) {
      const path = places(name);
      for (const { above, own, step } of path) {
        if (!kindAt.has(above)) kindAt.set(above, typeof step === "number" ? "list" : "object");
        if (typeof step === "number") {
          itemsOf.set(above, (itemsOf.get(above) ?? new Set()).add(step));
        }
        if (!valueAt.has(own)) valueAt.set(own, name);
      }
      const own = path.at(-1)?.own ?? top;
      if (!whole.has(own)) whole.set(own, name);
    },
    problemOf(name: string): string | undefined {
      const path = places(name);
      const twin = whole.get(path.at(-1)?.own ?? top);
      if (twin !== undefined && twin !== name) return `is ${twin} written otherwise: remove one`;
      for (const { above, step } of path) {
        const parent = whole.get(above);
        if (parent !== undefined) {
          return `${parent} is a value already and cannot hold ${name}: rename one`;
        }
        const kind = typeof step === "number" ? "list" : "object";
        const first = valueAt.get(above) ?? "";
        if (above !== top && kindAt.get(above) !== kind) {
          return `${first} makes ${kind === "list" ? "an object" : "a list"} of what this takes for ${kind === "list" ? "a list" : "an object"}: rename one`;
        }
        const items = itemsOf.get(above);
        if (typeof step === "number" && step > 0 && items?.has(step - 1) !== true) {
          return `there is no [${step - 1}] before its [${step}]: count from 0 without gaps`;
        }
      }
      return undefined;
    },
  };
}

/**
 * What is wrong with the form of a name: parts with dots between, each perhaps with places in lists. A backslash
 * before a dot, a bracket or a backslash makes it a part of the name.
 */
function problemOfForm(name: string): string | undefined {
  const unescaped = name.replaceAll(/\\./gsu, "x");
  const parts = unescaped.replaceAll(/\[\d{1,3}\]/g, "").split(".");
  if (parts.length > maxParts) return `has more than ${maxParts} parts: nest less deeply`;
  if (/[[\]]/.test(unescaped.replaceAll(/(?<=[^.])(\[\d{1,3}\]){1,9}(?=\.|$)/gu, ""))) {
    return "has a bracket that is no place in a list, from items[0] to items[999]: write \\[ and \\] for the brackets themselves";
  }
  if (parts.includes("")) return "has an empty part: write parent.child";
  if (unescaped.endsWith("\\")) return "ends with a backslash: write \\\\ for the backslash itself";
  if (parts.includes("__proto__")) {
    return "__proto__ cannot be the name of a member: use another";
  }
  return parts[0] === "event"
    ? "the member event names the kind of event: use the key event of the mapping"
    : undefined;
}
