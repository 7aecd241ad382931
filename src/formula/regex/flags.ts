import { valueError } from "../runtime/errors.ts";

/** The flags of `re` that patterns can set inline, by letter. */
export const FLAG_BITS = { i: 2n, m: 8n, s: 16n, x: 64n, a: 256n } as const;
export const UNICODE = 32n;
const LOCALE = 4n;

/** Throws PyError ValueError for flags that are invalid for strings, or mutually exclusive. */
export function checkFlags(flags: bigint): void {
  if ((flags & LOCALE) !== 0n) throw valueError("cannot use LOCALE flag with a str pattern");
  if ((flags & FLAG_BITS.a) !== 0n && (flags & UNICODE) !== 0n) {
    throw valueError("ASCII and UNICODE flags are incompatible");
  }
}
