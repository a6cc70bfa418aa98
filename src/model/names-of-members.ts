/** Objects within objects that are looked into. */
const deepest = 10;

/** What a body holds besides `event`: `profile.name` for what stands in an object; a list is one. */
export function* namesOfMembers(body: object, before = "", depth = 1): Generator<string> {
  for (const [name, value] of Object.entries(body)) {
    if (depth === 1 && name === "event") continue;
    const path = before + name.replaceAll(/[.[\]\\]/g, "\\$&");
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    if (isObject && depth < deepest) yield* namesOfMembers(value, `${path}.`, depth + 1);
    else yield path;
  }
}
