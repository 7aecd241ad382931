import { isUtf8 } from "node:buffer";

const CODE = { quote: 0x22, backslash: 0x5c, comma: 0x2c, zero: 0x30, nine: 0x39 } as const;
/** Integers of up to this many digits are doubles without loss, and rendered alike by SQLite and JavaScript. */
const MAX_DIGITS = 15;

/**
 * Returns true if SQLite rendered a list of cells exactly as `JSON.stringify` renders the same cells: it holds only
 * texts, nulls, booleans and integers without loss. SQLite writes fractions and large numbers differently, and passes invalid
 * UTF-8 on.
 * @param json the bytes of a JSON list without nesting
 */
export function isExactJson(json: Uint8Array): boolean {
  const end = json.length - 1;
  let digits = 0;
  for (let at = 1; at < end; at++) {
    const code = json[at] ?? 0;
    if (code === CODE.quote) {
      at = textEnd(json, at);
      digits = 0;
    } else if (code >= CODE.zero && code <= CODE.nine) {
      if (++digits > MAX_DIGITS) return false;
    } else if (OTHER_CODES[code] === 1 && (digits === 0 || code === CODE.comma)) digits = 0;
    else return false;
  }
  return isUtf8(json);
}

/** Returns the index of the quote that ends a text, given the index of the one that begins it. */
function textEnd(json: Uint8Array, start: number): number {
  let at = start + 1;
  for (let code = json[at]; code !== CODE.quote && code !== undefined; code = json[at]) {
    at += code === CODE.backslash ? 2 : 1;
  }
  return at;
}

/** The characters of `null`, `true` and `false`, commas and signs. */
const OTHER_CODES = Uint8Array.from({ length: 256 }, (_, code) =>
  Number("nulltruefalse,-".includes(String.fromCharCode(code))),
);
