/** Every key of a mapping file, in the groups in which the reference shows them. */
const groups = [
  {
    title: "The file",
    about: "These keys apply to the whole file.",
    of: "file",
    keys: [
      "version",
      "$schema",
      "input",
      "ordering_key",
      "on_key_failure",
      "empty",
      "null_values",
      "clear_values",
    ],
  },
  {
    title: "The event",
    about:
      "These keys say what a row becomes. Write them at the top of the file, or in each block of `events`.",
    of: "file",
    keys: ["resource", "event", "method", "members", "when", "events", "gone"],
  },
  {
    title: "A member: source",
    about:
      "A member is the name of a column (`first_name: First Name`), or an object. The object has exactly one of the first five keys, which says where the value comes from. `when` can stand beside each but `meta`.",
    of: "member",
    keys: ["column", "columns", "template", "value", "meta", "when"],
  },
  {
    title: "A member: text",
    about:
      "These keys change the text of the cell. `transform` comes first. You cannot combine them with `value` or `meta`.",
    of: "member",
    keys: ["transform", "lookup", "map", "otherwise", "default", "required", "empty"],
  },
  {
    title: "A member: type",
    about:
      "These keys turn the text into a value. You cannot combine them with `map`, which gives the value itself.",
    of: "member",
    keys: [
      ...[
        "type",
        "format",
        "timezone",
        "pivot_year",
        "decimal_separator",
        "thousands_separator",
        "scale",
      ],
      ...["true_values", "false_values", "separator", "items"],
    ],
  },
  {
    title: "A member: checks",
    about: "A cell that fails a check makes its row `invalid`. For text, `format` is a check too.",
    of: "member",
    keys: ["pattern", "min", "max", "min_length", "max_length", "enum"],
  },
  {
    title: "Conditions",
    about:
      "A condition (`when`) has one of the first seven keys and `column`, or one of the last three.",
    of: "condition",
    keys: [
      ...["in", "not_in", "equals", "above", "below", "matches", "blank"],
      "decimal_separator",
      ...["column", "all", "any", "not"],
    ],
  },
];

/**
 * The page with all keys of a mapping file, from the descriptions of its JSON Schema.
 *
 * @throws if a key of the schema is in no group, or in two
 */
export function mappingReference(schema) {
  const definition = (name) => schema.definitions[name];
  const [single, several] = schema.anyOf;
  const keysOf = {
    file: { ...single.properties, ...several.properties },
    member: definition("member").properties,
    condition: definition("condition").properties,
  };
  for (const [of, properties] of Object.entries(keysOf)) {
    const shown = groups.filter((group) => group.of === of).flatMap(({ keys }) => keys);
    if (shown.toSorted().join() !== Object.keys(properties).toSorted().join()) {
      throw new Error(`the groups of the reference do not have every key of a ${of} once`);
    }
  }
  const sections = groups.map(({ title, about, of, keys }) =>
    [`## ${title}`, about, table(keys, keysOf[of], definition)].join("\n\n"),
  );
  return `${[head, ...sections].join("\n\n")}\n`;
}

const head = `# Mapping reference

<!-- \`npm run reference\` writes this page from the descriptions in the JSON Schema. Do not edit it. -->

Every key of a mapping file. [Mapping files](mapping.md) shows how to write one, and
[Mapping recipes](mapping-recipes.md) has examples. \`eventload schema\` prints these keys as a JSON Schema, for
editors. The package has it as \`eventload/mapping.schema.json\`.

A cell is blank if it holds only white space or one of the \`null_values\`.`;

function table(keys, properties, definition) {
  const rows = keys.map((key) => {
    const description = descriptionOf(properties[key], definition);
    return `| \`${key}\` | ${description.replaceAll("|", "\\|")} |`;
  });
  return ["| key | meaning |", "|---|---|", ...rows].join("\n");
}

function descriptionOf(property, definition) {
  if (property.description !== undefined) return property.description;
  const [{ $ref = "" }] = property.allOf ?? [property];
  const { description } = definition($ref.split("/").at(-1)) ?? {};
  if (description === undefined) throw new Error(`no description: ${JSON.stringify(property)}`);
  return description;
}
