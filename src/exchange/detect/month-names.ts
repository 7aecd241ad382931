/** Month names in the supported languages; the first list is English. */
const MONTH_NAMES: readonly (readonly string[])[] = [
  "january february march april may june july august september october november december",
  "jan feb mar apr may jun jul aug sep oct nov dec",
  "januar februar märz april mai juni juli august september oktober november dezember",
  "jan feb mär apr mai jun jul aug sep okt nov dez",
  "jän feb mrz apr mai jun jul aug sept okt nov dez",
  "jänner februar märz april mai juni juli august september oktober november dezember",
  "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
  "janv févr mars avr mai juin juil août sept oct nov déc",
  "jan fév mar avr mai jui jul aoû sep oct nov déc",
  "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
  "gen feb mar apr mag giu lug ago set ott nov dic",
  "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
  "ene feb mar abr may jun jul ago sept oct nov dic",
  "ene feb mar abr may jun jul ago setiembre oct nov dic",
].map((names) => names.split(" "));

const monthByName = new Map<string, number>();
for (const names of MONTH_NAMES) {
  for (const [index, name] of names.entries()) {
    monthByName.set(name, monthByName.get(name) ?? index + 1);
    // Accents are often left out.
    const bare = name.normalize("NFD").replaceAll(/\p{M}/gu, "");
    monthByName.set(bare, monthByName.get(bare) ?? index + 1);
  }
}

/**
 * Returns the month, from 1, of a name or an abbreviation in English, German, French, Italian or Spanish; undefined for
 * others.
 */
export const monthOfName = (name: string): number | undefined => monthByName.get(name.toLowerCase());

/** Returns whether a name is English, in its short or long form: dates are displayed with English names. */
export function englishMonthNameForm(name: string): "short" | "long" | "both" | null {
  const lower = name.toLowerCase();
  if (lower === "may") return "both";
  if (MONTH_NAMES[1]?.includes(lower)) return "short";
  return MONTH_NAMES[0]?.includes(lower) ? "long" : null;
}
