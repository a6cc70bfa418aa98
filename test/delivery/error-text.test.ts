import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { errorText as errorTextOf } from "../../src/delivery/http/answer-body.ts";

/** Without a secret in it. */
const errorText = (body: string) => errorTextOf(body, (text) => text);

test("control strings that never end are taken out of what can be read", () => {
  expect(errorText(`\u009d${"\u009d0;a".repeat(3)}`)).toBe("0;a 0;a 0;a");
  expect(errorText("\u009d0;title\u0007no plan\u001b]8;;x\u001b\\ here")).toBe("no plan here");
});

describe("the useful part", () => {
  test.each([
    ['{"message":"no such plan","code":7}', "no such plan"],
    ['{"error":"invalid_token"}', "invalid_token"],
    ['{"error":{"message":"no such plan","type":"x"}}', "no such plan"],
    ['{"type":"about:blank","title":"Bad Request","detail":"no plan"}', "no plan"],
    ['{"errors":[{"detail":"no plan"},{"message":"no name"},{"code":1}]}', "no plan; no name"],
    ['[{"message":"no plan"}]', "no plan"],
    ['"no plan"', "no plan"],
    ['\ufeff {"message":"no plan"}', "no plan"],
    ['{"message":["no plan","no name"],"statusCode":400}', "no plan; no name"],
    ['{"Message":"no plan"}', "no plan"],
    ['{"error":{"error":{"error":{"error":{"error":"no"}}}}}', "no"],
    [
      '{"error":{"error":{"error":{"error":{"error":{"error":"no"}}}}}}',
      '{"error":{"error":{"error":{"error":{"error":{"error":"no"}}}}}}',
    ],
    // What is wrong with single members.
    [
      '{"errors":{"email":["is taken"],"age":["is no number","is missing"]}}',
      "email: is taken; age: is no number; is missing",
    ],
    [
      '{"message":"Validation failed.","errors":[{"field":"email","message":"is taken"}]}',
      "Validation failed: email: is taken",
    ],
    [
      '{"title":"Invalid","invalid-params":[{"name":"age","reason":"no number"}]}',
      "Invalid: age: no number",
    ],
    // Pages of proxies and gateways.
    [
      "<html><head><title>502 Bad Gateway</title></head><body><h1>x</h1></body></html>",
      "502 Bad Gateway x",
    ],
    ["<h1>Bad Gateway</h1>\n<p>No <b>route</b>.", "Bad Gateway No route ."],
    ['<?xml version="1.0"?><Error><Code>7</Code><Message>no plan</Message></Error>', "7 no plan"],
    ["<html", ""],
    ["<plan> is no plan", "<plan> is no plan"],
    ["", ""],
    ["  \n ", ""],
    // JSON in which nothing tells, and JSON that was cut.
    ['{"code":7}', '{"code":7}'],
    ['{"message":"no pl', '{"message":"no pl'],
    ['{"message":null,"error":3}', '{"message":null,"error":3}'],
    ['{"__proto__":{"message":"x"}}', "__proto__: x"],
  ])("of %s", (body, text) => {
    expect(errorText(body)).toBe(text);
  });

  test("is not looked for without end", () => {
    const deep = `${'{"error":'.repeat(20_000)}"x"${"}".repeat(20_000)}`;
    expect(errorText(deep)).toHaveLength(500);
    expect(errorText("[".repeat(60_000))).toHaveLength(500);
    expect(errorText(JSON.stringify(Array(5000).fill("no")))).toBe(Array(10).fill("no").join("; "));
  });
});

describe("the fields that it is about", () => {
  const zodIssues = [
    { code: "invalid_type", expected: "string", path: ["email"], message: "Required" },
    { code: "custom", path: ["profile", "age"], message: "Too young" },
  ];
  test.each<[framework: string, body: unknown, text: string]>([
    [
      "RFC 9457",
      {
        ...{ type: "https://example.net/validation-error", title: "Your request is not valid." },
        errors: [
          { detail: "must be a positive integer", pointer: "#/age" },
          { detail: "must be 'green', 'red' or 'blue'", pointer: "#/profile/color" },
        ],
      },
      "Your request is not valid: age: must be a positive integer; profile.color: must be 'green', 'red' or 'blue'",
    ],
    [
      "RFC 7807, invalid-params",
      {
        ...{ type: "https://example.net/validation-error", status: 400 },
        title: "Your request parameters didn't validate.",
        "invalid-params": [{ name: "age", reason: "must be a positive integer" }],
      },
      "Your request parameters didn't validate: age: must be a positive integer",
    ],
    [
      "Spring Boot",
      {
        ...{ timestamp: "2026-03-08T16:19:45.828+00:00", status: 400, error: "Bad Request" },
        message: "Validation failed for object='customer'. Error count: 1",
        errors: [
          {
            codes: ["NotBlank.customer.email", "NotBlank.email", "NotBlank"],
            arguments: [
              { codes: ["customer.email", "email"], defaultMessage: "email", code: "email" },
            ],
            ...{ defaultMessage: "must not be blank", objectName: "customer", field: "email" },
            ...{ rejectedValue: "", bindingFailure: false, code: "NotBlank" },
          },
        ],
        path: "/v1/contacts/events",
      },
      "Validation failed for object='customer'. Error count: 1: email: must not be blank",
    ],
    [
      "Spring Boot without details",
      { timestamp: "2026-03-08T16:19:45Z", status: 400, error: "Bad Request", path: "/v1" },
      "Bad Request",
    ],
    [
      "FastAPI",
      {
        detail: [
          { type: "missing", loc: ["body", "email"], msg: "Field required", input: { plan: "x" } },
          { type: "int_type", loc: ["body", "items", 0, "n"], msg: "No integer", ctx: {} },
        ],
      },
      "email: Field required; items.0.n: No integer",
    ],
    [
      "Ajv",
      [
        {
          ...{ instancePath: "/email", schemaPath: "#/properties/email/format", keyword: "format" },
          ...{ params: { format: "email" }, message: 'must match format "email"' },
        },
        {
          ...{ instancePath: "", keyword: "required", params: { missingProperty: "plan" } },
          message: "must have required property 'plan'",
        },
      ],
      `email: must match format "email"; must have required property 'plan'`,
    ],
    [
      "express-openapi-validator",
      {
        message: "request/body must have required property 'name'",
        errors: [
          {
            path: "/body/name",
            message: "must have required property 'name'",
            errorCode: "required.openapi.validation",
          },
        ],
      },
      "request/body must have required property 'name': name: must have required property 'name'",
    ],
    [
      "JSON:API",
      {
        jsonapi: { version: "1.1" },
        errors: [
          {
            ...{ status: "422", source: { pointer: "/data/attributes/firstName" } },
            ...{ title: "Invalid Attribute", detail: "is too short" },
          },
          { source: { parameter: "include" }, title: "Invalid Query Parameter" },
        ],
      },
      "firstName: is too short; include: Invalid Query Parameter",
    ],
    [
      "google.rpc",
      {
        error: {
          ...{ code: 400, message: "Invalid contact", status: "INVALID_ARGUMENT" },
          details: [
            {
              "@type": "type.googleapis.com/google.rpc.BadRequest",
              fieldViolations: [
                { field: "email_addresses[1].email", description: "must be unique" },
                { field: "plan", description: "is not accepted", reason: "UNKNOWN_PLAN" },
              ],
            },
          ],
        },
      },
      "Invalid contact: email_addresses[1].email: must be unique; plan: is not accepted",
    ],
    [
      "Prism",
      {
        type: "https://stoplight.io/prism/errors#UNPROCESSABLE_ENTITY",
        ...{ title: "Invalid request", status: 422, detail: "Your request is not valid." },
        validation: [
          {
            ...{ location: ["body", "email"], severity: "Error", code: "format" },
            message: 'Request body property email must match format "email"',
          },
        ],
      },
      `Your request is not valid: email: Request body property email must match format "email"`,
    ],
    [
      "Zod 3",
      { success: false, error: { issues: zodIssues, name: "ZodError" } },
      "email: Required; profile.age: Too young",
    ],
    [
      "Zod 4",
      { success: false, error: { name: "ZodError", message: JSON.stringify(zodIssues, null, 2) } },
      "email: Required; profile.age: Too young",
    ],
    [
      "Zod, flattened",
      { formErrors: ["No such plan"], fieldErrors: { email: ["Required", "Too short"] } },
      "No such plan; email: Required; Too short",
    ],
    [
      "Zod, formatted",
      { _errors: [], email: { _errors: ["Required"] }, profile: { age: { _errors: ["Young"] } } },
      "email: Required; profile.age: Young",
    ],
    [
      "Zod, as a tree",
      { errors: [], properties: { email: { errors: ["Required"] } } },
      "email: Required",
    ],
    [
      "Django REST framework",
      {
        ...{ email: ["must be unique"], plan: ["is not accepted"] },
        ...{ profile: { age: ["A valid integer is required."] }, non_field_errors: ["No."] },
      },
      "email: must be unique; plan: is not accepted; profile.age: A valid integer is required.; No.",
    ],
    [
      "ASP.NET",
      {
        type: "https://tools.ietf.org/html/rfc9110#section-15.5.1",
        ...{ title: "One or more validation errors occurred.", status: 400, traceId: "00-84c1" },
        errors: {
          Email: ["The Email field is required."],
          "$.age": ["The JSON value could not be converted to System.Int32."],
          "": ["A non-empty request body is required."],
        },
      },
      "One or more validation errors occurred: Email: The Email field is required.; age: The JSON value could not be converted to System.Int32.; A non-empty request body is required.",
    ],
    [
      "Rails",
      { errors: { title: ["can't be blank"], base: ["No."] } },
      "title: can't be blank; No.",
    ],
    [
      "Rails, full messages",
      { status: 422, errors: { full_messages: ["Email has already been taken"] } },
      "Email has already been taken",
    ],
    ["Rails, the record's own", { email: ["is taken"] }, "email: is taken"],
    [
      "Laravel",
      {
        message: "The email field is required. (and 1 more error)",
        errors: { email: ["The email field is required."], "roles.0": ["Not a role."] },
      },
      "The email field is required. (and 1 more error): email: The email field is required.; roles.0: Not a role.",
    ],
    [
      "NestJS",
      { statusCode: 400, message: ["email must be an email"], error: "Bad Request" },
      "Bad Request: email must be an email",
    ],
    [
      "GitHub",
      {
        message: "Validation Failed",
        errors: [{ resource: "Issue", field: "title", code: "bad" }],
      },
      "Validation Failed: title: bad",
    ],
    [
      "Stripe",
      { error: { code: "bad", message: "Invalid email.", param: "email", type: "invalid" } },
      "email: Invalid email.",
    ],
    [
      "Salesforce",
      [{ message: "Missing", errorCode: "REQUIRED_FIELD_MISSING", fields: ["LastName", "Email"] }],
      "Missing: LastName; Email",
    ],
    [
      "API Platform",
      { "hydra:title": "x", violations: [{ propertyPath: "email", message: "No email." }] },
      "email: No email.",
    ],
    [
      "Mongoose",
      {
        errors: {
          email: { name: "ValidatorError", message: "Path `email` is required.", kind: "required" },
        },
        ...{ _message: "User validation failed", name: "ValidationError" },
        message: "User validation failed",
      },
      "User validation failed: email: Path `email` is required.",
    ],
  ])("of %s", (_, body, text) => {
    expect(errorText(JSON.stringify(body))).toBe(text);
  });
});

describe("harm", () => {
  test.each([
    ["a line break", "a\r\nb", "a b"],
    ["an escape sequence", "a\u001b[31mb\u001b]0;title\u0007c", "a b c"],
    ["a C1 control sequence", "a\u009b31mb", "a b"],
    ["a turn of direction", "a\u202eb\u2066c", "a b c"],
    ["a byte order mark", "\ufeffa", "a"],
    ["half a character", "a\ud800b", "a b"],
    ["a link in a terminal", "a\u001b]8;;http://x\u001b\\b\u001b]8;;\u001b\\c", "a b c"],
    ["a control string without an end", "a\u001b]0;b", "a ]0;b"],
    ["a separator of lines", "a\u2028b", "a b"],
    ["a formula", "=HYPERLINK(\u0022http://x\u0022)", "'=HYPERLINK(\u0022http://x\u0022)"],
    ["a formula behind space", " \t@SUM(A1)", "'@SUM(A1)"],
  ])("%s is taken out", (_, body, text) => {
    expect(errorText(body)).toBe(text);
    expect(errorText(JSON.stringify({ message: body }))).toBe(text);
  });

  test("none is left of any text, and it is one line of 500 characters at most", () => {
    const nasty = fc.constantFrom(
      "\u001b[2J",
      "\r",
      "\n",
      "\u202e",
      "\ud83d",
      "\u{1f600}",
      "=",
      "+",
    );
    const texts = fc.array(fc.oneof(fc.string({ unit: "binary" }), nasty), { maxLength: 400 });
    fc.assert(
      fc.property(texts, fc.boolean(), (parts, asJson) => {
        const body = parts.join("");
        const text = errorText(asJson ? JSON.stringify({ error: body }) : body);
        expect(text.length).toBeLessThanOrEqual(500);
        expect(text).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
        expect(text).not.toMatch(/^[=+\-@]/);
        expect(text.trim()).toBe(text);
      }),
    );
  });
});
