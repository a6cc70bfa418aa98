export const yesAndNo: readonly (readonly [yes: string, no: string])[] = (
  "true/false yes/no y/n t/f ja/nein ja/nee ja/nej j/n on/off wahr/falsch oui/non o/n vrai/faux sí/no si/no sì/no s/n " +
  "verdadero/falso vero/falso sim/não sim/nao verdadeiro/falso waar/onwaar tak/nie prawda/fałsz sant/falskt ja/nei " +
  "kyllä/ei da/nu ano/ne igen/nem evet/hayır да/нет так/ні ναι/όχι có/không ya/tidak ใช่/ไม่ใช่ 예/아니오 네/아니요 是/否 はい/いいえ نعم/لا כן/לא"
)
  .split(" ")
  .map((pair) => pair.split("/") as [string, string]);

/** What a word means in any language: yes, no, or nobody knows. */
export function yesNoMeaning(word: string): "yes" | "no" | undefined {
  const plain = word.trim().toLowerCase();
  const of = (side: 0 | 1) => yesAndNo.some((pair) => pair[side] === plain) || plain === "10"[side];
  const [isYes, isNo] = [of(0), of(1)];
  return isYes === isNo ? undefined : isYes ? "yes" : "no";
}

/** Yes and no in the words of several languages, or as 1 and 0 beside words; undefined if others are among them. */
export function flagsOfSeveral(words: Iterable<string>) {
  const all = new Set(words);
  const yes = [...all].filter((word) => word === "1" || isYesNoWord(word, 0));
  const no = [...all].filter((word) => word === "0" || isYesNoWord(word, 1));
  const isSure = yes.length > 0 && no.length > 0 && yes.length + no.length === all.size;
  return isSure ? { true_values: yes, false_values: no } : undefined;
}

/** A letter alone is a code as often. */
function isYesNoWord(word: string, side: 0 | 1): boolean {
  return !/^[a-z]$/.test(word) && yesAndNo.some((pair) => pair[side] === word);
}
