import { createHmac, randomBytes } from "node:crypto";

/** Signatures by the Standard Webhooks convention: receivers have libraries for it. */

const PREFIX = "whsec_";

export const newSigningSecret = (): Uint8Array => randomBytes(24);

/** The secret as receivers are given it. */
export const formatSigningSecret = (secret: Uint8Array): string => PREFIX + Buffer.from(secret).toString("base64");

/** The headers that tell a receiver what he got, from whom, and when. `at` in milliseconds since the epoch. */
export function signatureHeaders(
  secret: Uint8Array,
  { id, at, body }: { id: string; at: number; body: string },
): Record<string, string> {
  const seconds = Math.floor(at / 1000);
  const signature = createHmac("sha256", secret).update(`${id}.${seconds}.${body}`).digest("base64");
  return { "webhook-id": id, "webhook-timestamp": String(seconds), "webhook-signature": `v1,${signature}` };
}
