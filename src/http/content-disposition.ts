/**
 * The value of Content-Disposition for a file. Names beyond Latin-1 go in the extended form as well (RFC 6266), with a
 * plain one for clients that do not know it; nothing of a name can end the header or the quotes.
 * @param name what stands before its last slash is dropped
 */
export function contentDisposition(name: string, kind: "attachment" | "inline" = "attachment"): string {
  // Half a character pair cannot be written down, and control characters have no business in a name.
  const base = (name.split("/").at(-1) ?? "").toWellFormed().replaceAll(/\p{Cc}/gu, " ");
  const asciiName = quoteParameter(base.replaceAll(/[^\u0020-\u007e\u00a0-\u00ff]/g, "?"));
  const isLatin1 = /^[\u0020-\u007e\u00a0-\u00ff]*$/.test(base);
  // Clients unescape %xx in a plain name, though they should not.
  const isUnambiguous = isLatin1 && !/%[0-9a-f]{2}/i.test(base);
  return `${kind}; filename=${asciiName}${isUnambiguous ? "" : `; filename*=UTF-8''${encodeExtendedValue(base)}`}`;
}

const quoteParameter = (text: string): string => `"${text.replaceAll(/["\\]/g, "\\$&")}"`;

/** What RFC 5987 lets stand is less than what encodeURIComponent does. */
const encodeExtendedValue = (text: string): string =>
  encodeURIComponent(text).replaceAll(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
