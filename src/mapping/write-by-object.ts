import type { Json } from "../model/json.ts";
import type { WriteBody } from "./compile-body.ts";
import type { MemberPath } from "./member-path.ts";

type Tree = { [key: string]: Json };

/** Writes a body by making it: the order of its members is that of JavaScript's objects. */
export function writeByObject(paths: readonly MemberPath[]): WriteBody {
  const places = paths.map(compilePlace);
  const hasLists = paths.some((path) => path.some((step) => typeof step === "number"));
  return (event, values) => {
    const body: Tree = { event };
    for (let at = 0; at < places.length; at++) {
      const value = values[at];
      if (value !== undefined) places[at]?.(body, value);
    }
    if (hasLists) closeUpMembers(body);
    return JSON.stringify(body);
  };
}

type Place = (body: Tree, value: Json) => void;

function compilePlace(path: MemberPath): Place {
  const [first] = path;
  if (path.length === 1) {
    return (body, value) => {
      body[first] = value;
    };
  }
  const above = path.slice(0, -1);
  const last = path.at(-1) as keyof Tree;
  return (body, value) => {
    let target = body;
    for (let at = 0; at < above.length; at++) {
      const step = above[at] as keyof Tree;
      // Own members only, and no prototype to reach: a column may be called "constructor".
      if (!Object.hasOwn(target, step)) {
        target[step] =
          typeof path[at + 1] === "number" ? new Items() : (Object.create(null) as Tree);
      }
      target = target[step] as Tree;
    }
    target[last] = value;
  };
}

/** A list that the mapping makes; its empty places are closed up. Lists of values stay as they are. */
class Items extends Array<Json> {}

/** Leaves out the items in which no member has a value. */
function closeUp(value: Json): Json {
  if (value instanceof Items)
    return Array.from(
      value.filter(() => true),
      closeUp,
    );
  const isOfMapping =
    typeof value === "object" && value !== null && Object.getPrototypeOf(value) === null;
  if (isOfMapping) closeUpMembers(value as Tree);
  return value;
}

function closeUpMembers(tree: Tree): void {
  for (const [key, value] of Object.entries(tree)) tree[key] = closeUp(value);
}
