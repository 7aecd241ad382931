import { createHmac, randomBytes } from "node:crypto";

/** Signatures by the Standard Webhooks convention, for which receivers have libraries. */

const PREFIX = "whsec_";

export const newSigningSecret = (): Uint8Array => randomBytes(24);

/** Returns the secret in the format given to receivers. */
export const formatSigningSecret = (secret: Uint8Array): string => PREFIX + Buffer.from(secret).toString("base64");

/**
 * Returns the headers that authenticate a delivery and identify its id and time. `at` is in milliseconds since the
 * epoch.
 */
export function signatureHeaders(
  secret: Uint8Array,
  { id, at, body }: { id: string; at: number; body: string },
): Record<string, string> {
  const seconds = Math.floor(at / 1000);
  const signature = createHmac("sha256", secret).update(`${id}.${seconds}.${body}`).digest("base64");
  return { "webhook-id": id, "webhook-timestamp": String(seconds), "webhook-signature": `v1,${signature}` };
}
