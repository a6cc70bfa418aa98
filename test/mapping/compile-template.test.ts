import { expect, test } from "vitest";
import { allProblemsOf, head, memberOf } from "./given-mapping.ts";

test("a template is blank if what its transforms leave is blank", () => {
  expect(memberOf('{ template: "+{A|digits_only}", default: none }', "n/a")).toBe("none");
});

test("all problems of a template are reported, with what to write instead", () => {
  const columns = ["E-Mail", "A|B"];
  const problemsOf = (template: string) =>
    allProblemsOf(`${head}members: { it: { template: "${template}" } }\n`, columns).map((one) =>
      one.replace("m.yaml:4:28: members.it.template: ", ""),
    );
  expect(problemsOf("{Email|trimm} {B|strip_prefix|} {A|B}")).toEqual([
    'the input has no column "Email"; did you mean "E-Mail"?',
    '"trimm" cannot stand in a template; did you mean trim?',
    'the input has no column "B"; it has "E-Mail", "A|B"',
    '"strip_prefix" cannot stand in a template; it takes trim, collapse_spaces, lowercase, uppercase, title_case, digits_only',
    '"" cannot stand in a template; it takes trim, collapse_spaces, lowercase, uppercase, title_case, digits_only',
    'the input has no column "A"; it has "E-Mail", "A|B"',
    '"B" cannot stand in a template; it takes trim, collapse_spaces, lowercase, uppercase, title_case, digits_only',
  ]);
  expect(problemsOf("{E-Mail|trim}")).toEqual([]);
});
