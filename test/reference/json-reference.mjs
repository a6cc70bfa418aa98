// The tables of docs/json.md, from the JSON Schemas of what is printed.

/**
 * The page with the members of what is printed, as the schemas have them now.
 *
 * @param {string} page
 * @param {(name: string) => object} schemaOf the JSON Schema of what is printed under a name
 */
export function withMembers(page, schemaOf) {
  const places =
    /(<!-- The members of (\w+) are written .*-->\n)[\s\S]*?(<!-- End of the members. -->)/g;
  return page.replace(places, (_, begin, name, end) => {
    const [whole] = schemaOf(name).anyOf;
    const { properties } = whole.properties.accounts?.items ?? whole;
    const lines = Object.entries(properties).map(
      ([member, { description = "" }]) => `| \`${member}\` | ${asCode(lower(description))} |`,
    );
    const table = ["| member | holds |", "|---|---|", ...lines]
      .join("\n")
      .replaceAll("|  |", "| |");
    return `${begin}\n${table}\n\n${end}`;
  });
}

function lower(sentence) {
  return /^[A-Z][a-z ]/.test(sentence) ? sentence[0].toLowerCase() + sentence.slice(1) : sentence;
}

function asCode(text) {
  return text.replaceAll(/--\w+|resume --close|\bnull\b/g, "`$&`");
}
