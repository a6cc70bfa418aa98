/** Begin and end of the part of the README that is made here. */
const begin = "<!-- Made from the schema's descriptions by `npm run reference`. -->\n";
const end = "<!-- End of what is made. -->\n";

/** The keys of the file in the order in which one wants to know them. */
const order = ["version", "resource", "event", "members", "when", "ordering_key"];

/** Tables of all keys of a mapping file, from the descriptions of its JSON Schema. */
function mappingReference(schema) {
  const definition = (name) => schema.definitions[name];
  const [single, several] = schema.anyOf;
  const ofFile = { ...single.properties, ...several.properties };
  const names = [...new Set([...order, ...Object.keys(ofFile)])];
  const file = Object.fromEntries(names.map((name) => [name, ofFile[name]]));
  return [
    table(file, definition),
    "A member is the name of a column, or:",
    table(definition("member").properties, definition),
    "A condition (`when`) is one of these:",
    table(definition("condition").properties, definition),
  ].join("\n\n");
}

function table(properties, definition) {
  const rows = Object.entries(properties).map(
    ([key, property]) =>
      `| \`${key}\` | ${descriptionOf(property, definition).replaceAll("|", "\\|")} |`,
  );
  return ["| key | meaning |", "|---|---|", ...rows].join("\n");
}

function descriptionOf(property, definition) {
  if (property.description !== undefined) return property.description;
  const [{ $ref = "" }] = property.allOf ?? [property];
  const { description } = definition($ref.split("/").at(-1)) ?? {};
  if (description === undefined) throw new Error(`no description: ${JSON.stringify(property)}`);
  return description;
}

/** The README with its reference as the schema has it. */
export function withReference(readme, schema) {
  const [from, to] = [readme.indexOf(begin), readme.indexOf(end)];
  if (from < 0 || to < from) throw new Error("the README has no place for the reference");
  const before = readme.slice(0, from + begin.length);
  return `${before}\n${mappingReference(schema)}\n\n${readme.slice(to)}`;
}
