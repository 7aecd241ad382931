/** Characters that XML cannot represent, and texts that would be read as an escape sequence. */
const NOT_REPRESENTABLE = /(?![\t\n\r\u007f-\u009f])\p{Cc}|[\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)/gu;
const SPECIAL_CHARACTERS = /[&<>"\r]/;
const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\r": "&#13;",
};

/**
 * Escapes a text for XML of office documents, in elements or attributes; characters that XML cannot represent become
 * `_x0007_`.
 */
export function escapeXmlText(text: string): string {
  const whole = text.isWellFormed() ? text : text.toWellFormed();
  const writable = whole.replaceAll(
    NOT_REPRESENTABLE,
    (character) => `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}_`,
  );
  return SPECIAL_CHARACTERS.test(writable)
    ? writable.replaceAll(/[&<>"\r]/g, (sign) => ENTITIES[sign] ?? sign)
    : writable;
}

/** Decodes `_x0007_` in a text from an XML reader. */
export const unescapeXmlText = (text: string): string =>
  text.includes("_x")
    ? text.replaceAll(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    : text;
