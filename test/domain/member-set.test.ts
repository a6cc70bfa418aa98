import fc from "fast-check";
import { expect, test } from "vitest";
import { addMember, countMembers, emptySet } from "../../src/domain/member-set.ts";

test("each member of each set is counted, however many there are", () => {
  const anyMembers = fc.uniqueArray(fc.nat(99));
  fc.assert(
    fc.property(fc.array(anyMembers), (sets) => {
      const counts: number[] = [];
      const expected = new Map<number, number>();
      for (const members of sets) {
        const set = emptySet(100);
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
