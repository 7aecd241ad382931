import type { Message } from "./message.ts";

/**
 * A language for tests and developers: English in ⟦…⟧, 30 % longer. Texts without brackets are not from the catalogue,
 * and layouts that fit these texts fit most languages. Browsers get it by `Accept-Language: en-XA`.
 */
export const PSEUDO_LANGUAGE = "en-XA";

const GROWTH = 0.3;
const VALUES_AND_TAGS = /(\{\w+\}|<\/?\w+>)/;

/** Returns a message of the pseudo-language; its values and elements are unchanged. */
export function pseudoMessage(message: Message): Message {
  if (typeof message === "string") return pseudoText(message);
  const forms = Object.entries(message.forms).map(([category, text]) => [category, pseudoText(text)]);
  return { ...message, forms: Object.fromEntries(forms) as typeof message.forms };
}

/** Doubles vowels, so that words grow too. */
function pseudoText(text: string): string {
  const parts = text.split(VALUES_AND_TAGS);
  const length = parts.reduce((sum, part, at) => (at % 2 === 0 ? sum + part.length : sum), 0);
  let missing = Math.ceil(length * GROWTH);
  const longer = parts.map((part, at) =>
    at % 2 === 1 ? part : part.replaceAll(/[aeiou]/g, (vowel) => (missing-- > 0 ? vowel + vowel : vowel)),
  );
  return `⟦${longer.join("")}${"~".repeat(Math.max(0, missing))}⟧`;
}
