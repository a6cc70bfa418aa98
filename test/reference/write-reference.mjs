// `npm run reference`: writes docs/mapping-reference.md from the built JSON Schema.
import { readFileSync, writeFileSync } from "node:fs";
import { mappingReference } from "./mapping-reference.mjs";

const page = new URL("../../docs/mapping-reference.md", import.meta.url);
const schema = new URL("../../dist/mapping.schema.json", import.meta.url);
writeFileSync(page, mappingReference(JSON.parse(readFileSync(schema, "utf8"))));
