/**
 * Returns the Content-Disposition of a file. Names beyond Latin-1 are sent in the extended form (RFC 6266), with a
 * plain one for clients that do not support it; no name can terminate the header or the quotes.
 * @param name everything up to its last slash is removed
 */
export function contentDisposition(name: string, kind: "attachment" | "inline" = "attachment"): string {
  // Unpaired surrogates cannot be encoded, and control characters must not be part of a name.
  const base = (name.split("/").at(-1) ?? "").toWellFormed().replaceAll(/\p{Cc}/gu, " ");
  const asciiName = quoteParameter(base.replaceAll(/[^\u0020-\u007e\u00a0-\u00ff]/g, "?"));
  const isLatin1 = /^[\u0020-\u007e\u00a0-\u00ff]*$/.test(base);
  // Some clients unescape %xx in a plain name.
  const isUnambiguous = isLatin1 && !/%[0-9a-f]{2}/i.test(base);
  return `${kind}; filename=${asciiName}${isUnambiguous ? "" : `; filename*=UTF-8''${encodeExtendedValue(base)}`}`;
}

const quoteParameter = (text: string): string => `"${text.replaceAll(/["\\]/g, "\\$&")}"`;

/** RFC 5987 allows fewer characters than encodeURIComponent leaves unescaped. */
const encodeExtendedValue = (text: string): string =>
  encodeURIComponent(text).replaceAll(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
