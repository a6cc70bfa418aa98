import { describe, expect, it, test } from "vitest";
import { inferMapping } from "../../src/mapping/infer/infer-mapping.ts";
import { recogniseColumn } from "../../src/mapping/infer/recognise-header.ts";
import { writeMapping } from "../../src/mapping/infer/write-mapping.ts";
import { casesOf } from "./given-mapping.ts";

/** A header and its cells, given as `header of cell · cell`. */
function columnOf(given: string): [header: string, cells: string[]] {
  const [header = "", cells = ""] = given.split(" of ");
  return [header, cells.split(" · ")];
}

/** The lines that a table of one column gets below `members:`. */
function linesFor(header: string, cells: readonly string[]): string[] {
  const rows = cells.map((cell) => [cell]);
  const inferred = inferMapping({ columns: [header], rows, isWhole: true });
  const options = { schema: "s.json", about: [], maskSamples: false, isAnswered: true };
  const [, members = ""] = writeMapping(inferred, options).split("\nmembers:\n");
  return members.trimEnd().split("\n");
}

test("a column of marks may be a flag", () => {
  for (const header of ["Gesperrt", "LOEVM"]) {
    expect(linesFor(header, ["X", "", "X "])).toEqual([
      '  # text: 2 of 2, 1 blank; such as "X", "X "',
      "  # if X is yes and a blank cell is no: map: { X: true }, default: false",
      `  ${header.toLowerCase()}: { column: ${header}, transform: trim }`,
    ]);
  }
  expect(linesFor("v", ["X", "Y"]).join()).not.toContain("default");
});

test.each(
  casesOf(`
v of 30219 · 30219
    all of one length, as codes are: if they are amounts or counts, add type: integer
v of 19780707 · 20011231
    each could be a day: add type: date, format: yyyyMMdd if they are
v of 1500 · 25000
    all different, as ids are: if they are amounts or counts, add type: integer
v of 1 · 2 · 3
    all different, as ids are: if they are amounts or counts, add type: integer
v of 7 · 67676767676 · 7
    as long as codes and phone numbers are: if they are amounts or counts, add type: integer
v of 12 · 007
    1 with zeros in front, which a number would lose
Socio of Sí · no · X · sí
    yes and no, except for "X": to map them, add type: boolean, true_values: [sí, …], false_values: [no, …]
Cargo of 32 · 7
    the header suggests job_title, but the cells do not
`),
)("%s says why it is what it is", (given, note) => {
  expect(linesFor(...columnOf(given))).toContain(`  # ${note}`);
});

test.each([
  [["1500", "1500", "25000"]],
  [["2024", "2025", "2024"]],
  [["3", "1", "2"]],
  [["-10000", "20000"]],
])("numbers that look like amounts or counts are integers: %j", (cells) => {
  expect(linesFor("v", cells).at(-1)).toContain("type: integer");
  expect(linesFor("Salary", ["30219", "41007"]).at(-1)).toContain("type: integer");
});

test("names in the words of their columns are said to be a guess", () => {
  const columns = ["Email", "Loyalty Tier", "password"];
  const text = writeMapping(inferMapping({ columns, rows: [["a@b.c", "x", "y"]], isWhole: true }), {
    ...{ schema: "s.json", about: [], maskSamples: false, isAnswered: true },
  });
  expect(text).toContain(
    "\n# Members that are named after their columns, which is a guess: loyalty_tier\nmembers:\n",
  );
});

test.each([
  [["12345 Main St", "9 High Street 10001"], "text"],
  [["ann12345@x.org", "bob67890@x.org, 1"], "text"],
  [["0612345678 ext 7", "tel 0612345679"], "phone number"],
])("an address is no phone number: %j is %s", (cells, evidence) => {
  expect(linesFor("Phone", cells)[0]).toContain(`# ${evidence}: 2 of 2`);
});

const memberFor = (header: string, cells: readonly string[]) =>
  linesFor(header, cells).at(-1)?.trim();

test.each([
  ["v", ["1", "-2", "30"], "v: { column: v, type: integer }"],
  ["v", ["1", "", " 2 "], "v: { column: v, type: integer }"],
  ["v", ["1", "00172"], "v"],
  ["v", ["1", "9007199254740993"], "v"],
  ["v", ["+49123", "12"], "v"],
  ["v", ["34.181059", "-7"], "v: { column: v, type: number }"],
  ["v", ["1,5", "-7"], 'v: { column: v, type: number, decimal_separator: "," }'],
  ["v", ["1'234.50", "7.5"], `v: { column: v, type: number, thousands_separator: "'" }`],
  ["v", ["1,234", "12,500,000"], 'v: { column: v, type: integer, thousands_separator: "," }'],
  ["v", ["12345678901234567890.5", "1.5"], "v: { column: v, type: decimal }"],
  ["v", ["$1.50", "2.25"], "v"],
  ["b", ["true", "FALSE"], "b: { column: b, type: boolean }"],
  ["b", ["Tak", "nie"], "b: { column: b, type: boolean, true_values: [tak], false_values: [nie] }"],
  ["b", ["N", "N"], "b"],
  ["b", ["t", "f"], "b: { column: b, type: boolean, true_values: [t], false_values: [f] }"],
  ["b", ["T"], "b"],
  ["Active", ["N"], "active: { column: Active, type: boolean }"],
  ["Gender", ["F"], "gender: Gender"],
  ["b", ["1", "0"], "b: { column: b, type: integer }"],
  ["is_b", ["1", "0"], "is_b: { column: is_b, type: boolean }"],
  ["d", ["2024-02-29", "1999-12-31"], "d: { column: d, type: date }"],
  ["d", ["2024-02-30"], "d"],
  ["d", ["2024-02-29T12:00:00+01:00"], "d: { column: d, type: datetime }"],
  ["d", ["2024-02-29 00:00:00"], "d: { column: d, type: date }"],
  ["d", ["31/12/1999", "01/02/2024"], "d: { column: d, type: date, format: dd/MM/yyyy }"],
  ["d", ["12/31/99", "1/2/24"], "d: { column: d, type: date, format: M/d/yy }"],
  ["d", ["1.2.2024", "31.12.1999"], "d: { column: d, type: date, format: d.M.yyyy }"],
  ["d", ["3 Feb 2024", "31 Dec 1999"], "d: { column: d, type: date, format: d MMM yyyy }"],
  ["d", ["20240131"], "d"],
  ["date", ["20240131"], "date: { column: date, type: date, format: yyyyMMdd }"],
  ["date", ["45321", "45322.5"], "date: { column: date, type: datetime, format: excel_serial }"],
  ["date", ["1706745600"], "date: { column: date, type: datetime, format: X }"],
  ["date", ["1706745600000"], "date: { column: date, type: datetime, format: x }"],
  ["j", ['{"a":1}', "[2]"], "j: { column: j, type: json }"],
  ["l", ["a;b", "c", "d;e"], 'l: { column: l, type: list, separator: ";" }'],
  ["l", ["a, b", "c, d"], "l"],
  ["l", ["a;b", "c;d", ..."efghijklm".split("")], "l"],
  ["Tags", ["a, b", "c"], 'tags: { column: Tags, type: list, separator: "," }'],
  ["l", ["one two three four;b", "c;d"], 'l: { column: l, type: list, separator: ";" }'],
  ["l", ["one two three four five;b", "c;d"], "l"],
  ["l", ["Come in; it is open to all of you, always.", "c;d"], "l"],
  [
    "x",
    ["a@example.com", " B@example.org"],
    "x: { column: x, transform: [trim, lowercase], format: email }",
  ],
  ["Email", ["a@example.com", "none"], "email: Email"],
  ["SSN", ["123456789"], "ssn: SSN"],
  ["PIN", ["1234", "5678"], "pin: PIN"],
  ["Account", ["1001"], "account: Account"],
  ["v", Array.from({ length: 20 }, (_, at) => `${412_200 + at}`), "v"],
  [
    "Account Balance",
    Array.from({ length: 20 }, (_, at) => `${412_200 + at}`),
    "account_balance: { column: Account Balance, type: integer }",
  ],
  ["Account Balance", ["1001"], "account_balance: { column: Account Balance, type: integer }"],
  ["LinkedInProfile", ["ann"], "linkedin_profile: LinkedInProfile"],
  ["Zip Status", ["yes", "no"], "zip_status: { column: Zip Status, type: boolean }"],
  ["Телефон", ["79161234567"], "телефон: Телефон"],
  ["Phone", ["0301234567", "301234567"], "phone: Phone"],
  ["Phone", ["100", "4711"], "phone: Phone"],
  ["Verified Phone", ["yes", "no"], "verified_phone: { column: Verified Phone, type: boolean }"],
  ["Category", ["Doors, frames", "Roofs"], "category: Category"],
  ["Category", ["a;b", "c;d"], 'category: { column: Category, type: list, separator: ";" }'],
  ["email_id", ["17", "18"], "email_id: email_id"],
  ["Zip", ["35055", "12345"], "postal_code: Zip"],
  ["adr_one_postalcode", ["35055", "12345"], "adr_one_postalcode: adr_one_postalcode"],
  ["customernumber", ["73029", "72810"], "customer_id: customernumber"],
  ["Active (0/1)", ["0", "1"], 'active: { column: "Active (0/1)", type: boolean }'],
  ["Bankleitzahl", ["50010517"], "bankleitzahl: Bankleitzahl"],
  ["Anzahl der Kinder", ["2"], "anzahl_der_kinder: { column: Anzahl der Kinder, type: integer }"],
  ["A-Number", ["1234.5678"], "a_number: { column: A-Number, type: number }"],
  ["IdPedido", ["7", "12"], "id_pedido: IdPedido"],
  ["LEISTUNGSID", ["17", "1"], "leistungsid: LEISTUNGSID"],
  ["paid", ["17", "1"], "paid: { column: paid, type: integer }"],
  ["顧客番号", ["5", "2461648"], "顧客番号: 顧客番号"],
  ["生年月日", ["19780707"], "生年月日: { column: 生年月日, type: date, format: yyyyMMdd }"],
  ["Cargo", ["32", "7"], "cargo: { column: Cargo, type: integer }"],
  ["Cargo", ["Jefe", "7"], "job_title: Cargo"],
  ["Estado", ["activo"], "estado: Estado"],
  ["Estado", ["Jalisco"], "state: Estado"],
  ["d", ["0000-01-31", "0999-12-31"], "d"],
  ["t", [" a", "b"], "t: { column: t, transform: trim }"],
  ["yes", ["a"], '"yes": "yes"'],
  ["event", ["a"], "event_name: event"],
  ["1", ["a"], 'column_1: "1"'],
])("%s with %j", (header, cells, expected) => {
  const isShort = /^\w+$/.test(expected);
  expect(memberFor(header, cells)).toBe(isShort ? `${expected}: ${expected}` : expected);
});

test.each(
  casesOf(`
v of 1.234,50 · 7,5
    v: { column: v, type: number, decimal_separator: ",", thousands_separator: "." }
v of $1,234.50 · -$2.25
    v: { column: v, transform: { replace: { find: "$", with: "" } }, type: number, thousands_separator: "," }
v of 1.234,50 € · 7,25 €
    v: { column: v, transform: { replace: { find: "€", with: "" } }, type: number, decimal_separator: ",", thousands_separator: "." }
Active of T
    active: { column: Active, type: boolean, true_values: [t], false_values: [f] }
date of 12/31/1999 1:05 PM
    date: { column: date, type: datetime, format: "MM/dd/yyyy h:mm a", timezone: UTC }
EmailID of a@example.com
    email: { column: EmailID, transform: [trim, lowercase], format: email }
Kontonummer der Bankverbindung of 1234
    kontonummer_der_bankverbindung: Kontonummer der Bankverbindung
disable_auto_renewal of 0 · 1
    disable_auto_renewal: { column: disable_auto_renewal, type: boolean }
Groups (x,y,z...) of A, B · C
    tags: { column: "Groups (x,y,z...)", type: list, separator: "," }
Skills of First aid · Driver, First aid
    skills: { column: Skills, type: list, separator: "," }
`),
)("%s", (given, expected) => {
  expect(memberFor(...columnOf(given))).toBe(expected);
});

test.each([
  [
    ["Nom", "Prénom"],
    ["last_name", "first_name"],
  ],
  [
    ["Name", "Vorname"],
    ["last_name", "first_name"],
  ],
  [
    ["Naam", "Voornaam"],
    ["last_name", "first_name"],
  ],
  [
    ["Nome", "Cognome"],
    ["first_name", "last_name"],
  ],
  [
    ["Nome", "Sobrenome"],
    ["first_name", "last_name"],
  ],
  [
    ["Name", "First Name"],
    ["name", "first_name"],
  ],
  [
    ["Nom", "Prénom", "Nom de famille"],
    ["name", "first_name", "last_name"],
  ],
  [["Nome"], ["name"]],
])("the parts of a name are told by each other: %j", (columns, expected) => {
  const { members } = inferMapping({ columns, rows: [], isWhole: true });
  expect(members.map(({ member }) => member)).toEqual(expected);
});

test.each([
  ["Prénom", "dd/MM/yyyy"],
  ["Fecha de alta", "dd/MM/yyyy"],
  ["Geburtsdatum", "dd/MM/yyyy"],
  ["Cognome", "dd/MM/yyyy"],
  ["Sobrenome", "dd/MM/yyyy"],
  ["Achternaam", "dd/MM/yyyy"],
  ["First Name", "MM/dd/yyyy"],
])("dates that could be either beside %s are %s", (header, format) => {
  const columns = ["d", header];
  const { members } = inferMapping({ columns, rows: [["01/02/2024", ""]], isWhole: true });
  expect(members[0]?.conversion).toEqual({ type: "date", format });
  expect(members[0]?.otherOrder).toBeDefined();
});

describe("headers", () => {
  const wanted = [
    "first_name",
    "last_name",
    "email",
    "phone",
    "street",
    "postal_code",
    "city",
    "country",
    "birthday",
  ];
  it.each(
    casesOf(`
English
    First Name|Surname|E-mail|Phone number|Street|Zip code|City|Country|Date of birth
German
    Vorname|Nachname|E-Mail-Adresse|Telefonnummer|Straße|PLZ|Ort|Land|Geburtsdatum
French
    Prénom|Nom de famille|Courriel|Téléphone|Rue|Code postal|Ville|Pays|Date de naissance
Spanish
    Nombre|Apellidos|Correo electrónico|Teléfono|Calle|Código postal|Ciudad|País|Fecha de nacimiento
Italian
    nome proprio|Cognome|Posta elettronica|Telefono|Via|CAP|Città|Paese|Data di nascita
Dutch
    Voornaam|Achternaam|E-mailadres|Telefoon|Straat|Postcode|Woonplaats|Land|Geboortedatum
Portuguese
    Primeiro nome|Sobrenome|Endereço de e-mail|Telefone|Rua|CEP|Cidade|País|Data de nascimento
Polish
    Imię|Nazwisko|Adres e-mail|Numer telefonu|Ulica|Kod pocztowy|Miasto|Kraj|Data urodzenia
Swedish
    Förnamn|Efternamn|E-postadress|Telefon|Gata|Postnummer|Stad|Land|Födelsedatum
Danish
    Fornavn|Efternavn|E-mail|Telefonnr.|Vej|Postnr.|By|Land|Fødselsdato
`),
  )("in %s are known", (_, headers) => {
    expect(headers.split("|").map((header) => recogniseColumn(header).member)).toEqual(wanted);
  });

  it("of their own become snake_case", () => {
    expect(
      ["LoyaltyTier", "Größe (cm)", "Company IDs", "HTTPStatus", "a--b", "日付"].map(
        (header) => recogniseColumn(header).member,
      ),
    ).toEqual(["loyalty_tier", "grosse_cm", "company_ids", "http_status", "a_b", "日付"]);
  });
});

it("no two members have one name, and columns that cannot be named are left out with a word", () => {
  const columns = ["Email", "E-Mail", "email 2", "same", "same", ""];
  const inferred = inferMapping({ columns, rows: [], isWhole: true });
  expect(inferred.members.map(({ member }) => member)).toEqual(["email", "email_3", "email_2"]);
  expect(inferred.leftOut).toEqual([
    'several columns have the name "same" (4, 5), and are left out: rename them',
    "a column without a name is left out: name it in the header",
  ]);
});

it("a column that is called email and holds none is said to", () => {
  const note = "  # the column is called so, but no cell is an email address";
  expect(linesFor("Email Address", ["12/31/13", "08/01/16"])).toContain(note);
  expect(linesFor("Email Address", ["none"])).toContain(note);
  expect(linesFor("Email Address", ["a@example.com"])).not.toContain(note);
  expect(linesFor("Email Address", [""])).not.toContain(note);
  expect(linesFor("Emails sent", ["3"])).not.toContain(note);
  const few = "  # the column is called so, but only 1 of 3 cells is an email address";
  expect(linesFor("Email", ["a@example.com", "none", "none"])).toContain(few);
});

it("a column that is called company and holds yes and no is said to", () => {
  const note = "  # the header suggests company, but the cells do not";
  expect(linesFor("Company", ["ja", "1", "JA"])).toContain(note);
  expect(linesFor("Company", ["Ja AG", "Nein GmbH"])).not.toContain(note);
  expect(linesFor("Country", ["NO", "NO"])).toEqual([expect.any(String), "  country: Country"]);
});

it("what German programs write for nothing is a blank cell", () => {
  const rows = [["k.A."], ["a@example.com"]];
  const { nullValues, members } = inferMapping({ columns: ["E-Mail"], rows, isWhole: true });
  expect({ nullValues, type: members[0]?.conversion }).toEqual({
    nullValues: ["k.A."],
    type: { format: "email" },
  });
});

describe("the order of day and month", () => {
  const formats = (rows: readonly (readonly string[])[], columns = ["a", "b"]) =>
    inferMapping({ columns, rows, isWhole: true }).members.map(
      ({ conversion }) => conversion.format,
    );

  it("is that of another column which tells", () => {
    expect(formats([["01/02/2024", "31/01/2024"]])).toEqual(["dd/MM/yyyy", "dd/MM/yyyy"]);
    expect(formats([["01/02/2024", "01/31/2024"]])).toEqual(["MM/dd/yyyy", "MM/dd/yyyy"]);
  });

  it("is that which a header names", () => {
    const rows = [["01/02/2024", "03/04/2024"]];
    expect(formats(rows, ["a", "Born (DD/MM/YYYY)"])).toEqual(["dd/MM/yyyy", "dd/MM/yyyy"]);
    expect(formats(rows, ["Datum", "mm/dd/yyyy"])).toEqual(["MM/dd/yyyy", "MM/dd/yyyy"]);
  });

  it("is day first with points", () => {
    expect(formats([["01.02.2024", "x"]])[0]).toBe("dd.MM.yyyy");
    const { members } = inferMapping({ columns: ["a"], rows: [["01.02.2024"]], isWhole: true });
    expect(members[0]?.otherOrder).toBeUndefined();
  });
});

describe("ordering_key", () => {
  const order = (
    columns: readonly string[],
    rows: readonly (readonly string[])[],
    isWhole = true,
  ) => {
    const { order } = inferMapping({ columns, rows, isWhole });
    return order.kind === "none" ? "none" : `${order.kind} ${order.column}`;
  };

  it("is what tells people apart and comes again", () => {
    const people = [
      ["C01001", "1", "x@example.com"],
      ["C01001", "2", "x@example.com"],
      ["C01002", "3", "y@example.com"],
    ];
    expect(order(["member", "visits", "Email"], people)).toBe("needed Email");
    expect(order(["member", "visits", "Owner email"], people)).toBe("needed member");
  });

  it("is no group of people, of which there are few", () => {
    const teams = Array.from({ length: 40 }, (_, at) => [`T-000${at % 3}`]);
    expect(order(["member_id"], teams)).toBe("none");
    const members = Array.from({ length: 40 }, (_, at) => [`F-000${at % 4}`]);
    expect(order(["member_id"], members)).toBe("needed member_id");
  });

  it.each([
    ["visited", (at: number) => `2024-05-0${1 + (at % 5)}`],
    ["member_since", (at: number) => `2024-05-0${1 + (at % 5)}`],
    ["id", (at: number) => `${2015 + (at % 5)}`],
    ["city_id", (at: number) => `C-000${at % 5}`],
    ["company_id", (at: number) => `C-000${at % 5}`],
    ["owner_id", (at: number) => `C-000${at % 5}`],
    ["Owner email", (at: number) => `o${at % 5}@example.com`],
    ["code", (at: number) => `C-000${at % 5}`],
    ["amount", (at: number) => `1000${at % 5}`],
    ["user", (at: number) => `Ann ${at % 5}`],
    ["notes", (at: number) => `see C-000${at % 5}`],
  ])("is none of %s", (column, make) => {
    const rows = Array.from({ length: 40 }, (_, at) => [make(at)]);
    expect(order([column], rows)).toBe("none");
    expect(order([column], rows, false)).toBe("none");
  });

  it("is an address although a few cells are none", () => {
    const rows = Array.from({ length: 40 }, (_, at) => [at === 7 ? "none" : `p${at}@example.com`]);
    expect(order(["Email"], rows)).toBe("possible Email");
    expect(order(["Email"], [...rows, ["p1@example.com"]])).toBe("needed Email");
    const few = rows.map(([cell = ""], at) => [at % 4 === 0 ? "none" : cell]);
    expect(order(["Email"], few)).toBe("none");
  });

  it("is only mentioned where no two rows of a whole file agree", () => {
    expect(
      order(
        ["id", "v"],
        [
          ["1", "x"],
          ["2", "x"],
        ],
      ),
    ).toBe("possible id");
    expect(
      order(
        ["id", "v"],
        [
          ["1", "x"],
          ["2", "x"],
        ],
        false,
      ),
    ).toBe("needed id");
    expect(order(["n"], [["x"], ["x"]])).toBe("none");
  });
});
