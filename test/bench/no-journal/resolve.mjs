export async function resolve(specifier, context, next) {
  const resolved = await next(specifier, context);
  return resolved.url.endsWith("/journal/journal.js")
    ? { ...resolved, url: new URL("journal.mjs", import.meta.url).href }
    : resolved;
}
