import { randomBytes } from "node:crypto";

/** Codes of authenticator apps: six digits, from SHA-1 and a period of 30 s, which all apps support. */
const FORM = { issuer: "Quern", algorithm: "SHA1", digits: 6, period: 30 } as const;
const SECRET_BYTES = 20;

/** Codes of the previous and the next period are accepted too: clocks differ, and people type slowly. */
const WINDOW = 1;

export const newTotpSecret = (): Buffer => randomBytes(SECRET_BYTES);

/** What an authenticator app needs to know. */
export interface TotpKey {
  /** The secret in base32, for typing. */
  readonly secret: string;
  /** The address that a QR code contains. */
  readonly uri: string;
}

/** Returns a secret as authenticator apps take it. */
export async function describeTotp(secret: Buffer, account: string): Promise<TotpKey> {
  const totp = await totpOf(secret, account);
  return { secret: totp.secret.base32, uri: totp.toString() };
}

/**
 * Returns a function that returns the period of a code at a time; null if the code is wrong. It takes the same time for
 * every code of six digits.
 */
export async function totpVerifier(): Promise<(secret: Buffer, code: string, nowMs: number) => number | null> {
  const { TOTP, Secret } = await import("otpauth");
  return (secret, code, nowMs) => {
    const totp = new TOTP({ ...FORM, secret: new Secret({ buffer: toArrayBuffer(secret) }) });
    const delta = totp.validate({ token: code, timestamp: nowMs, window: WINDOW });
    return delta === null ? null : totp.counter({ timestamp: nowMs }) + delta;
  };
}

/** Returns the code of an authenticator app as it was typed; null for other texts. */
export function parseTotpCode(text: string): string | null {
  const code = text.replaceAll(/[\s-]/g, "");
  return /^\d{6}$/.test(code) ? code : null;
}

async function totpOf(secret: Buffer, label: string) {
  const { TOTP, Secret } = await import("otpauth");
  return new TOTP({ ...FORM, label, secret: new Secret({ buffer: toArrayBuffer(secret) }) });
}

const toArrayBuffer = (bytes: Buffer): ArrayBuffer => new Uint8Array(bytes).buffer;
