import { z } from "zod";
import { exactlyOneOf, withRules } from "./schema-rules.ts";
import { asWritten, text } from "./written-text.ts";

const transformNames = [
  "trim",
  "collapse_spaces",
  "lowercase",
  "uppercase",
  "title_case",
  "nfc",
  "digits_only",
] as const;

const replacement = withRules(
  z.strictObject({
    find: text("the text to replace").optional(),
    pattern: text("a regular expression for what to replace").optional(),
    with: asWritten(z.string().describe("what to put there")),
  }),
  [exactlyOneOf(["find", "pattern"])],
);

const transformName = z.enum(transformNames);
const transformWithText = withRules(
  z.strictObject({
    strip_prefix: text("what to take from the beginning, if it is there").optional(),
    replace: replacement.optional().describe("what to replace, wherever it stands"),
  }),
  [exactlyOneOf(["strip_prefix", "replace"])],
);
const transformStep = z.union([transformName, transformWithText]);

export const transform = z.union([transformName, transformWithText, z.array(transformStep)]).meta({
  id: "transform",
  description:
    "`trim`, `collapse_spaces`, `lowercase`, `uppercase`, `title_case`, `nfc`, `digits_only`, `{ strip_prefix: \"tel:\" }`, `{ replace: { find: x, with: y } }` (`pattern` instead of `find` for a regular expression: `with: $2 $1` puts its groups the other way round, `$<name>` is a named one, `$&` the whole match and `$$` a dollar), or a list of them; applied first, in their order. `title_case` knows `O'Neil` and `they've`. `digits_only` makes 0 to 9 of the digits of other scripts. A cell in which a `pattern` takes too many steps, since it looks at the rest of it for every match, is invalid",
});

export type TransformName = (typeof transformNames)[number];
export type TransformStep = z.infer<typeof transformStep>;
export type TransformSpec = z.infer<typeof transform>;
