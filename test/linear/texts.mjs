// Long texts that repeat themselves, as nobody writes them who means well.

/** What cells, headers, answers and workbooks are made of, as far as something looks for it. */
const tokens = [
  ..."0159aAzßıé\u0301\u0323ŞŽÃ\u00a0\u00ad\u200b\u2028\ufeff😀\ud83d \t\n\r\0\u001b\u0085",
  ...",;|:.-+_/\\'\"`´’@#$%&=?!*^~<>()[]{}\u0090\u0098\u009b\u009c\u009d\u0007",
  ...'e E e1 E+1 0. 1, 0,000 1\'000 -1 +1 \\\\ \\" "" a@ @. a. a@b. Z T 00:00 12/ 2024- 1:'.split(
    " ",
  ),
  ...'\r\n|a,b\n|a1,b\n|"a","b"\n|",|,"|"\n"|a;b\r|=a|\ufeff"|\t=|-,|1 000| 00:00|AM|GMT'.split(
    "|",
  ),
  ...`<a|<a |a="|a="" |a='' |a=|<a>|</a>|<!--|-->|<![CDATA[|]]>|<?|?>|<!|&amp;|&#|&#x|&a`.split(
    "|",
  ),
  ..."_x000D_ _x <title> <script </ \u001b[ \u001b] \u001b\\ \u009b0 \u009d0\u001b".split(" "),
  ...`{"a": {"message":" "errors":[ "a", [[ [] {} [1], [0] "field":"a", "a":"`.split(" "),
  ..."charset= ;charset gzip, q=1; limit=1, http:// https://a xn--ab9 %25 %41 import_status".split(
    " ",
  ),
  ...`column |column "a": |line 1, | …|(line |sep=|a.mjs|.mjs?|:1:1|error:0A:|HPE_`.split("|"),
  ..."Mail|E-Mail |Date |ID|First Name|name 2 |Value|aB|AAb|telefon|P|PT1H|1S".split("|"),
  ...`yyyy MM ' h:mm "0" [h] [>0] _( *- # #0 General \\0 ../ C:\\ .results`.split(" "),
];

/** Those that once took some function seconds or forever. */
export const hostileTexts = [
  ["", "0", "x"],
  ["", "1", "!"],
  ["0.1", "0", "1"],
  ["http://xn--", "ab9", ""],
  ["a1,b\n", "1", "!,b\n"],
  ["a", "@.", " ,b\n"],
  ["a", "a", "x"],
  ["", "a,", "b"],
  ["", " ", ""],
  ["", "\t", "x"],
  ["https:", "/", "x"],
  ["", "\u009d", ""],
  ["", "\u001b]", "x"],
  ["\ufeff", '\ufeff"', "\n="],
  ["a", "\u0301\u0323", ""],
  ["", "[", ""],
  ["", '"', "x"],
  ["a", ',"', ""],
  ["a", 'a="" ', ""],
  ["a", "a= ", ""],
  ["", ".mjs?", ":"],
  ["from '", "\n", ""],
  ["1", " 00:00", "x"],
].map(([begin, unit, end]) => ({ begin, unit, end }));

const most = { begin: 3, unit: 3, end: 2 };

/** One token again and again, with something before or behind it. */
export function* plainTexts() {
  for (const token of tokens) {
    yield { begin: "", unit: token, end: "" };
    yield { begin: "1", unit: token, end: "x" };
    yield { begin: '"', unit: token, end: "\n" };
  }
}

/** The same of several tokens. */
export function anyText(random) {
  const some = (count) =>
    Array.from({ length: count }, () => tokens[Math.floor(random() * tokens.length)]).join("");
  return {
    begin: some(Math.floor(random() * (most.begin + 1))),
    unit: some(1 + Math.floor(random() * most.unit)),
    end: some(Math.floor(random() * (most.end + 1))),
  };
}

export function textOf({ begin, unit, end }, length) {
  const times = Math.max(1, Math.round((length - begin.length - end.length) / unit.length));
  // Joined to one piece, as a text that was read is.
  return Buffer.from(begin + unit.repeat(times) + end, "utf16le").toString("utf16le");
}
