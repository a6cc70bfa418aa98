/**
 * What programs export for "no value", and nobody writes. The parentheses are of database clients; from `0/0/00` on, it
 * is what Outlook, MySQL, .NET, PHP and forms write for no date. Null is a surname, and NA is Namibia.
 */
export const nullWordsOfPrograms: ReadonlySet<string> = new Set(
  (
    "NULL|null|N/A|n/a|#N/A|\\N|(null)|(NULL)|[NULL]|<null>|NaN|0/0/00|0000-00-00|0000-00-00 00:00:00|" +
    "0001-01-01|0001-01-01 00:00:00|0001-01-01T00:00:00|-0001-11-30|-0001-11-30 00:00:00|30/11/-0001|11/30/-0001|" +
    "--/--/----|__/__/____"
  ).split("|"),
);

/** What people and programs write as well, and what can be a text: `k.A.` is German, and the point of Stata and SAS. */
export const nullSigns: ReadonlySet<string> = new Set(
  "-|--|---|–|—|.|..|k.A.|k.A|k. A.|n.a.|N.A.|n.v.t.|s/d|S/D|無|无|なし|없음".split("|"),
);

/** Words that can also be values, such as the plan of those who have none. */
export const nullTexts: ReadonlySet<string> = new Set("None|nil|nan|undefined".split("|"));
