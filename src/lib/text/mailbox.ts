/** A name and an address as they occur in the headers of email. */
export interface Mailbox {
  /** Empty for none. */
  readonly name: string;
  readonly address: string;
}

/** Characters that have a meaning in headers, white space, and control characters. */
const UNSAFE = String.raw`\s@<>()\[\]\\,;:"\p{C}`;
const SENDABLE = new RegExp(`^[^${UNSAFE}]+@[^${UNSAFE}]+$`, "u");

/**
 * Returns true for an address that email can be sent to. Stricter than `isEmail`, which also accepts addresses that headers of
 * email would have to quote.
 */
export const isSendable = (address: string): boolean => address.length <= 254 && SENDABLE.test(address);

/** Returns true for a sender: a sendable address, and a name without control characters. */
export const isMailbox = ({ name, address }: Mailbox): boolean => isSendable(address) && !/[\p{C}<>"]/u.test(name);

/** Of a name in an email; longer ones are cut. */
const MAX_NAME = 80;

/**
 * Returns a name that users chose as it may occur in an email: one line without control characters and markup, without
 * anything that mail programs turn into a link, and not too long.
 */
export function safeName(text: string): string {
  const plain = text
    .normalize("NFC")
    .replace(/[\p{C}\p{Z}\s]+/gu, " ")
    .replace(/[<>"`\\|{}[\]^~#=;*]/g, "")
    // Mail programs make links of `example.org`, `//host` and `a@b`.
    .replace(/([.。．｡@/:])(?=\S)/gu, "$1 ")
    .replace(/ +/g, " ")
    .trim();
  if (plain.length <= MAX_NAME) return plain;
  // Half of a surrogate pair at the end is left out.
  return `${plain
    .slice(0, MAX_NAME)
    .replace(/[\uD800-\uDBFF]$/, "")
    .trim()}…`;
}
