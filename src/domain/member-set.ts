/** Which members of a list are there: a bit each. */
export type MemberSet = readonly number[];

/** So many are a small integer, which an array holds without a box. */
const bitsAWord = 30;

/** A set for so many members with none of them, that is still to be filled. */
export function emptySet(members: number): number[] {
  return new Array<number>(Math.ceil(members / bitsAWord)).fill(0);
}

export function addMember(set: number[], member: number): void {
  const word = Math.floor(member / bitsAWord);
  set[word] = (set[word] ?? 0) | (1 << (member % bitsAWord));
}

/** Adds one to the count of each member that is there. */
export function countMembers(set: MemberSet, counts: number[]): void {
  for (let word = 0; word < set.length; word++) {
    const first = word * bitsAWord;
    for (let bits = set[word] ?? 0; bits !== 0; bits &= bits - 1) {
      const member = first + 31 - Math.clz32(bits & -bits);
      counts[member] = (counts[member] ?? 0) + 1;
    }
  }
}
