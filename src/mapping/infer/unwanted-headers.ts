import { foldHeader } from "./recognise-header.ts";

/** Why a column is not sent unless a person decides so. */
export type Unwanted = "secret" | "picture";

const secret =
  /\b(password|passwd|passwort|kennwort|passphrase|pwd|user pass|mot de passe|motdepasse|contrasena|clave de acceso|parola d ordine|wachtwoord|senha|palavra passe|haslo|losenord|adgangskode)\b|\b(token|secret|salt|hash|cv[vc]2?|credit card (?:number|no|nr)|cc (?:number|no|nr)|kreditkarten(?:nummer|nr)|csrf|otp|totp|api key|apikey|private key|activation key|session|session id|cookie|security (?:question|answer)|recovery codes?|session tokens|geheimnis)$/;
const picture =
  /\b(photo|picture|avatar|gravatar|thumbnail|profile image|image|profilbild|foto|lichtbild|obrazek|zdjecie)(?: (?:url|link|src|path|file|data|base64))?$/;
/** What is about a secret or a picture and holds none. */
const about = /\b(at|date|count|changed|expires|expired|consent|has|is|reset required|attempts)\b/;

export function whyUnwanted(header: string): Unwanted | undefined {
  const folded = foldHeader(header);
  if (about.test(folded)) return undefined;
  if (secret.test(folded)) return "secret";
  return picture.test(folded) ? "picture" : undefined;
}
