const maxDepth = 500;

/** What JSON would drop, change or choke on, with its place; nothing where a value stays what it is. */
export function findNotJson(value: unknown, path = "body", depth = 0): string | undefined {
  switch (typeof value) {
    case "string":
    case "boolean":
      return undefined;
    case "undefined":
      return depth === 0 ? `${path} is undefined` : undefined;
    case "number":
      return Number.isFinite(value) ? undefined : `${path} is ${value}, which JSON has no word for`;
    case "object":
      return value === null ? undefined : findInObject(value, path, depth);
    default:
      return `${path} is a ${typeof value}, which JSON has no word for`;
  }
}

function findInObject(value: object, path: string, depth: number): string | undefined {
  if (depth > maxDepth) return `${path} is nested deeper than ${maxDepth} levels, or in itself`;
  if (Array.isArray(value)) {
    for (const [at, item] of value.entries()) {
      if (item === undefined) return `${path}[${at}] is undefined, which JSON has no word for`;
      const found = findNotJson(item, `${path}[${at}]`, depth + 1);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && prototype !== Object.prototype) {
    const { name } = value.constructor;
    return `${path} is a ${name}, which JSON has no word for: make text of it`;
  }
  for (const [key, member] of Object.entries(value)) {
    const found = findNotJson(member, `${path}.${key}`, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}
