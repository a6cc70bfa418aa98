/** The JSON Schema of mapping files, for the command that prints it. */
export { mappingJsonSchema } from "../mapping/schema.ts";
