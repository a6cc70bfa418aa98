/**
 * What people call columns, a table for each language: meanings with their words, `meaning: word, word · meaning: word`.
 * A meaning is the name of a member, or one of these:
 *
 * - `given_or_name`, `family_or_name`: a part of a name beside a column of the other part, and a whole name elsewhere
 * - `=kind`: a word anywhere in a header that says what its cells are, as those of phones and addresses do by
 *   themselves; `^word` at its beginning, `word$` at its end, `-word` and `word-` as its end or beginning. Those of
 *   `=password` and `=secret` are never sent unasked; `=national_id` is a number that a state gives a person, `=bank`
 *   one of an account or a card; numbers of `=code` say which, and not how many; `=other` is a word that means
 *   something else than in other languages.
 * - `=person` is what people are called in the rows about them, `=company` what may be a company, `=thing` what has ids
 *   of its own in rows about people, and `=row` what a number is called, of a row or beside a word for a person.
 *
 * Case, accents and signs do not matter, and ä can be ae.
 */
export const languages: Readonly<Record<string, string>> = {
  English: `
    name: name, nm, full name, display name, contact name · first_name: first name, first nm, first, forename,
    given name, fname · last_name: last name, last nm, last, surname, family name, lname · middle_name: middle name,
    middle, mi, middle initial, additional name · salutation: salutation, name prefix, honorific prefix · title: title ·
    suffix: suffix, name suffix, honorific suffix · nickname: nickname · address: address, full address ·
    street: street, street address, street addr, address line 1, address 1, addr, addr 1 ·
    address_line_2: address line 2, address 2, street 2, addr 2, extended address · house_number: house number ·
    city: city, town, city town, locality · state: state, province, region, state region, state province, county,
    state province text only · country: country, country region, country territory, country text only ·
    country_code: country code · postal_code: postal code, post code, zip, zip code, zip postal code, postal ·
    latitude: latitude, lat · longitude: longitude, lon, lng, long · company: company, company name, organization,
    organisation, organization name, employer, account name · job_title: job title, position, organization title ·
    department: department, organization department · email: email, email address, email addr, email id, mail,
    primary email, work email, smtp address · phone: phone, phone number, telephone, telephone number, tel,
    primary phone · mobile_phone: mobile, mobile phone, mobile number, mobile phone number, cell, cell phone · fax: fax,
    fax number · birthday: birthday, bday, birth date, birth dt, date of birth, dob · gender: gender, sex ·
    language: language, locale · website: website, web page, url, homepage, website url · notes: notes, note, notes txt,
    comment, comments, remarks · created_at: created at, created, created ts, created dt, created date, create date,
    creation date, date created, date added, created on, created time, creation time, created utc ·
    updated_at: updated at, updated, updated ts, updated dt, updated on, last updated, last modified,
    last modified date, last modified time, last changed, modified, modified at, modified time · signed_up_at: signup,
    signed up, signup date, signed up at, registered, registered at, registration date, subscribed at, member since,
    optin time · last_login_at: last login, last login at, last login dt, last login ts · tags: tags, tag, labels,
    group membership, groups, categories, segments, interests · id: id, record id, uid, uuid, guid, identifier ·
    user_id: user id · contact_id: contact id · customer_id: customer id, customer number, customer no, cust id,
    cust no, client id · account_id: account id, account number · vat_id: vat id, vat number, vat no ·
    username: username, login, login name, logon name ·
    =date: at$, dt$, dte$, ts$, on$, am$, since$, seen$, timestamp, epoch$, epoch ms$, ts ms$, date, time, birthday,
    anniversary · =flag: ^is, ^has, ^do, ^does, ^can, ^opt, ^accepts, ^wants, ^disable, ^enable, ^allow, ^exclude,
    opt in, opt out, optin, optout, opted in, opted out, enabled, disabled, subscribed, unsubscribed, flag, flg, yn,
    newsletter, do not, dont, dnc, no call, no mail, no email, no sms, no contact, bounced, suppressed, valid$,
    deceased, blocked, banned, locked, suspended, verified, confirmed, deleted, archived, consent, exempt, active,
    inactive · =phone: ph, pager, whatsapp, whats app, ext$, extension$ · =postal_code: zip, postal code, post code,
    postcode · =coordinate: latitude$, longitude$, lat$, lon$, lng$ · =list: tags$, labels$, categories$, groups$,
    interests$, keywords$, ids$, lists$, list membership$, list memberships$, skills$, languages$, roles$, topics$,
    hobbies$ · =id: ^order$, ^customer$, ^employee$, ^staff$, ^ticket$, ^booking$, ^member$, id$, uid$, guid$, uuid$,
    code$, cd$, nbr$, number$, num$, euid$, leid$, sku$, vat$, barcode$, ean$, gtin$, upc$, isbn$, account$, pin$,
    serial$, po box$, ^id, ^code, card$, reference$, reports to$, invoice$, cost center$, cost centre$ ·
    =amount: amount, amt, price, total, revenue, count, counts, limit, year, years, quantity, qty, number of, no of,
    age, salary, wage, wages, income, budget, cost, costs, population, point, points, score, scores, visits, views,
    clicks, orders, purchases, spent, sales, profit, balance, size, weight, height, distance, rate, percent, duration,
    minutes, hours, days, attempts, logins · =other: ad, an, by, cap, cargo, cep, dom, gate, gen, il, land, not, plaats,
    plats, poste, rue, sector, service, site, sted, tema, type, via, value, nip · =national_id: ssn, social security,
    national id, national insurance number, nino, passport-, identity card, government id, aadhaar, tax id ·
    =password: password, passwd, passphrase, pwd, pw, pass$, psw, pswd, userpass$, pass word, ^p w$, passcode,
    login code$, access code$ · =secret: token$, secret$, salt$, hash$, cvv$, cvc$, cvv2$, cvc2$, credit card number$,
    credit card no$, credit card nr$, cc number$, cc no$, cc nr$, csrf$, otp$, totp$, api key$, apikey$, private key$,
    activation key$, session id$, session tokens$, cookie$, security question$, security answer$, secret question$,
    secret answer$, security code$, access key$, mfa seed$, recovery code$, recovery codes$ · =bank: bic, swift$,
    swift code$, sort code, routing number, bank account, card number, card no, credit card, debit card,
    bank credentials · =code: type, kind, status, class, level, grade, section, version, room, floor, category, role,
    method, contract, policy, branch, store, agent, manager, boss, supervisor, mentor, batch, ward, team, depot ·
    =person: user, usr, person, people, contact, customer, cust, client, member, subscriber, lead, employee, emp, staff,
    student, pupil, patient, guest, visitor, donor, volunteer, participant, passenger, applicant, attendee, candidate,
    tenant, voter, player, driver, personal, personnel · =thing: order, invoice, ticket, booking, transaction, payment,
    product, sku, item, line, event, session, article, barcode, ean, gtin, isbn, receipt, postal, house ·
    =company: client, customer, account · =row: no, num, number, s no, sno, sl no, slno, sr no, srno`,
  German: `
    family_or_name: name · name: vollständiger name, vor- und nachname, name vorname · first_name: vorname, rufname ·
    last_name: nachname, familienname, zuname · middle_name: zweiter vorname · salutation: anrede · title: titel ·
    suffix: namenszusatz · nickname: spitzname · address: anschrift, adresse · street: straße, straße und hausnummer,
    straße hausnummer, straße hausnr, straße nr, straße u hausnr · house_number: hausnummer, hausnr ·
    address_line_2: adresszusatz · postal_code: plz, postleitzahl · city: ort, stadt, wohnort · state: bundesland,
    kanton · country: land, staat · country_code: ländercode, länderkennzeichen · latitude: breitengrad, breite ·
    longitude: längengrad · company: firma, firmenname, unternehmen · job_title: beruf, berufsbezeichnung, funktion,
    position · department: abteilung · email: mailadresse, email adresse · phone: telefon, telefonnummer, rufnummer,
    tel nr · mobile_phone: handy, handynummer, mobil, mobiltelefon, mobilnummer · fax: telefax, faxnummer ·
    birthday: geburtstag, geburtsdatum, geb datum, geb · gender: geschlecht · language: sprache · notes: bemerkung,
    bemerkungen, notiz, notizen, kommentar · created_at: erstellt, erstellt am, erstellungsdatum, angelegt am ·
    updated_at: geändert, geändert am, änderungsdatum · signed_up_at: anmeldedatum, angemeldet am, registriert am,
    eintrittsdatum · last_login_at: letzter login, letzte anmeldung · tags: schlagworte, stichworte, kategorien,
    kategorie · id: kennung · user_id: benutzer id, nutzer id, benutzernummer · contact_id: kontakt id, kontaktnummer ·
    customer_id: kundennummer, kunden id, kunden nr, kdnr · vat_id: ust id, ust idnr, umsatzsteuer id ·
    username: benutzername ·
    =date: seit$, datum, -datum, geburtstag · =phone: -telefon, durchwahl$ · =postal_code: plz, postleitzahl ·
    =list: interessen$, hobbys$, fähigkeiten$, kenntnisse$, sprachen$, rollen$ · =flag: gesperrt, blockiert, sperre,
    -sperre, inaktiv, bestätigt, verifiziert, gelöscht, abgemeldet, verboten, ungültig, verstorben, einwilligung,
    ^nicht · =id: ^auftrag$, ^rechnung$, ^bestellung$, ^mitglied$, -nr, postfach, ^nummer, karte$ · =amount: betrag,
    preis, umsatz, jahr, anzahl, menge, alter, gehalt, einkommen, kosten, summe, punkte · =password: passwort,
    -passwort, kennwort, -kennwort, passw, zugangscode · =secret: kreditkartennummer, kreditkarten nr, geheimnis ·
    =national_id: sozialversicherungsnummer, steuernummer, steuer id, personalausweis-, ausweis-, reisepass-,
    ahv nummer · =bank: iban, blz, bankleitzahl, konto$, konto nr, kontonr, bankverbindung, kreditkarte, kartennummer ·
    =code: art, typ, klasse, stufe, raum, zimmer, etage, kategorie, vertrag, police, filiale, kostenstelle,
    vorgesetzter · =person: benutzer, nutzer, kunde, kunden, klient, mitglied, mitglieds, mitarbeiter, teilnehmer,
    schüler, patienten, abonnent, personal · =thing: bestell, auftrag, rechnung, beleg, artikel · =company: klient,
    kunde · =row: nr, nummer`,
  French: `
    family_or_name: nom · name: nom complet, nom et prénom, nom prénom · first_name: prénom ·
    last_name: nom de famille · middle_name: deuxième prénom · salutation: civilité · title: titre · nickname: surnom ·
    address: adresse, adresse postale · street: rue · house_number: numéro de rue ·
    address_line_2: complément d'adresse · postal_code: code postal, cp · city: ville, commune, localité ·
    state: région · country: pays · country_code: code pays · company: société, entreprise, raison sociale ·
    job_title: poste, fonction · department: service · email: adresse email, adresse électronique, courriel,
    adresse mail · phone: numéro de téléphone, téléphone, téléphone fixe · mobile_phone: portable, téléphone portable,
    téléphone mobile · fax: télécopie, numéro de fax · birthday: date de naissance, anniversaire, né le · gender: sexe,
    genre · language: langue · website: site web, site internet · notes: remarque, remarques, commentaire,
    commentaires · created_at: date de création, créé le · updated_at: date de modification, modifié le ·
    signed_up_at: date d'inscription · last_login_at: dernière connexion · tags: étiquettes, catégories ·
    id: identifiant · user_id: id utilisateur · contact_id: id du contact · customer_id: numéro client,
    numéro de client, id client · vat_id: numéro de tva · username: nom d'utilisateur ·
    =flag: actif, inactif, bloqué, vérifié, confirmé, supprimé, désabonné, désinscrit, consentement, ^ne pas ·
    =id: ^facture$, ^commande$, ^client$, ^dossier$, matricule, siret, compte$, carte$ · =amount: montant, prix, année,
    quantité, salaire, nombre · =list: centres d'intérêt$, compétences$, langues$ · =password: mot de passe, mdp,
    motdepasse, code pin, code secret, code d'accès · =national_id: numéro de sécurité sociale, nir, numéro national,
    pièce d'identité, carte d'identité, pièce identité, passeport · =bank: rib, numéro de compte, numéro de carte,
    carte bancaire, compte bancaire · =code: contrat, agence, magasin, statut, classe, niveau, salle, étage, catégorie,
    département · =person: étudiant, élève, membre, adhérent, employé, salarié, utilisateur, patient · =thing: commande,
    facture`,
  Spanish: `
    given_or_name: nombre, nombres · name: nombre completo, nombre y apellidos, apellidos y nombre ·
    first_name: primer nombre · last_name: apellido, apellidos, primer apellido · middle_name: segundo nombre ·
    salutation: tratamiento · title: título · nickname: apodo · address: dirección, domicilio · street: calle ·
    postal_code: código postal, cod postal, cp · city: ciudad, localidad, población, municipio · state: provincia,
    estado · country: país · country_code: código de país · latitude: latitud · longitude: longitud · company: empresa,
    compañía, razón social · job_title: cargo, puesto · email: correo, correo electrónico, dirección de correo,
    dirección de correo electrónico · phone: teléfono, número de teléfono · mobile_phone: móvil, teléfono móvil,
    celular, teléfono celular · fax: numero de fax · birthday: fecha de nacimiento, cumpleaños, nacimiento ·
    gender: género, sexo · language: idioma, lengua · website: sitio web, página web · notes: notas, comentarios,
    observaciones · created_at: fecha de creación, creado · updated_at: fecha de modificación ·
    signed_up_at: fecha de alta, fecha de registro, fecha de inscripción · last_login_at: último acceso ·
    tags: etiquetas · id: identificador · user_id: id de usuario · contact_id: id contacto, id de contacto ·
    customer_id: número de cliente, id cliente, código cliente · vat_id: nif, cif · username: nombre de usuario,
    usuario ·
    =date: fecha · =flag: activo, inactivo, verificado, eliminado, desuscrito, dado de baja, consentimiento,
    ^no contactar, ^no llamar, ^no enviar, ^no molestar · =list: intereses$, habilidades$, idiomas$ · =id: ^expediente$,
    folio, legajo, rut$, ruc$, cuit$, cuenta$ · =amount: importe, precio, edad, salario, sueldo, renta, ingresos, saldo,
    cantidad, año, monto · =password: contraseña, clave · =national_id: ^documento$, dni, curp, rfc, cédula, cuil,
    documento identidad, pasaporte · =other: firma · =bank: clabe, número de cuenta, cuenta bancaria, tarjeta ·
    =code: contrato, póliza, sucursal, tienda, tipo, estado, estatus, clase, nivel, aula, sala, piso, grado, grupo ·
    =person: alumno, estudiante, socio, miembro, empleado, cliente, usuario, paciente · =thing: pedido, factura ·
    =company: cliente · =row: numero`,
  Italian: `
    given_or_name: nome · name: nome completo, nome e cognome, cognome e nome, nominativo · first_name: nome proprio ·
    last_name: cognome · middle_name: secondo nome · salutation: appellativo · title: titolo · nickname: soprannome ·
    address: indirizzo · street: via · house_number: numero civico · postal_code: cap, codice postale,
    codice avviamento postale · city: città, comune, località · state: provincia, regione · country: paese, nazione ·
    latitude: latitudine · longitude: longitudine · company: azienda, società, ragione sociale · job_title: posizione,
    qualifica, mansione · department: dipartimento, reparto · email: posta elettronica, indirizzo email ·
    phone: telefono, numero di telefono · mobile_phone: cellulare, telefono cellulare · fax: numero di fax ·
    birthday: data di nascita, compleanno · gender: genere, sesso · language: lingua · website: sito web, pagina web ·
    notes: commenti · created_at: data di creazione, creato il · updated_at: data di modifica ·
    signed_up_at: data di iscrizione, data di registrazione · last_login_at: ultimo accesso · tags: etichette,
    categorie · id: identificativo · user_id: id utente · contact_id: id contatto · customer_id: codice cliente,
    numero cliente · vat_id: partita iva · username: nome utente ·
    =date: data · =flag: attivo, inattivo, bloccato, verificato, confermato, cancellato, disiscritto, consenso, ^non ·
    =id: ^ordine$, ^fattura$, ^pratica$, codice, matricola, conto$, carta$ · =amount: importo, prezzo, anno, quantità,
    età, stipendio, saldo · =list: interessi$, competenze$, lingue$ · =national_id: codice fiscale, cod fiscale,
    documento identità, carta d'identità, carta identità, numero documento, passaporto · =other: firma ·
    =bank: conto corrente, numero conto, numero carta, carta di credito · =code: contratto, polizza, filiale, negozio,
    tipo, stato, classe, livello, aula, sezione, piano · =person: dipendente, dipendenti, utente, utenti, socio, soci,
    cliente, clienti, studente, studenti, paziente · =thing: ordine, fattura`,
  Dutch: `
    family_or_name: naam · name: volledige naam · first_name: voornaam, roepnaam · last_name: achternaam, familienaam ·
    middle_name: tussenvoegsel · salutation: aanhef · title: titel · nickname: bijnaam · address: adres ·
    street: straat, straatnaam · house_number: huisnummer · address_line_2: toevoeging · city: plaats, stad,
    woonplaats · state: provincie, regio · country: land · country_code: landcode · latitude: breedtegraad ·
    longitude: lengtegraad · company: bedrijf, bedrijfsnaam · job_title: functie · department: afdeling ·
    email: emailadres · phone: telefoon, telefoonnummer · mobile_phone: mobiel, mobiele telefoon, mobiel nummer ·
    birthday: geboortedatum, verjaardag · gender: geslacht · language: taal · notes: opmerking, opmerkingen, notities ·
    created_at: aanmaakdatum, aangemaakt op · updated_at: gewijzigd, gewijzigd op · signed_up_at: inschrijfdatum ·
    last_login_at: laatste login · tags: categorieën · user_id: gebruikers id · customer_id: klantnummer, klant id ·
    vat_id: btw nummer · username: gebruikersnaam ·
    =flag: actief, inactief, geblokkeerd, geverifieerd, bevestigd, afgemeld, uitgeschreven, opgezegd, toestemming,
    ^niet, ^geen · =date: datum, -datum · =id: ^bestelling$, ^factuur$, ^klant$, ^lid$, kaart$ · =amount: bedrag,
    aantal, leeftijd, salaris, jaar, prijs · =password: wachtwoord, inlogcode · =national_id: bsn, burgerservicenummer,
    paspoort-, identiteits- · =bank: rekeningnummer, bankrekening, kaartnummer · =code: soort, klas, niveau, lokaal,
    kamer · =person: medewerker, klant, lid, gebruiker, deelnemer · =company: klant · =list: interesses$`,
  Portuguese: `
    given_or_name: nome · name: nome completo · first_name: primeiro nome · last_name: sobrenome, apelido, último nome ·
    middle_name: nome do meio · salutation: tratamento · title: título · nickname: apelido familiar · address: endereço,
    morada · street: rua, logradouro · address_line_2: complemento · postal_code: cep, código postal · city: cidade,
    localidade, município · state: estado, uf, distrito · country: país · company: empresa, companhia, razão social ·
    job_title: cargo, função · department: departamento, setor · email: endereço de email, correio eletrónico ·
    phone: telefone, número de telefone · mobile_phone: celular, telemóvel · birthday: data de nascimento, data nasc,
    aniversário · gender: gênero, sexo · language: língua, idioma · notes: observações, notas ·
    created_at: data de criação, criado em · updated_at: data de modificação · signed_up_at: data de registo,
    data de cadastro, data de inscrição · last_login_at: último acesso · tags: categorias, etiquetas ·
    user_id: id do usuário · contact_id: id contato · customer_id: numero de cliente, código do cliente ·
    username: nome de usuário, usuário ·
    =date: data · =flag: ativo, inativo, confirmado, bloqueado, descadastrado, consentimento, ^não · =id: ^pedido$,
    ^cliente$, código, matrícula, conta$ · =amount: valor, quantidade, idade, renda, ano, preço, salário ·
    =password: senha, palavra passe · =national_id: ^documento$, cpf, rg, nif, cartão cidadão, documento identidade,
    passaporte · =other: firma · =bank: conta bancária, número da conta, cartão de crédito, número do cartão ·
    =code: tipo, situação, classe, nível, turma, sala, andar, série · =person: aluno, cliente, usuário, funcionário,
    paciente · =thing: fatura · =list: interesses$`,
  Polish: `
    first_name: imię, imiona · last_name: nazwisko · name: imię i nazwisko, nazwisko i imię · middle_name: drugie imię ·
    title: tytuł · nickname: pseudonim · address: adres · street: ulica · house_number: numer domu ·
    postal_code: kod pocztowy · city: miasto, miejscowość · state: województwo · country: kraj, państwo ·
    latitude: szerokość geograficzna · longitude: długość geograficzna · company: firma, nazwa firmy, przedsiębiorstwo ·
    job_title: stanowisko · department: dział · email: adres email, poczta elektroniczna · phone: telefon,
    numer telefonu, nr telefonu · mobile_phone: telefon komórkowy, komórka · fax: faks · birthday: data urodzenia,
    urodziny · gender: płeć · language: język · website: strona www · notes: uwagi, notatki ·
    created_at: data utworzenia, utworzono · updated_at: data modyfikacji · signed_up_at: data rejestracji ·
    last_login_at: ostatnie logowanie · tags: etykiety, kategorie, kategorie kontaktów · id: identyfikator ·
    user_id: id użytkownika · contact_id: id kontaktu · customer_id: numer klienta, nr klienta ·
    username: nazwa użytkownika ·
    =date: data, dzień · =flag: aktywny, nieaktywny, zablokowany, zweryfikowany, potwierdzony, wypisany, zgoda, ^nie ·
    =id: ^zamówienie$, ^klient$, numer, nip, regon$ · =amount: kwota, cena, ilość, liczba, wiek, dochód, obrót, pensja,
    wynagrodzenie, rok · =password: hasło · =national_id: pesel, dowod-, paszport- · =bank: nr konta, numer konta,
    konto bankowe, rachunek bankowy, nr rachunku, numer karty · =code: umowa, polisa, filia, sklep, typ, rodzaj, klasa,
    poziom, sala, pokój, oddział · =person: pracownik, pracownika, klient, klienta, pacjent, pacjenta, członek ·
    =thing: faktur, zamówien · =row: numer`,
  Czech: `
    given_or_name: jméno · name: celé jméno, jméno a příjmení · first_name: křestní jméno · last_name: příjmení,
    přijímení · salutation: oslovení · title: titul · address: adresa · street: ulice · postal_code: psč,
    poštovní směrovací číslo · city: město, obec · state: kraj, okres · country: země, stát · company: firma,
    společnost, organizace · job_title: pozice, funkce · email: emailová adresa · phone: telefon, telefonní číslo ·
    mobile_phone: mobil, mobilní telefon · birthday: datum narození, narozeniny · gender: pohlaví · language: jazyk ·
    notes: poznámka, poznámky · created_at: vytvořeno, datum vytvoření · signed_up_at: datum registrace, registrace ·
    customer_id: číslo zákazníka · username: uživatelské jméno, uživatel · tags: štítky ·
    =date: datum · =flag: aktivní, souhlas, ověřeno · =id: ^objednávka$, ^zákazník$, číslo, ič, ičo · =amount: částka,
    cena, počet, věk, rok · =password: heslo · =national_id: rodné čís-, občansk- · =bank: číslo účtu, bankovní účet,
    číslo karty · =code: typ, druh, stav, třída, úroveň, místnost · =person: zaměstnanec, zaměstnance, zákazník,
    zákazníka`,
  Swedish: `
    family_or_name: namn · name: fullständigt namn · first_name: förnamn, fnamn · last_name: efternamn, enamn ·
    middle_name: mellannamn · salutation: tilltal · title: titel · nickname: smeknamn · address: adress, postadress ·
    street: gata, gatuadress, adress 1 · house_number: husnummer · postal_code: postnummer, postnr · city: ort, stad,
    postort, ort postort · state: län · country: land · country_code: landkod · latitude: breddgrad ·
    longitude: längdgrad · company: företag, företagsnamn · job_title: befattning · department: avdelning ·
    email: epost, epostadress, emailadress · phone: telefon, telefonnr, telefonnummer · mobile_phone: mobil,
    mobilnummer, mobiltelefon · birthday: födelsedatum, födelsedag · gender: kön · language: språk · website: webbplats,
    hemsida · notes: anteckningar · created_at: skapad, skapad den · updated_at: ändrad ·
    signed_up_at: registreringsdatum · last_login_at: senaste inloggning · tags: kategorier, taggar ·
    customer_id: kundnummer · user_id: användar id · username: användarnamn ·
    =date: datum, -datum · =flag: blockerad, spärrad, verifierad, bekräftad, avregistrerad, samtycke, inte$, ^inte ·
    =id: ^beställning$, ^kund$ · =amount: belopp, antal, lön, ålder, pris, år · =password: lösenord, ^lösen$ ·
    =bank: bankgiro · =code: typ, klass, nivå, rum · =person: medlem, medlems, kund, elev, anställd, användare`,
  Danish: `
    family_or_name: navn · name: fulde navn · first_name: fornavn · last_name: efternavn · middle_name: mellemnavn ·
    title: titel · nickname: kaldenavn · address: adresse · street: vej, gade · house_number: husnummer ·
    postal_code: postnr, postnummer · city: by · country: land · state: region · company: firma, virksomhed ·
    job_title: stilling · department: afdeling · email: epost · phone: telefon, telefonnr, telefonnummer, tlf ·
    mobile_phone: mobil, mobilnr, mobiltelefon · birthday: fødselsdato, fødselsdag · gender: køn · language: sprog ·
    website: hjemmeside · notes: noter, bemærkninger · created_at: oprettet · updated_at: opdateret · tags: kategorier ·
    customer_id: kundenummer · username: brugernavn ·
    =date: dato, dag · =flag: blokeret, spærret, verificeret, bekræftet, afmeldt · =amount: antal, beløb, løn, alder,
    pris · =password: adgangskode, kodeord · =national_id: cpr · =code: klasse, niveau, lokale`,
  Norwegian: `
    family_or_name: navn · name: fullt navn · first_name: fornavn, fname · last_name: etternavn, ename ·
    middle_name: mellomnavn · title: tittel · nickname: kallenavn · address: adresse, postadresse · street: gate,
    gateadresse · postal_code: postnr, postnummer, postkode · city: poststed, sted, by · state: fylke, kommune ·
    country: land · company: firma, bedrift, selskap, organisasjon, firmanavn · job_title: stilling, jobbtittel ·
    department: avdeling · email: epost, epostadresse · phone: telefon, telefonnummer, tlf · mobile_phone: mobil,
    mobilnummer, mobiltelefon · birthday: fødselsdato, fødselsdag · gender: kjønn · language: språk · website: nettsted,
    hjemmeside · notes: notater, merknad, merknader, kommentar · created_at: opprettet · signed_up_at: registrert,
    innmeldt, innmeldingsdato · customer_id: kundenummer, kundenr · username: brukernavn ·
    =date: dato · =flag: samtykke, ^ikke, ikke$ · =id: ^ordre$, ^faktura$, ^kunde$, -nummer, nummer$ · =amount: antall,
    beløp, lønn, alder, pris · =password: passord · =national_id: fødselsnummer, personnummer, fnummer, fnr ·
    =bank: kontonummer, bankkonto, kortnummer · =code: klasse, nivå, rom · =person: medlem, medlems, kunde, elev,
    ansatt, bruker`,
  Finnish: `
    family_or_name: nimi · name: koko nimi · first_name: etunimi · last_name: sukunimi · title: titteli ·
    address: osoite, postiosoite · street: katuosoite, katu, lähiosoite · postal_code: postinumero · city: kaupunki,
    postitoimipaikka, kunta, paikkakunta · country: maa · state: maakunta · company: yritys, yrityksen nimi,
    organisaatio · job_title: ammatti, tehtävä · department: osasto · email: sähköposti, sähköpostiosoite ·
    phone: puhelin, puhelinnumero · mobile_phone: matkapuhelin, kännykkä · birthday: syntymäaika, syntymäpäivä ·
    gender: sukupuoli · language: kieli, äidinkieli · website: verkkosivu, kotisivu · notes: muistiinpanot,
    huomautukset, huomiot, lisätiedot · created_at: luotu · signed_up_at: liittymispäivä, rekisteröitymispäivä,
    ilmoittautumispäivä · customer_id: asiakasnumero · username: käyttäjätunnus, käyttäjänimi ·
    =date: päivä, -päivä, pvm, -pvm, aika$ · =flag: aktiivinen, suostumus, lupa · =id: ^tilaus$, ^lasku$, ^asiakas$,
    numero, -numero, tunnus, koodi, -tunnus · =amount: määrä, hinta, summa, ikä, palkka, lukumäärä, vuosi ·
    =password: salasana, tunnussana · =national_id: henkilötun-, hetu, passi- · =bank: tilinumero, pankkitili,
    korttinumero · =code: tyyppi, tila, luokka, taso, huone · =person: asiakas, jäsen`,
  Hungarian: `
    family_or_name: név · name: teljes név · first_name: keresztnév, utónév · last_name: vezetéknév, családnév ·
    address: cím, lakcím · street: utca · postal_code: irányítószám, irsz · city: város, település · country: ország ·
    state: megye · company: cég, cégnév, szervezet · job_title: beosztás · email: email cím · phone: telefon,
    telefonszám · mobile_phone: mobil, mobiltelefon · birthday: születési dátum, születésnap, születési idő ·
    gender: nem · language: nyelv · notes: megjegyzés, megjegyzések · created_at: létrehozva ·
    signed_up_at: regisztráció, regisztráció dátuma · username: felhasználónév ·
    =date: dátum, dátuma · =flag: aktív, hozzájárulás · =id: szám$, -szám, azonosító · =amount: összeg, ár, mennyiség,
    életkor, darab · =password: jelszó, jelszava · =national_id: adóazonosító, taj szám, útlevél-,
    személyi igazolvány- · =bank: bankszámla-, számlaszám, kártyaszám · =code: típus, állapot, osztály, szint, terem,
    szoba`,
  Romanian: `
    family_or_name: nume · name: nume complet, nume și prenume · first_name: prenume · last_name: nume de familie ·
    address: adresă · street: strada · postal_code: cod poștal · city: oraș, localitate · state: județ, județul ·
    country: țară · company: firmă, companie, societate · job_title: funcție, funcția · email: adresa de email ·
    phone: telefon, număr de telefon, nr telefon · mobile_phone: mobil, telefon mobil · birthday: data nașterii,
    data de naștere, ziua de naștere · gender: sex, gen · language: limba · notes: observații, note, notițe ·
    created_at: creat la, data creării · signed_up_at: data înregistrării, data înscrierii · customer_id: cod client ·
    username: utilizator, nume utilizator ·
    =date: data · =flag: activ, inactiv, acord, consimțământ · =id: ^comandă$, ^factură$, număr, cod, nr ·
    =amount: suma, preț, vârsta, salariu, cantitate, an · =national_id: cnp, serie buletin, carte identitate ·
    =bank: cont bancar, numărul contului, număr card · =code: tip, stare, clasă, nivel, sala · =person: client, angajat,
    student, elev`,
  Turkish: `
    given_or_name: ad, adı, isim · name: ad soyad, adı soyadı, isim soyisim, tam ad · last_name: soyad, soyadı,
    soyisim · title: unvan · address: adres, adresi · street: sokak, cadde · postal_code: posta kodu · city: şehir, il,
    ilçe · state: bölge · country: ülke · company: firma, şirket, şirket adı, kurum, kuruluş · job_title: meslek, görev,
    iş unvanı · department: bölüm, departman · email: eposta, eposta adresi · phone: telefon, telefon numarası, tel no ·
    mobile_phone: cep telefonu, cep, gsm · birthday: doğum tarihi, doğum günü · gender: cinsiyet · language: dil ·
    website: site, web sitesi · notes: notlar, not, açıklama · created_at: oluşturulma tarihi ·
    signed_up_at: kayıt tarihi, üyelik tarihi · customer_id: müşteri no, müşteri numarası · username: kullanıcı adı ·
    =date: tarihi, tarih · =flag: pasif, onay, izin · =id: ^sipariş$, ^fatura$, ^müşteri$, numarası$, numara, kodu$,
    kod · =amount: tutar, fiyat, miktar, yaş, maaş, adet, toplam, puan · =password: şifre, parola, sifresi ·
    =national_id: tc kimlik, tckn, kimlik no, pasaport · =bank: hesap no, hesap numarası, kart no, kart numarası ·
    =code: tür, tip, durum, sınıf, seviye, oda, şube · =person: çalışan, müşteri, öğrenci, kullanıcı, üye, personel ·
    =thing: sipariş`,
  Greek: `
    given_or_name: όνομα · name: ονοματεπώνυμο · last_name: επώνυμο · address: διεύθυνση · street: οδός ·
    postal_code: τκ, ταχυδρομικός κώδικας · city: πόλη · state: νομός · country: χώρα · company: εταιρεία, επωνυμία ·
    phone: τηλέφωνο · mobile_phone: κινητό · birthday: ημερομηνία γέννησης · gender: φύλο · notes: σημειώσεις,
    παρατηρήσεις · signed_up_at: ημερομηνία εγγραφής ·
    =date: ημερομηνία · =id: αριθμός, κωδικός · =amount: ποσό, τιμή, ηλικία · =password: κωδικός πρόσβασης, ^κωδικός$,
    συνθηματικό · =national_id: αφμ, αμκα, διαβατήριο, ταυτότητα · =bank: αριθμός λογαριασμού, αριθμός κάρτας ·
    =code: τύπος, κατάσταση, τάξη, επίπεδο`,
  Russian: `
    given_or_name: имя · name: фио, фио сотрудника, фио клиента, фио участника, полное имя, фамилия имя отчество,
    имя и фамилия · last_name: фамилия · middle_name: отчество · address: адрес · street: улица · house_number: дом ·
    postal_code: индекс, почтовый индекс · city: город, населенный пункт · state: область, регион, край ·
    country: страна · company: компания, организация, фирма, место работы · job_title: должность, название должности,
    профессия · fax: факс · department: отдел · email: почта, эл почта, электронная почта, имейл,
    адрес электронной почты · phone: телефон, номер телефона, тел · mobile_phone: мобильный, мобильный телефон,
    моб телефон · birthday: дата рождения, день рождения · gender: пол · language: язык · website: сайт, веб сайт ·
    notes: примечание, примечания, комментарий, комментарии, заметки · created_at: создан, создано, дата создания ·
    signed_up_at: дата регистрации, зарегистрирован · last_login_at: последний вход · tags: теги, метки ·
    customer_id: номер клиента, код клиента, id клиента · user_id: id пользователя · username: имя пользователя, логин ·
    =date: дата · =flag: активен, активный, согласие, подтвержден, заблокирован · =id: ^заказ$, ^счет$, ^клиент$,
    артикул · =amount: сумма, цена, количество, возраст, зарплата, стоимость, год · =national_id: инн, снилс, снилса ·
    =bank: расчетный счет, номер счета банка, номер карты, банковск- · =password: парол · =code: договор, полис, филиал,
    магазин, тип, вид, статус, класс, уровень, кабинет, группа, категория, серия · =person: клиент, клиента, сотрудник,
    сотрудника, пользователь, пользователя, студент, участник, участника · =thing: заказ, счет · =row: номер`,
  Ukrainian: `
    given_or_name: ім'я · name: піб, повне ім'я, прізвище та ім'я · last_name: прізвище · middle_name: по батькові ·
    address: адреса · street: вулиця · postal_code: індекс, поштовий індекс · city: місто, населений пункт ·
    state: область, регіон · country: країна · company: компанія, організація, фірма · job_title: посада ·
    department: відділ · email: пошта, електронна пошта, електронна адреса, ел пошта · phone: телефон, номер телефону ·
    mobile_phone: мобільний, мобільний телефон · birthday: дата народження, день народження · gender: стать ·
    language: мова · notes: примітка, примітки, коментар, коментарі · created_at: створено, дата створення ·
    signed_up_at: дата реєстрації, зареєстровано · username: ім'я користувача, логін ·
    =date: дата · =flag: активний, згода · =id: ^замовлення$, ^рахунок$, ^клієнт$, номер, код · =amount: сума, ціна,
    кількість, вік, зарплата, рік · =password: пароль · =national_id: іпн, рнокпп, паспорт- · =bank: банківськ-,
    номер картки · =code: тип, вид, статус, клас, рівень, кабінет, група · =person: клієнта, працівника, учня, студента`,
  Vietnamese: `
    name: họ tên, họ và tên, tên đầy đủ, họ và tên đệm · given_or_name: tên · last_name: họ, họ đệm ·
    middle_name: tên đệm · address: địa chỉ · street: đường · postal_code: mã bưu điện, mã bưu chính · city: thành phố,
    quận huyện, quận · state: tỉnh, tỉnh thành, tỉnh thành phố · country: quốc gia, nước · company: công ty,
    tên công ty, tổ chức · job_title: chức vụ, chức danh, nghề nghiệp · department: phòng ban, bộ phận ·
    email: thư điện tử, địa chỉ email · phone: điện thoại, số điện thoại, số đt, sđt, đt · mobile_phone: di động,
    điện thoại di động · birthday: ngày sinh, ngày tháng năm sinh, sinh nhật · gender: giới tính · language: ngôn ngữ ·
    notes: ghi chú, chú thích · created_at: ngày tạo · signed_up_at: ngày đăng ký, ngày tham gia ·
    customer_id: mã khách hàng, mã kh · username: tên đăng nhập ·
    =date: ngày · =id: mã, ^số$, số hiệu, số báo danh, số hóa đơn, số nhà, số hợp đồng, stt · =amount: giá, tổng, tuổi,
    lương, doanh thu, số tiền, điểm · =password: mật khẩu · =national_id: cmnd, cccd, căn cước, hộ chiếu ·
    =bank: số tài khoản, số thẻ · =code: loại, trạng thái, lớp, cấp, phòng, tình trạng · =row: stt · =person: nhân viên,
    khách hàng, học sinh, sinh viên, nv, kh`,
  Indonesian: `
    name: nama, nama lengkap · first_name: nama depan · last_name: nama belakang, nama keluarga · address: alamat ·
    street: jalan · postal_code: kode pos · city: kota, kabupaten, kab kota · state: provinsi · country: negara ·
    company: perusahaan, nama perusahaan, instansi, organisasi · job_title: jabatan, pekerjaan · department: departemen,
    bagian · email: surel, alamat email · phone: telepon, no telepon, nomor telepon, no telp, telp · mobile_phone: hp,
    no hp, nomor hp, ponsel, handphone · birthday: tanggal lahir, tgl lahir · gender: jenis kelamin · language: bahasa ·
    notes: catatan, keterangan · signed_up_at: tanggal daftar, tanggal pendaftaran, tanggal bergabung ·
    created_at: dibuat · username: nama pengguna ·
    =date: tanggal, tgl · =flag: aktif · =id: nomor, no, kode, nis$, nim$ · =phone: wa · =amount: jumlah, harga, usia,
    umur, gaji · =password: sandi, kata laluan · =national_id: nik, ktp, paspor · =bank: rekening, nomor kartu ·
    =code: jenis, tipe, kelas, tingkat, ruang, rombel · =person: pelanggan, siswa, karyawan, pegawai, pengguna, anggota,
    mahasiswa`,
  Thai: `
    given_or_name: ชื่อ · name: รายชื่อ, ชื่อ-นามสกุล, ชื่อเต็ม, ชื่อและนามสกุล · last_name: นามสกุล, สกุล ·
    salutation: คำนำหน้า, คำนำหน้าชื่อ · nickname: ชื่อเล่น · address: ที่อยู่ · street: ถนน ·
    postal_code: รหัสไปรษณีย์ · city: เมือง, อำเภอ, เขต · state: จังหวัด · country: ประเทศ · company: บริษัท, องค์กร,
    หน่วยงาน · job_title: ตำแหน่ง, อาชีพ · department: แผนก · email: อีเมล, อีเมล์ · phone: โทรศัพท์, เบอร์โทร,
    เบอร์โทรศัพท์, หมายเลขโทรศัพท์ · mobile_phone: มือถือ, เบอร์มือถือ · birthday: วันเกิด, วันเดือนปีเกิด ·
    gender: เพศ · notes: หมายเหตุ · signed_up_at: วันที่สมัคร, วันที่ลงทะเบียน · created_at: วันที่สร้าง ·
    username: ชื่อผู้ใช้ ·
    =date: วันที่ · =id: รหัส, เลขที่, หมายเลข · =phone: โทร · =amount: จำนวน, ราคา, อายุ, เงินเดือน ·
    =password: รหัสผ่าน, พาสเวิร์ด · =national_id: เลขประจำตัวประชาชน, บัตรประชาชน · =bank: เลขที่บัญชี, บัญชีธนาคาร,
    เลขบัตรเครดิต · =code: ประเภท, สถานะ, ระดับ, ชั้น, ห้อง · =person: พนักงาน, นักเรียน, ลูกค้า, สมาชิก`,
  Korean: `
    name: 이름, 성명, 성함, 고객명, 회원명, 표시명 · last_name: 성 · first_name: 명 · nickname: 별명, 닉네임 · address: 주소 ·
    address_line_2: 상세주소 · postal_code: 우편번호 · city: 시, 도시, 시군구 · state: 시도, 도 · country: 국가, 나라 · company: 회사, 회사명, 소속,
    직장 · job_title: 직책, 직위, 직급 · department: 부서 · email: 이메일, 전자우편, 메일, 이메일주소 · phone: 전화, 전화번호, 연락처 ·
    mobile_phone: 휴대폰, 휴대전화, 핸드폰, 휴대폰번호, 핸드폰번호 · birthday: 생년월일, 생일 · gender: 성별 · notes: 메모, 비고 · created_at: 등록일시,
    생성일 · signed_up_at: 가입일, 가입일자, 등록일 · customer_id: 고객번호 · user_id: 회원번호 · username: 아이디, 사용자명 ·
    =date: 일자, 날짜, 일시, 일$ · =flag: 동의, 여부 · =id: 번호, 코드 · =amount: 금액, 수량, 가격, 나이, 점수, 합계, 연봉, 급여, 수당, 보험, 연금, 세$, 액$,
    계$ · =password: 비밀번호, 암호, 비번, 패스워드 · =national_id: 주민등록번호, 주민번호, 여권 · =bank: 계좌, 카드번호 · =code: 주문, 계약, 지점, 매장, 구분,
    유형, 상태, 반, 학년, 등급, 방법, 권한 · =thing: 주문 · =row: 번호, 순번 · =person: 직원, 사원, 회원, 고객, 학생, 환자`,
  Chinese: `
    name: 姓名, 名称, 全名, 显示名称, 客户姓名, 客户名称, 联系人, 聯絡人 · last_name: 姓, 姓氏 · first_name: 名, 名字 · nickname: 昵称, 暱稱 ·
    salutation: 称呼 · address: 地址, 住址, 详细地址, 通讯地址 · street: 街道 · postal_code: 邮编, 邮政编码, 郵遞區號 · city: 城市, 市 · state: 省,
    省份, 州省, 省/自治区/直辖市 · country: 国家, 國家 · company: 公司, 公司名称, 公司名稱, 单位, 工作单位, 企业名称 · job_title: 职位, 职务, 職稱, 職位 ·
    department: 部门, 部門 · email: 邮箱, 电子邮箱, 主要电子邮件, 电子邮件, 邮件地址, 電子郵件, 電子信箱 · phone: 电话, 電話, 联系电话, 联系方式, 電話號碼 ·
    mobile_phone: 手机, 手机号, 手机号码, 手機, 手機號碼, 移动电话, 移动电话号码 · fax: 传真, 传真号码 · birthday: 生日, 出生日期, 出生年月 · gender: 性别, 性別 ·
    notes: 备注, 備註, 说明, 注释 · created_at: 创建时间, 创建日期, 建立時間 · signed_up_at: 注册时间, 注册日期, 註冊日期, 入会日期, 加入日期 ·
    customer_id: 客户编号, 客戶編號, 客户id, 顾客id, 顾客编号 · user_id: 用户id, 用户编号, 会员id, 会员编号, 会员号 · username: 用户名, 账号, 使用者名稱, 帳號 ·
    =date: 日期, 时间, 時間 · =flag: 是否 · =id: 编号, 編號, 编码, 号码, 學號, 学号, 工号, 代码 · =amount: 金额, 金額, 数量, 價格, 价格, 年龄, 年齡, 合计 ·
    =password: 密码, 密碼, 口令 · =national_id: 身份证, 身分證, 证件, 护照 · =bank: 银行账号, 银行卡, 卡号, 帳戶號碼 · =code: 订单, 訂單, 合同, 门店, 类型, 類型,
    状态, 狀態, 级别, 年级, 班, 方式, 角色 · =thing: 订单 · =row: 編號, 编号, 序号 · =person: 员工, 員工, 职工, 学生, 學生, 会员, 會員, 用户, 客户, 客戶, 患者`,
  Japanese: `
    name: 氏名, 名前, お名前, 顧客名, 会員名, 表示名 · last_name: 姓, 苗字, 名字 · first_name: 名 · nickname: ニックネーム · title: 肩書き ·
    address: 住所, 住所1, 所在地 · address_line_2: 住所2, 建物名 · postal_code: 郵便番号 · city: 市区町村, 市町村 · state: 都道府県 · country: 国,
    国名 · company: 会社, 会社名, 企業名, 勤務先, 法人名 · job_title: 役職, 職業, 職名 · department: 部署, 部署名 · email: メール, メールアドレス, eメール,
    電子メール, emailアドレス · phone: 電話, 電話番号, tel, 連絡先 · mobile_phone: 携帯, 携帯電話, 携帯番号, 携帯電話番号 · fax: fax番号 · birthday: 生年月日,
    誕生日 · gender: 性別 · notes: 備考, メモ, 注釈 · created_at: 作成日, 作成日時 · signed_up_at: 登録日, 登録日時, 入会日, 会員登録日 ·
    last_login_at: 最終ログイン · customer_id: 顧客番号, 顧客id, お客様番号 · user_id: 会員番号, 会員id, ユーザーid · username: ユーザー名, ユーザ名 ·
    =date: 年月日, 日付, 日時, 日期, 日$ · =id: 番号, コード · =amount: 金額, 数量, 個数, 価格, 年齢, 合計, 点数, 人数 · =password: パスワード, 暗証番号 ·
    =national_id: マイナンバー, 個人番号, 旅券, パスポート · =bank: 口座, カード番号 · =code: 注文, 契約, 支店, 店舗, 種別, 区分, 状態, ステータス, クラス, 学年, 等級,
    方法, 権限 · =thing: 注文 · =row: 番号 · =person: 社員, 従業員, 職員, 顧客, 会員, 学生, 生徒, 患者, 利用者`,
  Arabic: `
    name: الاسم, الاسم الكامل, اسم العميل · first_name: الاسم الأول · last_name: اسم العائلة, اللقب, الاسم الأخير,
    العائلة · middle_name: اسم الأب, الاسم الأوسط · address: العنوان · street: الشارع · postal_code: الرمز البريدي ·
    city: المدينة · state: المحافظة, المنطقة · country: الدولة, البلد · company: الشركة, اسم الشركة, جهة العمل ·
    job_title: الوظيفة, المسمى الوظيفي, المهنة · department: القسم · email: البريد الإلكتروني, الإيميل · phone: الهاتف,
    رقم الهاتف, التليفون, رقم التليفون · mobile_phone: الجوال, رقم الجوال, الموبايل, رقم الموبايل ·
    birthday: تاريخ الميلاد · gender: الجنس, النوع · notes: ملاحظات, الملاحظات · signed_up_at: تاريخ التسجيل,
    تاريخ الاشتراك · created_at: تاريخ الإنشاء · username: اسم المستخدم ·
    =date: تاريخ · =id: رقم, كود, رمز · =amount: المبلغ, السعر, الكمية, العمر, الراتب, عدد · =password: كلمة المرور,
    كلمة مرور, كلمة السر, الرقم السري · =national_id: الرقم القومي, رقم الهوية, الهوية الوطنية · =bank: رقم الحساب,
    الحساب البنكي, رقم البطاقة · =code: نوع, الحالة, الصف, الشعبة, المستوى, الفصل · =row: رقم · =person: الطالب, الموظف,
    العميل, العضو`,
  Hebrew: `
    name: שם, שם מלא · first_name: שם פרטי · last_name: שם משפחה, משפחה · address: כתובת, כתובת מגורים · street: רחוב ·
    house_number: מספר בית, מס בית · postal_code: מיקוד · city: עיר, יישוב, ישוב · country: מדינה, ארץ · company: חברה,
    שם חברה, ארגון, מקום עבודה · job_title: תפקיד · department: מחלקה · email: אימייל, דוא"ל, מייל, כתובת מייל,
    דואר אלקטרוני, כתובת דוא"ל · phone: טלפון, מספר טלפון · mobile_phone: נייד, טלפון נייד, סלולרי, פלאפון ·
    birthday: תאריך לידה, ת לידה, יום הולדת · gender: מין, מגדר · notes: הערות, הערה · signed_up_at: תאריך הרשמה,
    תאריך הצטרפות · created_at: תאריך יצירה · customer_id: מספר לקוח · username: שם משתמש ·
    =date: תאריך · =id: מספר, מס, קוד · =amount: סכום, מחיר, כמות, גיל, שכר · =password: סיסמה, סיסמא, סיסמת ·
    =national_id: ת.ז., תעודת זהות, מספר זהות, דרכון · =bank: חשבון בנק, מספר כרטיס · =code: סוג, סטטוס, כיתה, רמה,
    חדר · =person: תלמיד, סטודנט, עובד, לקוח, חבר · =row: מס, מספר`,
  "others, of which only secrets are known": `
    =password: парола, лозинка, lozinka, geslo, parool, ^parole$, slaptažodis, şifrə, contrasenya, contrasinal,
    pasahitza, رمز عبور, گذرواژه, पासवर्ड, পাসওয়ার্ড, پاس ورڈ`,
};
