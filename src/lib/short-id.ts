/** The short form of a UUID: its 128 bits as one number in Base58 of fixed width, which some clients require. */

/** Flickr's alphabet: digits, lower case, upper case, without 0, I, O and l. */
const ALPHABET = "123456789abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ";
const BASE = BigInt(ALPHABET.length);
const WIDTH = 22;
const BITS = 128n;

/** Returns the 22 characters for a UUID. */
export function shortIdOf(uuid: string): string {
  let rest = BigInt(`0x${uuid.replaceAll("-", "")}`);
  let text = "";
  for (let i = 0; i < WIDTH; i++) {
    text = ALPHABET.charAt(Number(rest % BASE)) + text;
    rest /= BASE;
  }
  return text;
}

/** Returns the UUID of a short form, in lower case; null for invalid text. */
export function uuidOfShortId(text: string): string | null {
  if (text.length !== WIDTH) return null;
  let number = 0n;
  for (const character of text) {
    const digit = ALPHABET.indexOf(character);
    if (digit < 0) return null;
    number = number * BASE + BigInt(digit);
  }
  if (number >> BITS !== 0n) return null;
  const hex = number.toString(16).padStart(Number(BITS) / 4, "0");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
