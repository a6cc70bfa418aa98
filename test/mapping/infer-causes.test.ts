import { expect, test } from "vitest";
import { proposed } from "./propose.ts";

/** What a careful person expects of a table: what the proposal has, and after `!` what it must not have; `^` begins a line. */
function check(table: string, expected: string): void {
  const [columns = [], ...rows] = table
    .trim()
    .split("\n")
    .map((line) => line.trim().split("|"));
  const text = `\n${proposed(columns, rows)}`;
  for (const line of expected.trim().split("\n")) {
    const [, not, start, wanted = ""] = /^(!?)(\^?)(.*)$/.exec(line.trim()) ?? [];
    const found = start === "" ? wanted : `\n${wanted}`;
    if (not === "!") expect(text).not.toContain(found);
    else expect(text).toContain(found);
  }
}

/** A table of so many rows, each made of its number. */
function many(header: string, count: number, row: (at: number) => string): string {
  return [header, ...Array.from({ length: count }, (_, at) => row(at))].join("\n");
}

const names = "Ann Bo Cy Di Ed Flo Gus Hal Ida Jo Kim Leo".split(" ");
const nameOf = (at: number) => `${names[at % names.length]} ${String.fromCharCode(65 + (at % 26))}`;

test.each([
  [
    "an address that a team shares",
    many(
      "employee_id|name|email",
      24,
      (at) => `${4000 + at * 7}|${nameOf(at)}|team${at % 6}@x.org`,
    ),
    `# ordering_key: [employee_id]
     Rows with the same "email" have different names or birthdays
     !^ordering_key`,
  ],
  [
    "an id of a product that repeats",
    many("Id|Name|Email", 24, (at) => `${at % 8}|${nameOf(at)}|p${at}@x.org`),
    "# ordering_key: [{ column: Email\n!^ordering_key",
  ],
  [
    "a picture with an id, and no person",
    many("id|file|width", 24, (at) => `${100 + at}|i${at}.png|640`),
    "It is not clear\n!ordering_key: [id]",
  ],
  [
    "invoices of a client",
    many("invoice|client_id|amount", 24, (at) => `${900 + at}|${17 + (at % 9)}|${at % 5}.50`),
    "It is not clear\n!^ordering_key",
  ],
  [
    "two ids that do not agree",
    many("contact_id|name|email", 24, (at) => `C${at}|${nameOf(at % 12)}|p${at % 12}@x.org`),
    `"contact_id", "email" could both identify a person
     !^ordering_key`,
  ],
  [
    "orders with their lines",
    many("email|Name|sku", 24, (at) => `P${at % 8}@x.org|${nameOf(at % 8)}|s${at}`),
    "^ordering_key: [{ column: email",
  ],
  [
    "an id that no table knows, beside an address that two share",
    many("çırak_id|Ad|E-posta", 24, (at) => `E${at}|Ann${at % 12}|p${at % 12}@x.org`),
    `"E-posta", "çırak_id" could both identify a person
     !^ordering_key`,
  ],
  [
    "whoever entered the rows",
    many("kun_id|firma|telefon|user_id", 11, (at) => `${at + 50}|A${at}|0301234${at}|${at % 4}`),
    `resource: contacts
     !^ordering_key`,
  ],
  [
    "an id that no table knows",
    many("员工ID|姓名", 24, (at) => `E${at}|王${at}`),
    "# ordering_key: [员工ID]\n!^ordering_key",
  ],
  [
    "an address that two of many share",
    many("Name|Email", 300, (at) => `${nameOf(at)}|p${at === 7 ? 8 : at}@x.org`),
    'Rows with the same "Email" have different names or birthdays: compare them\n^ordering_key',
  ],
  [
    "what people have bought",
    many("hoTen|soDienThoai|maHang", 12, (at) => `${nameOf(at % 6)}|09123456${at % 6}|A${at}`),
    "It is not clear\n!ordering_key: [maHang",
  ],
  [
    "the numbers of the rows",
    many("מס'|שם תלמיד", 24, (at) => `${at + 1}|${nameOf(at)}`),
    "name: שם תלמיד\nIt is not clear",
  ],
  [
    "students in Polish",
    many("nr indeksu|imię|nazwisko|email", 24, (at) => `${at}|A|B${at}|p${at}@x.pl`),
    "# ordering_key: [{ column: email",
  ],
])("the key of %s", (_, table, expected) => check(table, expected));

test.each([
  ...[
    "社員ID|氏名",
    "员工编号|姓名",
    "직원번호|이름",
    "Номер сотрудника|ФИО",
    "Mã nhân viên|Họ tên",
  ],
  ...[
    "رقم الطالب|الاسم",
    "numero_socio|nombre",
    "Kod pracownika|Imię i nazwisko",
    "Member ID|Name",
  ],
])("numbers of people identify them in any language, although rows repeat: %s", (header) => {
  const [column = ""] = header.split("|");
  check(
    many(header, 40, (at) => `${7001 + 3 * (at % 37)}|${nameOf(at % 37)}`),
    `^ordering_key: [${column}]`,
  );
});

test.each([
  ..."PW|Passwort|비밀번호|パスワード|密码|şifre|Şifre|пароль|heslo|كلمة المرور|סיסמה|Salasana|mật khẩu".split(
    "|",
  ),
  ..."كلمة مرور|סיסמת כניסה|口令|패스워드|비번|พาสเวิร์ด|Κωδικός|Парола|Lozinka|Лозинка|Geslo|Parool|Parole".split(
    "|",
  ),
  ..."Slaptažodis|Şifrə|Lösen|Kata laluan|Contrasenya|رمز عبور|पासवर्ड|Initialpasswort|Startkennwort|Passw.".split(
    "|",
  ),
  ..."userpass|pswd|Pass word|ログインPW|парол|Code d'accès".split("|"),
  ..."user_password|Kata sandi|รหัสผ่าน|lösenord|Hasło|PasswordHash|login pw|κωδικός πρόσβασης|jelszó".split(
    "|",
  ),
])("%s is left out, and its rows are likelier users", (header) => {
  check(`Email|${header}\na@x.org|hunter2`, `resource: users\nLeft out\n!hunter2`);
});

test.each("security_code|secret_answer|access_key|mfa_seed".split("|"))(
  "%s is left out",
  (header) => {
    check(`Email|${header}\na@x.org|hunter2`, "Left out\n!hunter2");
  },
);

test.each([
  ["bcrypt", "$2y$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy"],
  ["crypt", "$1$O3JMY.Tw$AdLnLjQ/5jXF9.MTp3gHv/"],
  ["argon2", "$argon2id$v=19$m=65536,t=3,p=4$c29tZXNhbHQ$RdescudvJCsgt3ub"],
  ["LDAP", "{SSHA}W0mXGyTZlGhl+uZ2mCnmwJlBXr9hzVfF"],
  ["Django", "pbkdf2_sha256$260000$abc$J9XWSHl1b3UGQ2wdC9vFjdfV1Q0="],
  ["MD5", "5f4dcc3b5aa765d61d8327deb882cf99"],
  ["a key of Stripe", "sk_live_51H8xYzAbCdEfGh"],
  ["a key of AWS", "AKIAIOSFODNN7EXAMPLE"],
  ["a JSON Web Token", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl"],
  ["a link to log in", "https://x.org/login?user=7&token=5f4dcc3b"],
  ["CryptoJS, encrypted", "U2FsdGVkX1+ZWT9JEVTwTvTuR/9BJknF0XHTVHzcKt4="],
])("hashes of passwords are left out whatever their column is called: %s", (_, hash) => {
  check(`Email|Feld 7\na@x.org|${hash}\nb@x.org|${hash}`, 'Left out\n!such as "$\n!^  feld_7');
});

test.each([
  [
    "Konto|IBAN",
    "DE89370400440532013000,GB82WEST12345698765432,FR1420041010050500013M02606",
    "IBAN",
  ],
  ["Name|IBAN", "DE00370400440532013000,DE01370400440532013001,x", "bank accounts or cards"],
  [
    "Name|Feld",
    "DE89370400440532013000,GB82WEST12345698765432,FR1420041010050500013M02606",
    "bank accounts or cards",
  ],
  ["Name|KontoNr", "532013000,532013001,532013002", "bank accounts or cards"],
  ["Имя|Номер карты", "2878359950713973,2878359950713974,1", "bank accounts or cards"],
  ["fornavn|fnummer", "01850897731,02818397650,02821397734", "that a state gives people"],
  ["Nome|CF", "RSSMRA85T10A562S,VRDLGI90A01F205X,BNCNNA75E45H501L", "that a state gives people"],
  [
    "姓名|列",
    "11010519491231002X,440524198001010014,11010519491231002X",
    "that a state gives people",
  ],
  ["Имя|Номер паспорта", "4510 123456,4510 123457,4510 123458", "that a state gives people"],
  ["Имя|Серия паспорта", "4510,4510,4511", "that a state gives people"],
  ["nome|documentoIdentita", "QLGZUI1B0,92XF8E8LD,SQ0OXFQ8M", "that a state gives people"],
  ["nome|Carta di identità", "CA12345AA,CA12346AB,CA12347AC", "that a state gives people"],
  ["Nr|Feld", "4111111111111111,5500005555555559,340000000000009", "bank accounts or cards"],
  ["Name|DNI", "12345678Z,87654321X,11111111H", "that a state gives people"],
  ["APELLIDOS|DOCUMENTO", "602322711,1710309350,1709445306", "that a state gives people"],
  ["Имя|ИНН", "500100732259,123456789047,773173084809", "that a state gives people"],
  [
    "이름|주민등록번호",
    "900101-1234567,850505-2345678,770707-1111111",
    "that a state gives people",
  ],
])("%s is mapped as text, with a comment on what it is", (header, cells, what) => {
  const rows = cells.split(",").map((cell, at) => `A${at}|${cell}`);
  const [, column = ""] = header.split("|");
  check([header, ...rows].join("\n"), `${what}\n: ${column}\n!type:`);
});

const grown = (at: number) => String(7 + at * at * 31);
test.each([
  [
    "orders whose lines stand together",
    "Auftrag",
    (at: number) => String(970 + Math.floor(at / 3)),
  ],
  ["mostly different, of many lengths", "v", (at: number) => grown(at - (at % 5 === 4 ? 1 : 0))],
  ["staff numbers in Japanese", "社員番号", (at: number) => String(at * 3)],
  ["invoices in Russian", "Номер счета", (at: number) => String(at % 9)],
  ["orders in Turkish", "sipariş no", (at: number) => String(at % 7)],
  ["products", "产品ID", (at: number) => String(at % 7)],
  ["companies", "idazienda", (at: number) => String(1 + (at % 3))],
  ["status", "Trang thai", () => "2"],
  ["classes", "Kelas", (at: number) => `${7 + (at % 3)}.${1 + (at % 4)}`],
  ["rooms", "Raum", (at: number) => String(101 + (at % 20))],
  ["columns without a header", "12", (at: number) => String(69 + (at % 7))],
  ["methods in Japanese", "支払方法", () => "10"],
  ["roles", "Role", (at: number) => String(1 + (at % 4))],
  ["lockers, of which some have none", "사물함", (at: number) => (at % 3 ? `${at + 1200}` : "-1")],
  ["single digits of no known column", "Wert", (at: number) => String(1 + (at % 4))],
  ["cost centres", "Cost centre", (at: number) => ["17", "300"][at % 2] ?? ""],
  ["managers", "Manager", (at: number) => String(1 + (at % 3))],
  ["matricules", "Matricule", (at: number) => String(at % 7)],
])("codes stay text: %s", (_, header, cell) => {
  check(
    many(`Name|${header}`, 40, (at) => `${nameOf(at)}|${cell(at)}`),
    "!, type: integer",
  );
});

test.each(["이름|주문", "氏名|注文", "姓名|订单", "Фамилия|Договор", "Imię|Umowa"])(
  "numbers of %s are codes in the language of the headers",
  (header) => {
    check(
      many(header, 40, (at) => `${nameOf(at)}|${101 + (at % 3)}`),
      "!type: integer }",
    );
  },
);

test("kinds and status are codes in the language of the headers", () => {
  const header = "Họ tên|LoaiNV|TrangThai";
  check(
    many(header, 40, (at) => `${nameOf(at)}|${1 + (at % 3)}|${1 + (at % 2)}`),
    "!type: integer }",
  );
});

test("superiors are codes as the ids are, and points and amounts are numbers", () => {
  check(
    many(
      "employee_id|over|points|amount",
      40,
      (at) => `${at * 9 + 91}|${100 + (at % 3) * 9}|${(at * 7) % 10}|${at * 1001}`,
    ),
    `over: over
     points: { column: points, type: integer }
     amount: { column: amount, type: integer }`,
  );
});

test("superiors are codes where only the cells show that the others are", () => {
  const pool = (at: number) => String(at * 9 + 91);
  check(
    many("Worker|Boss", 40, (at) => `${pool(at * 7 + (at % 5))}|${pool((at % 3) * 37 + 10)}`),
    "worker: Worker\n!type: integer }",
  );
});

test.each([
  ["salaries", (at: number) => String(1500 + (at % 7) * 250)],
  ["years", (at: number) => String(1990 + (at % 11))],
  ["visits", (at: number) => String(at % 8 ? at % 7 : 1000 + at * 13)],
])("amounts stay numbers: %s", (_, cell) => {
  check(
    many("Name|v", 40, (at) => `${nameOf(at)}|${cell(at)}`),
    "v: { column: v, type: integer }",
  );
});

test("sensitive columns without a cell say what they are", () => {
  check("Name|SSN|IBAN|Card number\nA|||", "that a state gives people\nbank accounts or cards");
});

test.each([
  [
    "attendees by name",
    "Order ID|Attendee|Attendee Email|Ticket Type|Order Date",
    "1|Ann Lee|a@x.org|VIP|2024-01-02",
    "  name: Attendee",
  ],
  [
    "columns of one letter",
    "Name|Enabled|GivenName|Surname|L|C|O",
    "Ann Lee|True|Ann|Lee|Level 1|Red|7",
    "  l: L\n  c: C\n  o: ",
  ],
  [
    "lessons",
    "id|name|title|subject|due date|resolution",
    "1|Ann Lee|Dr|Maths|2024-01-02|",
    "  title: title\n!ticket_id",
  ],
])("a few usual columns are no export of a program: %s", (_, header, rows, expected) => {
  check(`${header}\n${rows}`, expected);
});

test.each([
  [
    "Shopify orders",
    "Name|Email|Financial Status|Paid at|Fulfillment Status|Lineitem quantity|Lineitem name|Id",
    "#1001|a@x.org|paid|2024-01-02 10:00:00 +0100|fulfilled|1|Cup|5551\n#1001|a@x.org|||||Pot|\n#1002|b@x.org|paid|2024-01-02 10:00:00 +0100|fulfilled|1|Cup|5552",
    "order_number: Name\norder_id: Id\n^ordering_key: [{ column: Email",
  ],
  [
    "LDAP",
    "dn|cn|sn|givenName|uid|mail|l|st|o|telephoneNumber|userPassword",
    "uid=ann|Ann Lee|Lee|Ann|ann|a@x.org|Rome|RM|Acme|+39 06 12345|x",
    "name: cn\nlast_name: sn\nfirst_name: givenName\nusername: uid\ncity: l\nstate: st\ncompany: o\nphone: telephoneNumber\n# user_password: userPassword\nresource: users",
  ],
  [
    "Active Directory",
    "sAMAccountName|UserPrincipalName|DisplayName|Surname|EmailAddress|Enabled|LastLogonDate|whenCreated",
    "ann|ann@x.org|Ann Lee|Lee|a@x.org|True|2024-01-02 10:00:00|2020-01-02 10:00:00",
    "username: sAMAccountName\nname: DisplayName\nlast_login_at: { column: LastLogonDate\nresource: users",
  ],
  [
    "tickets",
    "Id|Subject|Requester|Requester email|Assignee|Status|Created at",
    "17|Help|Ann|a@x.org|Bo|open|2024-01-02 10:00\n18|Help|Ann|a@x.org|Bo|open|2024-01-02 10:00",
    "ticket_id: Id\n!ordering_key: [Id]",
  ],
])("columns of %s mean what the program means", (_, header, rows, expected) => {
  check(`${header}\n${rows}`, expected);
});

test.each([
  ["Nombre|Apellidos|Correo|Firma", "name: Nombre\n!company", "a signature is no company"],
  ["Nome|Cognome|Data di nascita|Firma", "first_name: Nome\n!company", "nor in Italian"],
  ["Vorname|Nachname|Firma", "company: Firma", "a company in German"],
  ["Email|Firma", "company: Firma", "in nobody's way"],
  ["First Name|Land|By|Ad", "land: Land\nby: By\nad: Ad", "English words that others have"],
])("%s: %s", (header, expected) => {
  const width = header.split("|").length;
  check(
    `${header}\n${Array(width).fill("x").join("|")}`,
    expected.replace("name: Nombre", "first_name: Nombre"),
  );
});

test.each([
  [
    "days in Polish are no document",
    "Imię|Dni urlopowe",
    "A|3\nB|12",
    "type: integer\n!that a state",
  ],
  [
    "marks in Turkish are no notes",
    "Ad|Soyad|Not",
    "A|B|85\nC|D|78",
    "not: { column: Not\nthe header suggests notes",
  ],
  ["a school session is no secret", "name|session", "A B|Session 1\nC D|Session 2", "!Left out"],
  [
    "departments are no districts",
    "nom|prénom|département",
    "A|B|RH",
    "departement: département\n!  state:",
  ],
  ["types in a header", "学号(文本)|姓名（文本）", "1603|詹金浩", "学号: \nname: "],
  ["an alef with hamza", "الكود|الإسم", "0010|روماني", "id, kept as text\nname: الإسم"],
  ["days without zeros", "Imię|data", "A|1984-10-21\nB|1981-5-3", "format: yyyy-M-d"],
  ["days in Korean", "이름|생년월일", "A|1990. 1. 1.\nB|1990. 11. 21.", "format: yyyy. M. d."],
  [
    "days in no format",
    "nom|date de création",
    "A|27-sept-21\nB|3-août-21",
    "not all in a known format",
  ],
  [
    "quantities in Vietnamese",
    "Họ tên|Số lượng",
    "A B|2\nC D|1",
    "so_luong: { column: Số lượng, type: integer",
  ],
  ["no day in PHP", "nom|né le", "A|30/11/-0001\nB|1984-10-21", 'né le"\ntype: date'],
  [
    "keys in Mexico",
    "Clave|Apellidos",
    "1|A\n2|B\n3|C",
    "clave: Clave\nresource: contacts\n!Left out",
  ],
  [
    "headers without umlauts",
    "fornavn|kjoenn|foedselsdato",
    "A|MANN|2008-05-01",
    "gender: kjoenn\nbirthday: { column: foedselsdato, type: date",
  ],
  ["times are no days", "name|start time", "A B|08:00-12:00\nC D|9:30-11:00", "!not all in"],
])("%s", (_, header, rows, expected) => check(`${header}\n${rows}`, expected));

test.each([
  ["Name|Nachname", "Gabriel|Holz", "first_name: Name\nlast_name: Nachname"],
  ["Name|Surname", "Ann|Lee", "first_name: Name"],
  ["Name|Surname", "Ann Lee|Lee", "  name: Name"],
  [
    "姓|名|first_name",
    "須賀|美智子|Michiko",
    "last_name: 姓\nfirst_name: 名\n!first_name: first_name\n",
  ],
  [
    "Фамилия|Имя|Surname|First name",
    "Иванов|Иван|Ivanov|Ivan",
    "last_name: Фамилия\nfirst_name: Имя",
  ],
  [
    "姓|名|first_name|last_name",
    "須賀|美智子|Michiko|Suga",
    "first_name: first_name\nlast_name: last_name",
  ],
])("parts of a name: %s with %s", (header, row, expected) => check(`${header}\n${row}`, expected));

const wanted =
  "first_name|last_name|email|phone|address|postal_code|city|country|birthday|gender|company|notes";
test.each([
  [
    "Norwegian",
    "Fornavn|Etternavn|E-post|Telefon|Adresse|Postnr|Poststed|Land|Fødselsdato|Kjønn|Firma|Merknad",
  ],
  [
    "Finnish",
    "Etunimi|Sukunimi|Sähköposti|Puhelinnumero|Osoite|Postinumero|Postitoimipaikka|Maa|Syntymäaika|Sukupuoli|Yritys|Lisätiedot",
  ],
  [
    "Romanian",
    "Prenume|Nume|Email|Telefon|Adresă|Cod poștal|Oraș|Țara|Data nașterii|Sex|Companie|Observații",
  ],
  [
    "Turkish",
    "Ad|Soyad|E-posta|Telefon|Adres|Posta Kodu|Şehir|Ülke|Doğum Tarihi|Cinsiyet|Şirket|Notlar",
  ],
  [
    "Russian",
    "Имя|Фамилия|Эл. почта|Телефон|Адрес|Индекс|Город|Страна|Дата рождения|Пол|Компания|Примечание",
  ],
  [
    "Ukrainian",
    "Ім'я|Прізвище|Електронна пошта|Телефон|Адреса|Індекс|Місто|Країна|Дата народження|Стать|Компанія|Примітки",
  ],
  [
    "Vietnamese",
    "Tên|Họ|Email|Số điện thoại|Địa chỉ|Mã bưu điện|Thành phố|Quốc gia|Ngày sinh|Giới tính|Công ty|Ghi chú",
  ],
  [
    "Indonesian",
    "Nama Depan|Nama Belakang|Email|No. Telepon|Alamat|Kode Pos|Kota|Negara|Tanggal Lahir|Jenis Kelamin|Perusahaan|Catatan",
  ],
  ["Thai", "ชื่อ|นามสกุล|อีเมล|เบอร์โทรศัพท์|ที่อยู่|รหัสไปรษณีย์|เมือง|ประเทศ|วันเกิด|เพศ|บริษัท|หมายเหตุ"],
  ["Korean", "명|성|이메일|전화번호|주소|우편번호|도시|국가|생년월일|성별|회사명|비고"],
  ["Chinese", "名|姓|邮箱|电话|地址|邮编|城市|国家|出生日期|性别|公司名称|备注"],
  ["Japanese", "名|姓|メールアドレス|電話番号|住所|郵便番号|市区町村|国|生年月日|性別|会社名|備考"],
  [
    "Arabic",
    "الاسم الأول|اسم العائلة|البريد الإلكتروني|رقم الهاتف|العنوان|الرمز البريدي|المدينة|الدولة|تاريخ الميلاد|الجنس|الشركة|ملاحظات",
  ],
  ["Hebrew", 'שם פרטי|שם משפחה|דוא"ל|טלפון|כתובת|מיקוד|עיר|מדינה|תאריך לידה|מין|חברה|הערות'],
  [
    "Czech",
    "Jméno|Příjmení|E-mail|Telefon|Adresa|PSČ|Město|Země|Datum narození|Pohlaví|Firma|Poznámka",
  ],
  [
    "Hungarian",
    "Keresztnév|Vezetéknév|E-mail cím|Telefonszám|Lakcím|Irányítószám|Város|Ország|Születési dátum|Nem|Cég|Megjegyzés",
  ],
  [
    "Greek",
    "Όνομα|Επώνυμο|Email|Τηλέφωνο|Διεύθυνση|Τ.Κ.|Πόλη|Χώρα|Ημερομηνία γέννησης|Φύλο|Εταιρεία|Σημειώσεις",
  ],
])("headers in %s are known", (_, headers) => {
  const columns = headers.split("|");
  const text = proposed(columns, []);
  const members = [...text.matchAll(/^ {2}([a-z_]+): /gm)].map(([, member]) => member);
  expect(members.join("|")).toBe(wanted);
});

test.each([
  [
    "days in two forms",
    many(
      "Name|joined",
      40,
      (at) =>
        `${nameOf(at)}|${at % 9 === 8 ? `1${at % 9}.0${1 + (at % 9)}.2024` : `2024-03-1${at % 9}`}`,
    ),
    "joined: { column: joined, type: date, format: [iso, dd.MM.yyyy] }",
  ],
  [
    "days of which each fifth row has another form",
    many("id|joined", 200, (at) => `${at}|${at % 5 ? `2024-03-1${at % 9}` : `1${at % 9}.03.2024`}`),
    "joined: { column: joined, type: date, format: [iso, dd.MM.yyyy] }",
  ],
  [
    "times in two forms",
    many(
      "Name|joined",
      40,
      (at) => `${nameOf(at)}|${at % 4 === 3 ? `1${at % 9}/12/2024` : `2024-03-1${at % 9} 10:00`}`,
    ),
    "type: datetime, format: [iso, dd/MM/yyyy], timezone: UTC",
  ],
  [
    "orders that nobody can tell",
    many(
      "Name|joined",
      40,
      (at) => `${nameOf(at)}|${at % 2 ? `1${3 + (at % 6)}/05/2024` : `05/1${3 + (at % 6)}/2024`}`,
    ),
    "!format: [",
  ],
  [
    "comma and point",
    many("Name|Betrag", 40, (at) => `${nameOf(at)}|${at % 3 ? `${at},5` : `${at}.25`}`),
    'transform: { replace: { find: ",", with: "." } }, type: number',
  ],
  [
    "yes and no in several languages",
    many(
      "Name|Newsletter",
      40,
      (at) => `${nameOf(at)}|${["ja", "nein", "oui", "non", "yes", "no"][at % 6]}`,
    ),
    'type: boolean, true_values: [ja, oui, "yes"], false_values: [nein, non, "no"]',
  ],
])("mixed forms are proposed as a list: %s", (_, table, expected) => check(table, expected));

test.each([
  [
    "a point among messages",
    many(
      "Name|Message",
      29,
      (at) => `${nameOf(at)}|${at === 3 ? "." : "I would like to know when you open"}`,
    ),
    "!null_values",
  ],
  [
    "a dash in most addresses",
    many(
      "Name|Address",
      60,
      (at) => `${nameOf(at)}|${at % 3 ? "-" : `${at} Long Street, Springfield`}`,
    ),
    'null_values: ["-"]\n"-": 40 of 60 in "Address"',
  ],
  [
    "a surname",
    many("First Name|Last Name", 200, (at) => `A|${at === 9 ? "Null" : nameOf(at)}`),
    "!null_values",
  ],
  [
    "types without it",
    many("Name|Visits", 40, (at) => `${nameOf(at)}|${at % 4 ? at % 7 : "-"}`),
    'null_values: ["-"]\ntype: integer',
  ],
  [
    "a plan called None",
    many("Name|Plan", 40, (at) => `${nameOf(at)}|${["None", "Basic", "Gold"][at % 3]}`),
    "!null_values",
  ],
  [
    "a sign of blood",
    many("Name|Rh", 40, (at) => `${nameOf(at)}|${at % 2 ? "+" : "-"}`),
    "!null_values",
  ],
  [
    "a dash beside letters for men and women",
    many("Name|Geschlecht", 40, (at) => `${nameOf(at)}|${["M", "F", "-"][at % 3]}`),
    'null_values: ["-"]',
  ],
  [
    "Null beside numbers",
    many("Name|months", 20, (at) => `${nameOf(at)}|${at === 3 ? "Null" : at % 7}`),
    'null_values: ["Null"]\ntype: integer',
  ],
  [
    "a word beside days",
    many("Name|left", 40, (at) => `${nameOf(at)}|${at % 3 ? "None" : "2024-01-02"}`),
    'null_values: ["None"]\ntype: date',
  ],
  [
    "NA for no address, and for Namibia",
    many("email|country", 60, (at) => `${at % 3 ? `a${at}@x.org` : "NA"}|${["NA", "DE"][at % 2]}`),
    '!null_values: \nemail address in 40 of 60 only; not: row 1 "NA"\n^  email: email',
  ],
  [
    "a dash for no address, and in notes",
    many("email|notes", 60, (at) => `${at % 3 ? `a${at}@x.org` : "-"}|${at % 9 ? "Call" : "-"}`),
    'format: email\nnull_values: ["-"]\n20 of 60 in "email", 7 of 60 in "notes"',
  ],
  [
    "each column that loses cells",
    many("email|street", 60, (at) => `${at % 3 ? `a${at}@x.org` : "-"}|${at ? `Way ${at}` : "-"}`),
    'null_values: ["-"]\n"-": 20 of 60 in "email", 1 of 60 in "street"',
  ],
  [
    "one word in all rows, or in more than have numbers",
    many("Name|Course|Plan", 40, (at) => `${nameOf(at)}|Software|${at % 3 ? "Basic" : "7"}`),
    "!null_values",
  ],
])("what means no value: %s", (_, table, expected) => check(table, expected));
