import { z } from "zod";
import { mappingFile } from "./schema.ts";
import { isAsWritten, isNullWritten } from "./schema-parts.ts";

/** The JSON Schema of a mapping file, for editors. It accepts what has the right form. */
export function mappingJsonSchema(): Record<string, unknown> {
  const { $schema, ...schema } = z.toJSONSchema(mappingFile, {
    target: "draft-7",
    io: "input",
    override({ zodSchema, jsonSchema }) {
      if (!isAsWritten(zodSchema)) return;
      // An editor sees YAML's numbers and booleans where a text without quotes is fine.
      if (jsonSchema.enum === undefined)
        jsonSchema.type = [
          ...["string", "number", "boolean"],
          ...(isNullWritten(zodSchema) ? ["null"] : []),
        ] as never;
      else {
        delete jsonSchema.type;
        jsonSchema.enum = jsonSchema.enum.flatMap((word) =>
          word === "null" ? [word, null] : [word],
        );
      }
    },
  });
  return { $schema, title: "A mapping file of eventload", ...schema };
}
