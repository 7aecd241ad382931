import type { Cell, TableName } from "./types/schema.ts";

/** A row of a delivery: its id and all columns. */
export type WebhookRow<S, T extends keyof S> = { id: number } & { [C in keyof S[T]]: Cell<S[T][C]> };

export interface Delivery<Row> {
  /** The same for repeated deliveries: remember it. */
  id: string;
  /** True for rows that were removed. */
  isRemoval: boolean;
  rows: Row[];
}

export interface VerifyOptions {
  /** The signing secret of the webhook; while it is replaced, the former one, too. */
  readonly secret: string | readonly string[];
  /** The headers of the request, in the form of `fetch` or of Node.js. */
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The body as it was received: a parsed and formatted body has another signature. */
  readonly body: string | Uint8Array<ArrayBuffer>;
  /** The maximum age of the delivery, against requests that are recorded and sent again. Default: 300. */
  readonly toleranceS?: number;
}

/** The delivery was not signed with the secret, or too long ago. */
export class WebhookVerificationError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "WebhookVerificationError";
  }
}

/** Checks the signature of a delivery, and returns its rows. @throws WebhookVerificationError */
export async function verifyWebhook<S = never, T extends TableName<S> = TableName<S>>(
  options: VerifyOptions,
): Promise<Delivery<[S] extends [never] ? Record<string, unknown> & { id: number } : WebhookRow<S, T>>> {
  const { secret, headers, body, toleranceS = 300 } = options;
  const headerOf = (name: string) => readHeader(headers, name);
  const [id, timestamp, signatures] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map(headerOf);
  if (!id || !timestamp || !signatures) throw new WebhookVerificationError("The request has no signature");
  // Not greater: the age of a timestamp that is not a number is not a number either.
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= toleranceS))
    throw new WebhookVerificationError("The delivery is too old, or the clock of this machine is wrong");
  const encoder = new TextEncoder();
  const bytes = typeof body === "string" ? encoder.encode(body) : body;
  const signed = new Uint8Array(await new Blob([`${id}.${timestamp}.`, bytes]).arrayBuffer());
  for (const one of typeof secret === "string" ? [secret] : secret) {
    if (await isSigned(one, signed, signatures)) {
      return {
        id,
        isRemoval: headerOf("x-quern-event") === "remove",
        rows: JSON.parse(new TextDecoder().decode(bytes)) as never[],
      };
    }
  }
  throw new WebhookVerificationError("The signature does not match");
}

/** `verify` compares in constant time. */
async function isSigned(secret: string, signed: Uint8Array<ArrayBuffer>, signatures: string): Promise<boolean> {
  const bytes = bytesOf(secret.replace(/^whsec_/, ""));
  if (!bytes || bytes.length === 0) throw new TypeError("secret is not the signing secret of a webhook");
  const key = await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
  for (const each of signatures.split(" ")) {
    const signature = each.startsWith("v1,") ? bytesOf(each.slice(3)) : null;
    if (signature && (await crypto.subtle.verify("HMAC", key, signature, signed))) return true;
  }
  return false;
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}

function readHeader(headers: VerifyOptions["headers"], name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return typeof found === "string" ? found : found?.[0];
}
