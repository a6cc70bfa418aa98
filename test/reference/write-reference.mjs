// `npm run reference`: puts the mapping reference into the README, from the built JSON Schema.
import { readFileSync, writeFileSync } from "node:fs";
import { withReference } from "./mapping-reference.mjs";

const readme = new URL("../../README.md", import.meta.url);
const schema = new URL("../../dist/mapping.schema.json", import.meta.url);
const current = readFileSync(readme, "utf8");
writeFileSync(readme, withReference(current, JSON.parse(readFileSync(schema, "utf8"))));
