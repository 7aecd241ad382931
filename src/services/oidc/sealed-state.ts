import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { AppError } from "../../errors.ts";
import type { Context } from "../context.ts";

/**
 * State of a sign-in in progress that the browser carries: encrypted with a secret of the installation, so that every node
 * of a cluster can continue it, and no client can read, change or make it.
 */

const ALGORITHM = "aes-256-gcm";
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts a value.
 * @param purpose where it is accepted: a value for another purpose is refused
 * @throws AppError `unavailable` on a node of a cluster that has no secret yet
 */
export function sealState(ctx: Context, purpose: string, value: object, lifetimeMs: number): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(ALGORITHM, flowSecret(ctx), iv).setAAD(Buffer.from(purpose));
  const text = JSON.stringify([ctx.clock.now() + lifetimeMs, value]);
  return Buffer.concat([iv, cipher.update(text), cipher.final(), cipher.getAuthTag()]).toString("base64url");
}

/** Decrypts a value; null for an expired one, for one of another purpose, and for any other text. */
export function openState<T>(ctx: Context, purpose: string, sealed: string | null | undefined): T | null {
  const bytes = Buffer.from(sealed ?? "", "base64url");
  if (bytes.length <= IV_BYTES + TAG_BYTES) return null;
  try {
    const decipher = createDecipheriv(ALGORITHM, flowSecret(ctx), bytes.subarray(0, IV_BYTES)).setAAD(
      Buffer.from(purpose),
    );
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
    const text = decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)).toString() + decipher.final().toString();
    const [expiresAt, value] = JSON.parse(text) as [number, T];
    return expiresAt > ctx.clock.now() ? value : null;
  } catch (error) {
    if (error instanceof AppError) throw error;
    return null;
  }
}

function flowSecret({ home }: Context): Buffer {
  const secret = home.secrets.find("flow");
  if (!secret) throw new AppError("unavailable", "The server is starting; try again", { retryAfterS: 1 });
  return secret;
}
