import { describe, expect, it, test } from "vitest";
import { inferMapping } from "../../src/mapping/infer/infer-mapping.ts";
import { isSecret, recogniseColumn } from "../../src/mapping/infer/recognise-header.ts";
import { writeMapping } from "../../src/mapping/infer/write-mapping.ts";
import { mapper, rowOf } from "./given-mapping.ts";

function membersOf(columns: readonly string[]): string[] {
  return inferMapping({ columns, rows: [], isWhole: true }).members.map(({ member }) => member);
}

function proposed(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const inferred = inferMapping({ columns, rows, isWhole: true });
  const options = { schema: "s.json", about: [], maskSamples: false, isAnswered: true };
  return writeMapping(inferred, options);
}

test("the address of a record in an API is no website", () => {
  const urlOf = (cell: string) => proposed(["url"], [[cell]]);
  expect(urlOf("https://acme.example/api/v2/users/1.json")).toContain("  url: url");
  expect(urlOf("https://ada.example/")).toContain("  website: url");
});

describe("names", () => {
  it.each([
    ["incidents_85_99", "incidents_85_99"],
    ["score_1_2", "score_1_2"],
    ["Score 2", "score_2"],
    ["Q1 2024", "q1_2024"],
    ["E-mail 2 - Value", "email_2"],
    ["ブログ 2", "ブログ_2"],
    ["नाम 2", "नाम_2"],
    ["E-mail 1 - Value", "email"],
    ["Phone 2 - Label", "phone_2_label"],
  ])("keep their numbers where they are: %s", (header, member) => {
    expect(membersOf([header])).toEqual([member]);
  });

  it.each([
    ["CUST_FIRST_NAME", "first_name"],
    ["CUST_NM", "name"],
    ["Kd-Nr.", "customer_id"],
    ["CUST_ID", "customer_id"],
    ["CUST_EMAIL_ADDR", "email"],
    ["CREATED_TS", "created_at"],
    ["LAST_LOGIN_DT", "last_login_at"],
    ["NOTES_TXT", "notes"],
    ["CUST_REBATE_AMT", "rebate_amount"],
    ["CUST_LOYALTY_TXT", "loyalty"],
    ["Default Address Zip", "postal_code"],
    ["default_address_city", "city"],
    ["MailingStreet", "street"],
    ["Region__c", "state"],
    ["Addr2", "address_line_2"],
    ["MI", "middle_name"],
    ["USt-IdNr.", "vat_id"],
    ["Straße / Hausnr.", "street"],
    ["phonenumber", "phone"],
    ["Birthday (yyyy-mm-dd)", "birthday"],
    ["Middle Name (Optional)", "middle_name"],
    ["Email *", "email"],
    ["Rating (1-5)", "rating_1_5"],
    ["Phone (work)", "phone_work"],
    ["My (dad)", "my_dad"],
    ["dateofbirth", "birthday"],
    ["Province/State", "province_state"],
    ["user_email", "email"],
    ["bday", "birthday"],
    ["fecha_nacimiento", "birthday"],
    ["secondName", "second_name"],
    ["last_seen", "last_seen"],
    ["City / Town", "city"],
    ["Phone/Email", "phone_email"],
    ["Created Time", "created_at"],
    ["Last Modified Time", "updated_at"],
  ])("have no prefix or suffix of a dump: %s", (header, member) => {
    expect(membersOf([header])).toEqual([member]);
  });

  it.each([
    [
      ["company", "company_name"],
      ["company", "company_name"],
    ],
    [
      ["Email Address", "Mail", "Phone"],
      ["email", "mail", "phone"],
    ],
    [
      ["Identifier", "ID"],
      ["identifier", "id"],
    ],
    [
      ["Vorname", "Rufname", "Default Address First Name"],
      ["first_name", "rufname", "default_address_first_name"],
    ],
    [
      ["E-mail", "email"],
      ["email", "email_2"],
    ],
  ])("are those of the headers where two mean the same: %j", (headers, members) => {
    expect(membersOf(headers)).toEqual(members);
  });

  it("keep a shared prefix that says what the columns hold", () => {
    expect(membersOf(["name", "score_math", "score_art", "score_bio", "score_pe"])).toEqual([
      ...["name", "score_math", "score_art", "score_bio", "score_pe"],
    ]);
    expect(membersOf(["Email (work)", "Email (home)", "Email (other)", "Email (old)"])).toEqual([
      ...["email_work", "email_home", "email_other", "email_old"],
    ]);
  });

  it("have no prefix that says whose the columns are", () => {
    expect(membersOf(["mbr_email", "mbr_first_name", "mbr_plan", "mbr_active"])).toEqual([
      ...["email", "first_name", "plan", "active"],
    ]);
  });

  it.each([
    ["Work Email,Email,email_2", "work_email,email,email_2"],
    ["Name,CUST_NAME,CUST_NAME_TXT", "name,cust_name,cust_name_txt"],
    ["joined_date,joined_dt", "joined_date,joined_dt"],
    ["Vorname,Rufname", "first_name,rufname"],
    ["nombre,correo", "name,email"],
    ["nombre,apellidos", "first_name,last_name"],
    ["CUST_1_NAME", "cust_1_name"],
  ])("are those of the headers where two would have one: %s", (columns, members) => {
    expect(membersOf(columns.split(",")).join(",")).toBe(members);
  });

  it("lose a word that nearly all columns begin with, if the rest is known", () => {
    const columns = ["kd_vorname", "kd_nachname", "kd_plz", "kd_ort", "kd_id"];
    expect(membersOf(columns)).toEqual(["first_name", "last_name", "postal_code", "city", "kd_id"]);
    expect(membersOf(["kd_vorname", "plz"])[0]).toBe("kd_vorname");
  });
});

test.each([
  ...["Opt-out", "email_optout", "do_not_call", "HasOptedOutOfEmail", "Don't mail", "Blocked"],
  ...["gesperrt", "Werbesperre", "email_verified", "Verified Email", "Unsubscribed", "Tax Exempt"],
  ...["Ne pas appeler", "vérifié", "Bloqueado", "no llamar", "non contattare", "Verificato"],
  ...["geblokkeerd", "niet bellen", "verificado", "não ligar", "nie dzwonić", "zweryfikowany"],
  ...["no_call", "Bounced", "email_valid", "Werbung verboten", "désinscrit", "dado de baja"],
  ...["disiscritto", "uitgeschreven", "descadastrado"],
  ...["spärrad", "ring inte", "verificeret", "ikke ringe", "blocked_flg"],
])("0 and 1 in %s are a boolean", (header) => {
  const cells = [["0"], ["1"], ["0"]];
  expect(proposed([header], cells)).toContain("type: boolean");
});

test.each([
  ["t", "f"],
  ["on", "off"],
])("%s and %s are a boolean", (yes, no) => {
  expect(proposed(["v"], [[yes], [no], [yes]])).toContain(
    "v: { column: v, type: boolean, true_values: [",
  );
  expect(proposed(["v"], [[yes], ["x"], [yes]])).not.toContain("boolean");
});

test("words of other scripts keep their marks", () => {
  expect(recogniseColumn("Мобильный").kind).toBe("phone");
});

test.each(["Verified Phone", "Blocked card number"])("%s is no flag", (header) => {
  expect(["phone", "id"]).toContain(recogniseColumn(header).kind);
});

test("a column of user ids without one does not make the rows users", () => {
  const columns = ["Name", "user_id"];
  const resourceOf = (id: string) =>
    inferMapping({ columns, rows: [["Ann", id]], isWhole: true }).resource;
  expect(resourceOf("")).toBe("contacts");
  expect(resourceOf("7")).toBe("users");
});

describe("columns that hold secrets", () => {
  it.each([
    ...["password", "user_pass", "PasswordHash", "Passwort", "mot de passe", "contraseña", "hasło"],
    ...["access_token", "remember_token", "api key", "salt", "user_activation_key", "CVV"],
    ...["CVV2", "CCNumber", "Credit Card Number", "Kreditkartennummer"],
  ])("are known: %s", (header) => {
    expect(isSecret(header)).toBe(true);
  });

  it.each([
    ...["password_changed_at", "has_password", "token_count", "Session Date", "First Name"],
    ...["passport", "hashtag", "Card Number", "CC", "Credit Card Type"],
  ])("are not those about them: %s", (header) => {
    expect(isSecret(header)).toBe(false);
  });

  it("are left out with the reason, and not shown", () => {
    const text = proposed(["Name", "password"], [["Ann", "hunter2"]]);
    expect(text.split("\n").slice(-6, -1)).toEqual([
      '  # text: 1 of 1; such as "Ann"',
      "  name: Name",
      "  # text: 1 of 1",
      "  # Left out: a password, token or the like is a secret and no data about a person.",
      "  # password: password",
    ]);
  });

  it("may be the only ones", () => {
    const mapRow = mapper(proposed(["password"], [["x"]]), ["password"]);
    expect(mapRow(rowOf(["x"])).kind).toBe("events");
  });
});

test("an apostrophe that exports put before digits is removed, and the rest stays text", () => {
  const text = proposed(
    ["Customer ID", "Score", "Name"],
    [
      ["'6000000000001", "'12", "'t Hooft"],
      ["'6000000000002", "7", "O'Neil"],
    ],
  );
  expect(text).toContain(`customer_id: { column: Customer ID, transform: { strip_prefix: "'" } }`);
  expect(text).toContain(`score: { column: Score, transform: { strip_prefix: "'" } }`);
  expect(text).toContain("  name: Name");
});

test("an address is compared in lower case, as its member is sent, in any file", () => {
  const rows = [["Ann@x.org"], ["bob@x.org "], ["ann@x.org"], ["bob@x.org"], ["cyd@x.org"]];
  expect(proposed(["Email"], rows)).toContain(
    "\nordering_key: [{ column: Email, transform: [trim, lowercase] }]\n",
  );
  expect(proposed(["Email"], rows.slice(2))).toContain(
    "\n# ordering_key: [{ column: Email, transform: [trim, lowercase] }]\n",
  );
  expect(proposed(["Id"], [["a1"], ["b2"]])).toContain("\n# ordering_key: [Id]\n");
});
