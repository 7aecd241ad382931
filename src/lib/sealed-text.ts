import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

/** Encrypts texts that a client keeps for the server, and can neither read nor change. */

const ALGORITHM = "aes-256-gcm";
const IV_BYTES = 12;
const TAG_BYTES = 16;

export interface SealOptions {
  /** 32 bytes. */
  readonly key: Uint8Array;
  /** What the text is for: a text that is sealed for one purpose cannot be opened for another. */
  readonly purpose: string;
}

/** Encrypts a text; the result has the characters of base64url. */
export function sealText(text: string, { key, purpose }: SealOptions): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, iv).setAAD(Buffer.from(purpose));
  return Buffer.concat([iv, cipher.update(text), cipher.final(), cipher.getAuthTag()]).toString("base64url");
}

/** Decrypts a text; null if it was not sealed with this key and purpose. */
export function openSealedText(sealed: string, { key, purpose }: SealOptions): string | null {
  const bytes = Buffer.from(sealed, "base64url");
  if (bytes.length < IV_BYTES + TAG_BYTES) return null;
  try {
    const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, IV_BYTES)).setAAD(Buffer.from(purpose));
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
    return decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)).toString() + decipher.final().toString();
  } catch {
    return null;
  }
}
