import type { EventExplanation, MemberExplanation } from "../../model/explanation.ts";

/** The members of each event with the steps that lead to them. */
export function explainedJson(explained: readonly EventExplanation[] | undefined): object | null {
  return (
    explained?.map(({ index, resource, leftOut = null, members, orderingKey }) => ({
      ...{ index, resource, left_out: leftOut },
      members: members.map(memberJson),
      ...(orderingKey === undefined ? {} : { ordering_key: orderingKey.map(memberJson) }),
    })) ?? null
  );
}

function memberJson({ name, steps, value, problem }: MemberExplanation): object {
  return {
    name,
    steps,
    ...(value === undefined ? {} : { value }),
    ...(problem === undefined ? {} : { code: problem.code, message: problem.message }),
  };
}
