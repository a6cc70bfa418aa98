/** Which members of a list are present, one bit each. */
export type MemberSet = readonly number[];

/** So many bits fit a small integer, which an array holds without a separate object. */
const bitsAWord = 30;

/** Those members that have a value. */
export function membersWith(values: readonly unknown[]): number[] {
  const set: number[] = [];
  for (let first = 0; first < values.length; first += bitsAWord) {
    const end = Math.min(values.length - first, bitsAWord);
    let bits = 0;
    for (let at = 0; at < end; at++) if (values[first + at] !== undefined) bits |= 1 << at;
    set.push(bits);
  }
  return set;
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
