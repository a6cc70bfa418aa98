import fc from "fast-check";

/** Columns of the inputs that generated mappings are for. */
export const columns = ["A", "B", "01", "true", "Sign up|in"];

type Part = Record<string, unknown>;

const anyColumn = fc.constantFrom(...columns);
const anyScalar = fc.oneof(
  fc.constantFrom("", "x", "01", "true", "null", "é"),
  fc.constantFrom(0, 1, -1.5, 7, true, false, null),
);
/** Text that a mapping may also write as a number, a boolean or nothing. */
const anyWritten = fc.constantFrom("x", "X", "01", "true", "", "a,b", "12", 1, 12, true);
const someWritten = fc.uniqueArray(anyWritten, { minLength: 1, maxLength: 3 });
/** Not among what values and checks of generated mappings wait for: that would never come. */
const someNulls = fc.uniqueArray(fc.constantFrom("null", "NO", "12", 12, "é", ""), {
  minLength: 1,
});
const anyText = fc.constantFrom("x", "X", "01", "true", "é", "a");
const anyPatternText = fc.constantFrom("^x", "[0-9]+", "^(?:a|b|x)*$", ".", "\\d{2}", "e\\u0301|é");

/** An object with some of the keys. */
const some = (shape: Record<string, fc.Arbitrary<unknown>>, required: readonly string[] = []) =>
  fc
    .record(shape, { requiredKeys: [...required] })
    .map((part): Part => Object.fromEntries(Object.entries(part)));

const transformNames = [
  ...["trim", "collapse_spaces", "lowercase", "uppercase", "title_case", "digits_only"],
];
const anyStep = fc.oneof(
  fc.constantFrom<unknown>(...transformNames),
  anyText.map((prefix) => ({ strip_prefix: prefix })),
  fc.tuple(anyText, anyWritten).map(([find, to]) => ({ replace: { find, with: to } })),
  fc
    .tuple(fc.constantFrom(",", "x", " ", 1), fc.constantFrom(1, 2, -1, -3))
    .map(([by, item]) => ({ split: { by, item } })),
  fc
    .tuple(fc.constantFrom(1, 3, 5), fc.constantFrom("0", 0, "é", "😀"))
    .map(([length, filling]) => ({ pad_start: { length, with: filling } })),
  fc.tuple(anyPatternText, anyWritten).map(([pattern, to]) => ({ replace: { pattern, with: to } })),
  fc
    .tuple(anyPatternText, fc.constantFrom("$1", "$1-$$", "<$&>"))
    .map(([pattern, to]) => ({ replace: { pattern: `(${pattern})`, with: to } })),
);
const anyTransform = fc.oneof(anyStep, fc.array(anyStep, { maxLength: 3 }));

const dateFormats = ["dd/MM/yyyy", "yyyy-MM-dd", "d MMMM yyyy", "iso", "excel_serial", "X"];
const timeFormats = [
  ...["dd/MM/yyyy HH:mm", "M/d/yyyy h:mm a", "yyyy-MM-dd'T'HH:mm:ssZZ", "iso", "x", "excel_serial"],
];
const anyFormats = (formats: readonly string[]) =>
  fc.oneof(
    fc.constantFrom<unknown>(...formats),
    fc.uniqueArray(fc.constantFrom(...formats), { minLength: 1, maxLength: 3 }),
  );

const anyScale = fc.constantFrom(0.01, 100, -1, 2.5, 1e-7);
const bounds = { min: fc.constantFrom(-5, 0, 0.5), max: fc.constantFrom(0.5, 10) };
const anyOneOf = fc.uniqueArray(fc.constantFrom("1", "12.50", "x", "X", 7), { minLength: 1 });
const anyNumbers = fc.uniqueArray(fc.constantFrom("1", "12.50", "1.0", "-125e-1", 7), {
  minLength: 1,
});
const separators = fc.constantFrom<Part>(
  ...[{}, { decimal_separator: "," }, { thousands_separator: "," }, { thousands_separator: " " }],
  ...[{ decimal_separator: ",", thousands_separator: "." }, { decimal_separator: "." }],
);

/** The keys that say how a text becomes a value, of the types that an item of a list can have. */
const anyItemConversion: fc.Arbitrary<Part> = fc.oneof(
  some({
    type: fc.constant("string"),
    format: fc.constantFrom("email", "url"),
    pattern: anyPatternText,
    min_length: fc.constantFrom(0, 1, 2),
    max_length: fc.constantFrom(2, 5),
    enum: anyOneOf,
  }),
  some(
    {
      type: fc.constant("integer"),
      thousands_separator: fc.constantFrom(".", ",", " ", "'"),
      enum: anyNumbers,
      scale: anyScale,
      ...bounds,
    },
    ["type"],
  ),
  fc
    .tuple(
      some(
        {
          type: fc.constantFrom("number", "decimal"),
          enum: anyNumbers,
          scale: anyScale,
          ...bounds,
        },
        ["type"],
      ),
      separators,
    )
    .map(([one, other]) => ({ ...one, ...other })),
  fc.constantFrom<Part>(
    { type: "boolean" },
    { type: "boolean", true_values: ["x", 1], false_values: ["01", true] },
  ),
  some({ type: fc.constant("date"), format: anyFormats(dateFormats) }, ["type"]),
  some(
    {
      type: fc.constant("datetime"),
      format: anyFormats(timeFormats),
      timezone: fc.constantFrom("UTC", "Europe/Amsterdam", "America/New_York"),
    },
    ["type"],
  ),
);

const anyConversion: fc.Arbitrary<Part> = fc.oneof(
  { arbitrary: anyItemConversion, weight: 5 },
  {
    arbitrary: some(
      {
        type: fc.constant("list"),
        separator: fc.constantFrom(";", ",", "ab"),
        items: fc
          .tuple(anyItemConversion, some({ transform: anyTransform }))
          .map(([one, other]) => ({ ...one, ...other })),
      },
      ["type", "separator"],
    ),
    weight: 2,
  },
  { arbitrary: fc.constant({ type: "json" }), weight: 1 },
);

/** A template has no form for a column with a |. */
const insertedColumns = columns.filter((column) => !column.includes("|"));
const anyInsert = fc
  .tuple(
    fc.constantFrom(...insertedColumns),
    fc.array(fc.constantFrom(...transformNames), { maxLength: 2 }),
  )
  .map(([column, steps]) => [column, ...steps].join("|"));

const anySource: fc.Arbitrary<Part> = fc.oneof(
  anyColumn.map((column) => ({ column })),
  fc.uniqueArray(anyColumn, { minLength: 1, maxLength: 3 }).map((list) => ({ columns: list })),
  fc.tuple(anyInsert, anyInsert).map(([a, b]) => ({ template: `{${a}} {{-}} {${b}}` })),
);

/** A default of the member's type, if it has one at all; then nothing else of what is said of blank cells. */
function withFittingDefault(member: Part): Part {
  const { empty, required, ...others } = member;
  if (!("default" in member)) return required === true ? { ...others, required } : member;
  const { type } = member;
  return typeof type === "string" && type !== "json"
    ? { ...others, default: fittingValue(type, member) }
    : others;
}

function onlyBesideMap({ otherwise, ...others }: Part): Part {
  return "map" in others && otherwise !== undefined ? { ...others, otherwise } : others;
}

function fittingValue(type: string, spec: Part): unknown {
  const { items = {} } = spec as { items?: Part };
  switch (type) {
    case "integer":
      return 7;
    case "number":
      return -1.5;
    case "decimal":
      return "0.50";
    case "boolean":
      return false;
    case "date":
      return "2024-05-01";
    case "datetime":
      return "2024-05-01T12:30:00.000Z";
    case "list":
      return [fittingValue(String(items.type ?? "string"), items)];
    default:
      return "x";
  }
}

const { condition: anyCondition } = fc.letrec<{ condition: Part }>((tie) => ({
  condition: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc
      .tuple(
        anyColumn,
        fc.oneof(
          someWritten.map((list): Part => ({ in: list })),
          someWritten.map((list): Part => ({ not_in: list })),
          anyWritten.map((value): Part => ({ equals: value })),
          anyColumn.map((other): Part => ({ equals: { column: other } })),
          fc.constantFrom<Part>({ above: 7 }, { below: 12.5 }, { above: -13 }),
          fc.constant<Part>({ above: 7, decimal_separator: "," }),
          fc.constantFrom<Part>({ above: "2024-04-30" }, { below: "2024-05-02" }),
          anyPatternText.map((pattern): Part => ({ matches: pattern })),
          fc.boolean().map((blank): Part => ({ blank })),
        ),
      )
      .map(([column, test]) => ({ column, ...test })),
    fc.array(tie("condition"), { minLength: 1, maxLength: 2 }).map((all): Part => ({ all })),
    fc.array(tie("condition"), { minLength: 1, maxLength: 2 }).map((any): Part => ({ any })),
    tie("condition").map((not): Part => ({ not })),
  ),
}));

const anyUnconditional: fc.Arbitrary<unknown> = fc.oneof(
  { arbitrary: anyColumn, weight: 1 },
  {
    arbitrary: fc
      .oneof(anyScalar, fc.constantFrom([], {}, [1, [null]], { "a.b": ["x"], 7: {} }))
      .map((value) => ({ value })),
    weight: 1,
  },
  { arbitrary: fc.constantFrom("event_id", "row", "line").map((meta) => ({ meta })), weight: 1 },
  {
    arbitrary: fc
      .tuple(
        anySource,
        fc.oneof(
          { arbitrary: anyConversion, weight: 4 },
          {
            arbitrary: fc
              .dictionary(fc.constantFrom("x", "01", "true", "", "A"), anyScalar)
              .map((map) => ({ map })),
            weight: 1,
          },
        ),
        some({
          transform: anyTransform,
          default: anyScalar,
          required: fc.boolean(),
          empty: fc.constantFrom("omit", "null", "keep", null),
          otherwise: anyScalar,
        }),
      )
      .map((parts) => onlyBesideMap(withFittingDefault(Object.assign({}, ...parts)))),
    weight: 9,
  },
);

const anyMember: fc.Arbitrary<unknown> = fc
  .tuple(anyUnconditional, fc.option(anyCondition, { freq: 4 }))
  .map(([member, when]) =>
    when === null || typeof member === "string" || "meta" in (member as Part)
      ? member
      : { ...(member as Part), when },
  );

/** Sets of names that do not get into each other's way. */
const anyNames = fc.constantFrom(
  ["name", "profile.first", "profile.last", "a\\.b"],
  ["emails[0].address", "emails[1].address", "emails[1].kind", "name"],
  ["a.x", "b", "a.y", "a.z.u", "c"],
  ["l[0].a", "l[1].a", "l[0].b", "m", "l[2]"],
  ["deep.er[0][0]", "deep.er[0][1]", "deep.est", "constructor", "7"],
);

const anyEventName: fc.Arbitrary<unknown> = fc.oneof(
  fc.constant("user.updated"),
  fc.constant({ value: "A" }),
  fc
    .tuple(
      anySource,
      some({
        transform: anyTransform,
        map: fc.dictionary(fc.constantFrom("x", "01", ""), anyText),
        otherwise: anyText,
        default: anyText,
      }),
    )
    .map(([source, more]) => onlyBesideMap({ ...source, ...more })),
);

const anyBlock = fc
  .tuple(anyNames, fc.array(anyMember, { minLength: 5, maxLength: 5 }), fc.nat({ max: 5 }))
  .chain(([names, members, count]) => {
    const named = names.slice(0, count).map((name, at): [string, unknown] => [name, members[at]]);
    const shape = {
      event: anyEventName,
      members: fc.constant(Object.fromEntries(named)),
      when: anyCondition,
    };
    return some(shape, ["event", "members"]);
  });

const anyKeyPart = fc.oneof(
  anyColumn,
  fc.tuple(anyColumn, anyTransform).map(([column, transform]) => ({ column, transform })),
);

const anyFile = fc
  .tuple(
    some({
      ordering_key: fc.uniqueArray(anyKeyPart, { minLength: 1, maxLength: 2 }),
      empty: fc.constantFrom("omit", "null", "keep", null),
      null_values: someNulls,
      clear_values: fc.uniqueArray(fc.constantFrom("a,b;x", "+7", "1e3", "NL"), { minLength: 1 }),
    }),
    fc.constantFrom<Part>({}, { on_key_failure: "block" }, { $schema: "mapping.schema.json" }),
  )
  .map(([file, more]): Part => {
    const { on_key_failure: _, ...withoutOrder } = more;
    return { version: 1, ...file, ...("ordering_key" in file ? more : withoutOrder) };
  });

/** A mapping of the right form over `columns`, as JSON. */
export const anyMapping: fc.Arbitrary<Part> = fc.oneof(
  fc.tuple(anyFile, anyBlock).map(([file, block]) => ({ ...file, resource: "users", ...block })),
  fc
    .tuple(
      anyFile,
      fc.array(anyBlock, { minLength: 1, maxLength: 2 }),
      some({ when: anyCondition }),
    )
    .map(([file, blocks, more]) => ({
      ...{ ...file, ...more },
      events: blocks.map((block) => ({ resource: "contacts", method: "PUT", ...block })),
    })),
);

/** Cells that mean something to one type or another, and many that do not. */
export const anyCell = fc.oneof(
  fc.constantFrom(
    ...["", " ", "x", " X ", "01", "1", "12", "true", "NO", "null", "é", "e\u0301", "a,b;x", " ; "],
    ...["٣4", "𝟙߂ 𝟿", "o'NEIL they'VE i'll 21ST 't", "d’ARCY'S rock'n'roll b2B 'o'x"],
    ...["1,312", "1.312,5", "-12.50", "+7", "0012.5", "1e3", "12'345", "9007199254740993"],
  ),
  fc.constantFrom("2024-05-01", "01/05/2024", "31/03/2024 02:30", "5/1/2024 2:30 PM", "1 May 2024"),
  fc.constantFrom("2024-05-01T14:30:00+02:00", "45413.5", "1714521600", "60", "2024-05-01 12:30"),
  fc.constantFrom("ada@example.com", "https://example.com", "NL", '{"a":[1]}', "[1", "tel:12 34"),
  fc.string({ unit: "grapheme", maxLength: 4 }),
);
