/** What a column is about, if that says how to read its cells. */
export type Kind =
  | "amount"
  | "coordinate"
  | "date"
  | "email"
  | "flag"
  | "id"
  | "list"
  | "phone"
  | "postal_code"
  | "text";

interface Meaning {
  /** The name of the member, whatever the language of the header. */
  readonly member: string;
  readonly kind: Kind;
}

/**
 * Headers of users and contacts by kind and member, folded: English, German, French, Spanish, Italian, Dutch, Portuguese,
 * Polish, Swedish, Danish; and those of exports that mean the same, such as the fields of SAP's KNA1.
 */
const headers: Readonly<Partial<Record<Kind, Readonly<Record<string, string>>>>> = {
  text: {
    first_name:
      "first name|firstname|forename|given name|fname|vorname|rufname|prenom|nombre|primer nombre|nome proprio|primeiro nome|voornaam|roepnaam|imie|fornamn|fornavn|namev|first",
    last_name:
      "last name|lastname|surname|family name|lname|nachname|familienname|zuname|nom de famille|apellido|apellidos|primer apellido|cognome|achternaam|familienaam|sobrenome|apelido|ultimo nome|nazwisko|efternamn|efternavn|last",
    middle_name:
      "middle name|additional name|zweiter vorname|deuxieme prenom|segundo nombre|secondo nome|tussenvoegsel|nome do meio|drugie imie|mellannamn|mellemnavn|middle|mi|middle initial",
    name: "name|full name|fullname|display name|contact name|vollstandiger name|vor und nachname|nom|nom complet|nombre completo|nombre y apellidos|nome|nome completo|nome e cognome|naam|volledige naam|imie i nazwisko|namn|navn|fulde navn|fullstandigt namn|name1",
    salutation:
      "salutation|anrede|civilite|tratamiento|appellativo|aanhef|tratamento|tilltal|name prefix|honorific prefix|anred",
    title: "title|titel|titre|titulo|titolo|tytul",
    suffix: "suffix|name suffix|honorific suffix|namenszusatz",
    nickname:
      "nickname|nick name|spitzname|surnom|apodo|soprannome|bijnaam|apelido familiar|pseudonim|smeknamn|kaldenavn",
    address:
      "address|full address|anschrift|adresse|direccion|indirizzo|adres|endereco|morada|adress|adress 1|postadress",
    street:
      "street|street address|address line 1|address 1|address1|strasse|strasse und hausnummer|strasse hausnummer|rue|calle|via|straat|straatnaam|rua|logradouro|ulica|gata|gatuadress|vej|gade|stras|addr1|addr 1|addr|strasse hausnr|strasse nr|strasse u hausnr",
    house_number:
      "house number|hausnummer|hausnr|haus nr|numero de rue|numero civico|huisnummer|numer domu|husnummer",
    address_line_2:
      "address line 2|address 2|address2|street 2|adresszusatz|complement dadresse|complemento|toevoeging|extended address|addr2|addr 2",
    city: "city|town|city town|locality|ort|stadt|wohnort|ville|commune|localite|ciudad|localidad|poblacion|citta|comune|localita|plaats|stad|woonplaats|cidade|localidade|miasto|miejscowosc|ort postort|postort|by|stad ort|ort01",
    state:
      "state|province|region|state region|state province|county|bundesland|kanton|departement|etat|provincia|estado|regione|provincie|distrito|wojewodztwo|lan|regio|state province text only",
    country:
      "country|country region|country territory|land|pays|pais|paese|nazione|kraj|staat|land1|country text only",
    country_code:
      "country code|landercode|landerkennzeichen|code pays|codigo de pais|landcode|landkod",
    company:
      "company|company name|organization|organisation|organization name|employer|account name|firma|firmenname|unternehmen|societe|entreprise|raison sociale|empresa|compania|razon social|azienda|societa|ragione sociale|bedrijf|bedrijfsnaam|companhia|nazwa firmy|przedsiebiorstwo|foretag|foretagsnamn|virksomhed",
    job_title:
      "job title|jobtitle|position|organization title|beruf|berufsbezeichnung|funktion|poste|fonction|cargo|puesto|posizione|qualifica|functie|stanowisko|befattning|stilling",
    department:
      "department|organization department|abteilung|service|departamento|dipartimento|reparto|afdeling|dzial|avdelning|afdeling navn",
    gender: "gender|sex|geschlecht|sexe|genre|genero|sexo|sesso|geslacht|plec|kon|kjonn",
    language: "language|sprache|langue|idioma|lingua|taal|jezyk|sprak|sprog|locale|spras",
    website:
      "website|web site|web page|webpage|url|homepage|website url|site web|sitio web|pagina web|sito web|strona www|webbplats|hemsida|hjemmeside",
    notes:
      "notes|note|comment|comments|remarks|bemerkung|bemerkungen|notiz|notizen|kommentar|remarque|remarques|commentaire|notas|comentarios|commenti|opmerking|opmerkingen|notities|observacoes|uwagi|notatki|anteckningar|noter",
    username:
      "username|user name|login|login name|benutzername|nom dutilisateur|nombre de usuario|usuario|nome utente|gebruikersnaam|nome de usuario|nazwa uzytkownika|anvandarnamn|brugernavn",
  },
  email: {
    email:
      "email|email address|mail|mailadresse|primary email|work email|email adresse|emailadresse|adresse email|adresse electronique|courriel|adresse mail|correo|correo electronico|direccion de correo|direccion de correo electronico|posta elettronica|indirizzo email|emailadres|email adres|endereco de email|correio eletronico|adres email|poczta elektroniczna|epost|e post|epostadress|e postadress|e post adress|emailadress|email adresse privat|smtp addr|smtp address",
  },
  phone: {
    phone:
      "phone|phone number|telephone|telephone number|tel|primary phone|telefon|telefonnummer|rufnummer|tel nr|numero de telephone|telefono|numero de telefono|numero di telefono|telefoon|telefoonnummer|telefone|numero de telefone|numer telefonu|nr telefonu|telefonnr|tlf|telf1",
    mobile_phone:
      "mobile|mobile phone|mobile number|mobile phone number|cell|cell phone|cellphone|handy|handynummer|mobil|mobiltelefon|mobilnummer|portable|telephone portable|telephone mobile|movil|telefono movil|celular|telefono celular|cellulare|telefono cellulare|mobiel|mobiele telefoon|mobiel nummer|telemovel|telefon komorkowy|komorka|mobilnr|telf2",
    fax: "fax|fax number|faxnummer|telefax|telecopie|numero de fax|numero di fax|faks|telfx",
  },
  postal_code: {
    postal_code:
      "postal code|postalcode|post code|postcode|zip|zip code|zipcode|zip postal code|postal|plz|postleitzahl|code postal|cp|codigo postal|cap|codice postale|codice avviamento postale|cep|kod pocztowy|postnummer|postnr|pstlz",
  },
  date: {
    birthday:
      "birthday|bday|birth date|birthdate|date of birth|dob|geburtstag|geburtsdatum|geb datum|date de naissance|anniversaire|fecha de nacimiento|cumpleanos|data di nascita|compleanno|geboortedatum|verjaardag|data de nascimento|aniversario|data urodzenia|urodziny|fodelsedatum|fodelsedag|fodselsdato|fodselsdag|gbdat",
    created_at:
      "created at|created|created date|create date|creation date|date created|date added|created on|created time|creation time|erstellt|erstellt am|erstellungsdatum|angelegt am|date de creation|cree le|fecha de creacion|creado|data di creazione|creato il|aanmaakdatum|aangemaakt op|data de criacao|criado em|data utworzenia|utworzono|skapad|skapad den|oprettet|erdat|created utc",
    updated_at:
      "updated at|updated|updated on|last updated|last modified|last modified date|last modified time|last changed|modified|modified at|modified time|geandert|geandert am|anderungsdatum|date de modification|modifie le|fecha de modificacion|data di modifica|gewijzigd|gewijzigd op|data de modificacao|data modyfikacji|andrad|opdateret|aedat",
    signed_up_at:
      "signup|sign up|signed up|signup date|sign up date|signed up at|registered|registered at|registration date|subscribed at|member since|optin time|anmeldedatum|angemeldet am|registriert am|date dinscription|fecha de alta|fecha de registro|data di iscrizione|data di registrazione|inschrijfdatum|data de registo|data de cadastro|data rejestracji|registreringsdatum",
    last_login_at:
      "last login|last login at|letzter login|letzte anmeldung|derniere connexion|ultimo acceso|ultimo accesso|laatste login|ultimo acesso|ostatnie logowanie|senaste inloggning",
  },
  list: {
    tags: "tags|tag|labels|group membership|groups|categories|segments|interests|schlagworte|stichworte|kategorien|kategorie|etiquettes|etiquetas|categorias|etichette|categorie|categorieen|kategorier|taggar|etykiety|kategorie kontaktow",
  },
  id: {
    id: "id|record id|uid|uuid|guid|identifier|kennung|identifiant|identificador|identificativo|identyfikator",
    user_id:
      "user id|userid|benutzer id|nutzer id|benutzernummer|id utilisateur|id de usuario|id utente|gebruikers id|id do usuario|id uzytkownika|anvandar id",
    contact_id:
      "contact id|contactid|kontakt id|kontaktnummer|id du contact|id contacto|id de contacto|id contatto|id contato|id kontaktu|parnr",
    customer_id:
      "customer id|customer number|customer no|client id|kundennummer|kunden id|kunden nr|kundennr|kdnr|kd nr|numero client|numero de client|id client|numero de cliente|id cliente|codice cliente|numero cliente|klantnummer|klant id|numer klienta|nr klienta|kundnummer|kundenummer|kunnr",
    vat_id:
      "vat id|vat number|vat no|ust id|ust idnr|ust id nr|ustid|umsatzsteuer id|btw nummer|partita iva|numero de tva|stceg|u st id nr|u st idnr|u st id",
    account_id: "account id|account number|kontonummer|numero de compte|numero de cuenta",
  },
  coordinate: {
    latitude:
      "latitude|lat|breitengrad|breite|latitud|latitudine|breedtegraad|szerokosc geograficzna|breddgrad",
    longitude:
      "longitude|lon|lng|long|langengrad|longitud|longitudine|lengtegraad|dlugosc geograficzna|langdgrad",
  },
};

const spellings = Object.entries(headers).flatMap(([kind, members]) =>
  Object.entries(members).flatMap(([member, words]) =>
    words.split("|").map((spelling) => ({ spelling, meaning: { member, kind: kind as Kind } })),
  ),
);

/** By spelling, without spaces as in "customernumber", and without "of" as in "fecha_nacimiento". */
const meanings: ReadonlyMap<string, Meaning> = new Map([
  ...spellings.map(
    ({ spelling, meaning }) => [spelling.replaceAll(/ (de|di|da) /g, " "), meaning] as const,
  ),
  ...spellings.map(({ spelling, meaning }) => [spelling.replaceAll(" ", ""), meaning] as const),
  ...spellings.map(({ spelling, meaning }) => [spelling, meaning] as const),
]);

/** The meaning of a whole folded header, if it is a known one. */
export function knownHeader(folded: string): Meaning | undefined {
  return meanings.get(folded);
}
