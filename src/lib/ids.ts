import { randomBytes, randomUUID } from "node:crypto";

/** Returns a document id: UUID version 4, lower case. */
export const newUuid = (): string => randomUUID();

/** Returns `bytes` random bytes as lower-case hex. */
export const randomHex = (bytes: number): string => randomBytes(bytes).toString("hex");

const REF_ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

/** Returns a random string of letters and digits without look-alikes, for public references. */
export function randomRef(length = 22): string {
  let ref = "";
  while (ref.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < REF_ALPHABET.length * 4 && ref.length < length) ref += REF_ALPHABET[byte % REF_ALPHABET.length];
    }
  }
  return ref;
}

/** SHA-256 as lower-case hex. Every request with a key computes one: Bun's own hasher takes a tenth of node's time. */
export const sha256Hex = (data: string | Uint8Array<ArrayBuffer>): string => Bun.SHA256.hash(data, "hex");
