// `npm run reference`: writes docs/mapping-reference.md from the built JSON Schema, the tables of options in
// docs/configuration.md from the built commands, and those of docs/json.md from the schemas of what is printed.
import { readFileSync, writeFileSync } from "node:fs";
import { toKey } from "../../build/cli/options/option-types.js";
import { printedJsonSchema } from "../../build/cli/terminal/printed.js";
import { withMembers } from "./json-reference.mjs";
import { mappingReference } from "./mapping-reference.mjs";
import { withOptionTables } from "./options-reference.mjs";

const page = (name) => new URL(`../../docs/${name}.md`, import.meta.url);
const schema = new URL("../../dist/mapping.schema.json", import.meta.url);
writeFileSync(
  page("mapping-reference"),
  mappingReference(JSON.parse(readFileSync(schema, "utf8"))),
);

const names = ["import", "check", "retry", "resume", "init", "map", "merge", "status", "report"];
const commands = {};
for (const name of [...names, "export", "sandbox"]) {
  const module = await import(`../../build/cli/commands/${name}.js`);
  commands[name] = module[`${name}Command`];
}
const configuration = page("configuration");
writeFileSync(
  configuration,
  withOptionTables(readFileSync(configuration, "utf8"), commands, toKey),
);

const printed = page("json");
writeFileSync(printed, withMembers(readFileSync(printed, "utf8"), printedJsonSchema));
