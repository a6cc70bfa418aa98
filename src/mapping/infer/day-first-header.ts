import { foldHeader } from "./fold-header.ts";

/** Words of headers in German, French, Spanish, Italian, Portuguese and Dutch that English does not have. */
const words =
  /(^|\s)(vorname|nachname|geburtsdatum|geburtstag|geb|datum|strasse|ort|plz|anschrift|eintritt|erstellt|geandert|prenom|nom|naissance|inscription|courriel|adresse|ville|telephone|cree|nombre|apellidos?|fecha|nacimiento|alta|correo|direccion|ciudad|telefono|cognome|nome|nascita|iscrizione|indirizzo|citta|sobrenome|apelido|nascimento|cadastro|registo|endereco|morada|cidade|telefone|voornaam|achternaam|naam|geboortedatum|inschrijfdatum|straat|plaats|woonplaats|aangemaakt)(\s|$)/;

/** Whether a header is of a language in whose countries the day of a date comes before the month. */
export function isDayFirstHeader(header: string): boolean {
  return words.test(foldHeader(header));
}
