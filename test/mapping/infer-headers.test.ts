import { describe, expect, it, test } from "vitest";
import { recogniseHeaders } from "../../src/mapping/infer/headers.ts";
import { casesOf, mapper, rowOf } from "./given-mapping.ts";
import { infer, membersOf, pairsOf, proposed } from "./propose.ts";

describe("headers", () => {
  const wanted = "first_name|last_name|email|phone|street|postal_code|city|country|birthday".split(
    "|",
  );

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
    expect(membersOf(headers.split("|"))).toEqual(wanted);
  });

  it.each([
    ["id|nom_etudiant|prenom_etudiant|ville", "id|last_name|first_name|city"],
    ["ID_Pelanggan|nama_pelanggan|no_telepon_pelanggan", "id_pelanggan|name|phone"],
    ["customer_name|email|billing_email", "name|email|billing_email"],
    ["customer_name|driver_name|email", "customer_name|driver_name|email"],
    ["donor_name|donor_type|number_of_donor", "name|donor_type|number_of_donor"],
    ["jmeno|prijimeni|mesto", "first_name|last_name|city"],
    ["List Name|Email", "list_name|email"],
    ["Lvorname|Nachname", "lvorname|last_name"],
    ["firstname|address1_line1|#", "first_name|address1_line1|column_3"],
  ])("%s are %s, by the words beside them", (headers, members) => {
    expect(membersOf(headers.split("|"))).toEqual(members.split("|"));
  });

  it.each(
    pairsOf(`
      LoyaltyTier > loyalty_tier | Größe (cm) > grosse_cm | Company IDs > company_ids
      HTTPStatus > http_status | a--b > a_b | 日付 > 日付 | नाम 2 > नाम_2 | ブログ 2 > ブログ_2
      incidents_85_99 > incidents_85_99 | Score 2 > score_2 | Q1 2024 > q1_2024
      E-mail 2 - Value > email_2 | E-mail 1 - Value > email | Phone 2 - Label > phone_2_label
      CUST_FIRST_NAME > first_name | CUST_NM > name | Kd-Nr. > customer_id | CUST_ID > customer_id
      CUST_EMAIL_ADDR > email | CREATED_TS > created_at | LAST_LOGIN_DT > last_login_at
      NOTES_TXT > notes | CUST_REBATE_AMT > cust_rebate_amt | REG_DT > reg_dt
      Default Address Zip > postal_code | MailingStreet > street | Region__c > state
      Addr2 > address_line_2 | MI > middle_name | USt-IdNr. > vat_id | Straße / Hausnr. > street
      phonenumber > phone | Birthday (yyyy-mm-dd) > birthday | Middle Name (Optional) > middle_name
      Email * > email | Rating (1-5) > rating_1_5 | Phone (work) > phone_work | My (dad) > my_dad
      dateofbirth > birthday | Province/State > province_state | user_email > email
      fecha_nacimiento > birthday | secondName > second_name | City / Town > city
      Phone/Email > phone_email | Created Time > created_at | CUST_1_NAME > cust_1_name
    `),
  )("%s > %s", (header, member) => {
    expect(membersOf([header])).toEqual([member]);
  });

  it.each(
    pairsOf(`
      company,company_name > company,company_name | Identifier,ID > identifier,id
      Email Address,Mail,Phone > email,mail,phone | E-mail,email > email,email_2
      Email,E-Mail,email 2 > email,email_3,email_2
      Vorname,Rufname,Default Address First Name > first_name,rufname,default_address_first_name
      Work Email,Email,email_2 > work_email,email,email_2 | joined_date,joined_dt > joined_date,joined_dt
      Name,CUST_NAME,CUST_NAME_TXT > name,cust_name,cust_name_txt
      nombre,correo > name,email | nombre,apellidos > first_name,last_name
      Nom,Prénom > last_name,first_name | Name,Vorname > last_name,first_name
      Naam,Voornaam > last_name,first_name | Nome,Cognome > first_name,last_name
      Name,First Name > name,first_name | Nome > name
      Nom,Prénom,Nom de famille > name,first_name,last_name
      name,score_math,score_art,score_bio,score_pe > name,score_math,score_art,score_bio,score_pe
    `),
  )("beside one another: %s > %s", (columns, members) => {
    expect(membersOf(columns.split(",")).join(",")).toBe(members);
  });

  it("that cannot be named are left out with a word", () => {
    expect(infer(["same", "same", "", "same"]).leftOut).toEqual([
      'left out, as the input has 3 columns "same" (1, 2, 4): give each a name of its own',
      "a column without a name is left out: name it in the header",
    ]);
  });

  it("whose words are taken for names are said to be a guess", () => {
    const columns = ["Email", "Loyalty Tier", "password"];
    expect(proposed(columns, [["a@b.c", "x", "y"]])).toContain(
      "\n# Members that are named after their columns, which is a guess: loyalty_tier\nmembers:\n",
    );
  });
});

test.each([
  ...["Opt-out", "email_optout", "do_not_call", "HasOptedOutOfEmail", "Don't mail", "Blocked"],
  ...["gesperrt", "Werbesperre", "email_verified", "Verified Email", "Tax Exempt", "no_call"],
  ...["Ne pas appeler", "vérifié", "Bloqueado", "no llamar", "non contattare", "niet bellen"],
  ...["geblokkeerd", "não ligar", "nie dzwonić", "zweryfikowany", "dado de baja", "Bounced"],
  ...["disiscritto", "spärrad", "ring inte", "ikke ringe", "blocked_flg", "disable_auto_renewal"],
])("0 and 1 in %s are a boolean", (header) => {
  expect(proposed([header], [["0"], ["1"], ["0"]])).toContain("type: boolean");
});

test.each(pairsOf("Мобильный > phone | Verified Phone > phone | Blocked card number > bank"))(
  "%s is a kind of %s",
  (header, kind) => {
    expect(recogniseHeaders([header]).headers[0]?.kind).toBe(kind);
  },
);

test("a column of user ids without one does not make the rows users", () => {
  const resourceOf = (id: string) => infer(["Name", "user_id"], [["Ann", id]]).resource;
  expect([resourceOf(""), resourceOf("7")]).toEqual(["contacts", "users"]);
});

describe("columns that hold secrets", () => {
  it.each([
    ...["password", "user_pass", "PasswordHash", "Passwort", "mot de passe", "contraseña", "hasło"],
    ...["access_token", "api key", "salt", "user_activation_key", "CVV2", "Credit Card Number"],
  ])("are known: %s", (header) => {
    expect(infer([header], [["x"]]).members[0]?.isSecret).toBe(true);
  });

  it.each([
    ...["password_changed_at", "has_password", "token_count", "Session Date", "First Name"],
    ...["passport", "hashtag", "Card Number", "CC"],
  ])("are not those about them: %s", (header) => {
    expect(infer([header], [["x"]]).members[0]?.isSecret).toBe(false);
  });

  it("are left out with the reason, and not shown", () => {
    expect(
      proposed(["Name", "password"], [["Ann", "hunter2"]])
        .split("\n")
        .slice(-6, -1),
    ).toEqual([
      '  # text: 1 of 1; such as "Ann"',
      "  name: Name",
      "  # text: 1 of 1",
      "  # Left out: a password, token or the like is a secret and no data about a person.",
      "  # password: password",
    ]);
    const mapRow = mapper(proposed(["password"], [["x"]]), ["password"]);
    expect(mapRow(rowOf(["x"])).kind).toBe("events");
  });
});

describe("ordering_key", () => {
  const order = (
    columns: readonly string[],
    rows: readonly (readonly string[])[],
    isWhole = true,
  ) => {
    const { order } = infer(columns, rows, { isWhole });
    return order.kind === "none" ? "none" : `${order.kind} ${order.column}`;
  };
  const forty = (make: (at: number) => string) => Array.from({ length: 40 }, (_, at) => [make(at)]);

  it("is what tells people apart and comes again", () => {
    const people = [
      ["C01001", "1", "x@example.com"],
      ["C01001", "2", "x@example.com"],
      ["C01002", "3", "y@example.com"],
    ];
    expect(order(["member", "visits", "Email"], people)).toBe("needed Email");
    expect(order(["member", "visits", "Owner email"], people)).toBe("needed member");
    expect(order(["order", "visits", "Customer email"], people)).toBe("needed Customer email");
  });

  it("is no group of people, of which there are few", () => {
    const of = (groups: number) => forty((at) => `T-000${at % groups}`);
    expect(order(["member_id"], of(3))).toBe("none");
    expect(order(["member_id"], of(4))).toBe("needed member_id");
  });

  it.each([
    ["visited", (at: number) => `2024-05-0${1 + (at % 5)}`],
    ["member_since", (at: number) => `2024-05-0${1 + (at % 5)}`],
    ["id", (at: number) => `${2015 + (at % 5)}`],
    ["city_id", (at: number) => `C-000${at % 5}`],
    ["owner_id", (at: number) => `C-000${at % 5}`],
    ["Owner email", (at: number) => `o${at % 5}@example.com`],
    ["code", (at: number) => `C-000${at % 5}`],
    ["user", (at: number) => `Ann ${at % 5}`],
  ])("is none of %s", (column, make) => {
    expect(order([column], forty(make))).toBe("none");
    expect(order([column], forty(make), false)).toBe("none");
  });

  it("is an address although a few cells are none", () => {
    const rows = forty((at) => (at === 7 ? "none" : `p${at}@example.com`));
    expect(order(["Email"], rows)).toBe("possible Email");
    expect(order(["Email"], [...rows, ["p1@example.com"]])).toBe("needed Email");
    const few = rows.map(([cell = ""], at) => [at % 4 === 0 ? "none" : cell]);
    expect(order(["Email"], few)).toBe("none");
  });

  it("is only mentioned where no two rows of a whole file agree", () => {
    const [one, two] = [
      ["1", "Ann"],
      ["2", "Bo"],
    ];
    expect(order(["id", "name"], [one, two])).toBe("possible id");
    expect(order(["id", "name"], [one, two], false)).toBe("needed id");
    expect(order(["id", "product"], [one, two])).toBe("none");
    expect(order(["n"], [["x"], ["x"]])).toBe("none");
    expect(proposed(["Id", "Name"], [one, two])).toMatch(
      /order needs no key\..*\n# ordering_key: \[Id\]\n/,
    );
  });

  it("compares an address in lower case, as its member is sent", () => {
    expect(proposed(["Email"], [["Ann@x.org"], ["bob@x.org "], ["ann@x.org"]])).toContain(
      "\nordering_key: [{ column: Email, transform: [trim, lowercase] }]\n",
    );
  });
});
