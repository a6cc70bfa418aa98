/**
 * The members of a club, as three people have kept them in one spreadsheet for twenty years: 400 rows and a total, with
 * words for yes and no in three languages, two ways of dates and of numbers, addresses that are none, n/a, blank lines.
 */
export function clubMembers(): string {
  const any = createAny(7);
  const header =
    "Mitgliedsnr.;Naam;E-Mail;Telefoon;Straße;PLZ;Ort;Land;Geburtsdatum;Eintritt;Beitrag;Nieuwsbrief;Status;Interessen;Bemerkung";
  const rows = Array.from({ length: 400 }, (_, at) => {
    const row = at + 1;
    if (row % 57 === 0) return ";".repeat(14);
    const [place, postalCode, country] = any(places);
    const [first, last] = [any(firstNames), any(lastNames)];
    const address = `${first}.${last}${at}@${any(["example.net", "example.com", "example.org"])}`;
    const email = plain(address);
    const day = two(1 + (any(28) as number));
    const month = two(1 + (any(12) as number));
    const year = 1940 + (any(60) as number);
    const amount = any(["85,00", "120,50", "1.250,00", "45,00"]);
    return [
      String(123 + at).padStart(6, "0"),
      `${first} ${last}`,
      row % 41 === 8 ? email.replace(/example\..*/, "") : any(30) === 0 ? "" : email,
      row % 5 === 0 ? "" : `+33 1 42 ${two(any(99) as number)} ${two(any(99) as number)} 10`,
      `${any(["Rue de la Paix", "Dorpsstraat", "Bahnhofstr."])} ${1 + (any(90) as number)}`,
      ...[postalCode, place, country],
      row % 9 === 0 ? `${day}.${month}.${year}` : `${year}-${month}-${day}`,
      `${day}.${month}.${2000 + (any(24) as number)}`,
      row % 10 === 7 ? any(["99.50", "45.00"]) : amount,
      any(["ja", "ja", "JA", "nein", "nee", "oui", "non"]),
      row % 100 === 31 ? "n/a" : any(["A", "A", "P", "X"]),
      row % 5 === 1 ? "" : any(["Wandern, Segeln", "Lesen", "Fietsen, Lezen, Koken"]),
      row % 2 === 0 ? "" : any(["«ancien membre»", "belt terug; zie mail", "zahlt bar"]),
    ]
      .map((cell) => (String(cell).includes(";") ? `"${cell}"` : cell))
      .join(";");
  });
  const total = "Summe;;;;;;;;;;31.402,50;;;;";
  return `${[header, ...rows, total].join("\n")}\n`;
}

const firstNames = ["Marie", "Hélène", "René", "Pieter", "Sophie", "Claire", "Jürgen", "Anke"];
const lastNames = ["Janssen", "Müller", "Öztürk", "Dupont", "van den Berg", "Weiß", "Claes"];
const places = [
  ["Lyon", "69001", "FR"],
  ["Leiden", "2311 GJ", "NL"],
  ["Gent", "9000", "BE"],
  ["Köln", "50667", "DE"],
] as const;

const two = (number: number) => String(number).padStart(2, "0");
const plain = (text: string) =>
  text
    .normalize("NFD")
    .replaceAll(/\p{M}|\s/gu, "")
    .replaceAll("ß", "ss")
    .toLowerCase();

/** One of a list, or a number below one: the same in every run. */
function createAny(seed: number) {
  let state = seed;
  return <One>(from: readonly One[] | number): One => {
    state = (state * 16_807) % 2_147_483_647;
    return (typeof from === "number" ? state % from : from[state % from.length]) as One;
  };
}
