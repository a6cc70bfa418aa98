import fc from "fast-check";
import { expect, test } from "vitest";
import { addMember, countMembers, membersWith } from "../../src/model/event.ts";

test("the members that have a value are those that were added", () => {
  const anyValue = fc.constantFrom(undefined, null, "", 0);
  fc.assert(
    fc.property(fc.array(anyValue, { maxLength: 100 }), (values) => {
      const set = membersWith(values.map(() => undefined));
      values.forEach((value, member) => {
        if (value !== undefined) addMember(set, member);
      });
      expect(membersWith(values)).toEqual(set);
    }),
  );
});

test("each member of each set is counted, however many there are", () => {
  const anyMembers = fc.uniqueArray(fc.nat(99));
  fc.assert(
    fc.property(fc.array(anyMembers), (sets) => {
      const counts: number[] = [];
      const expected = new Map<number, number>();
      for (const members of sets) {
        const set = membersWith(new Array(100));
        for (const member of members) {
          addMember(set, member);
          expected.set(member, (expected.get(member) ?? 0) + 1);
        }
        countMembers(set, counts);
      }
      for (let member = 0; member < 100; member++) {
        expect(counts[member]).toBe(expected.get(member));
      }
    }),
  );
});
