/** The JSON Schema of mapping files, for the command that prints it; apart, as that command loads nothing else. */
export { mappingJsonSchema } from "../../mapping/schema.ts";
export { conversionKeys, memberTypes, transformNames } from "../../mapping/value-schema.ts";
