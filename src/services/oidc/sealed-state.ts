import { AppError } from "../../errors.ts";
import { openSealedText, sealText } from "../../lib/sealed-text.ts";
import type { Context } from "../context.ts";

/**
 * State of a sign-in in progress that the browser carries: encrypted with a secret of the installation, so that every node
 * of a cluster can continue it, and no client can read, change or make it.
 */

/**
 * Encrypts a value.
 * @param purpose where it is accepted: a value for another purpose is refused
 * @throws AppError `unavailable` on a node of a cluster that has no secret yet
 */
export const sealState = (ctx: Context, purpose: string, value: object, lifetimeMs: number): string =>
  sealText(JSON.stringify([ctx.clock.now() + lifetimeMs, value]), { key: flowSecret(ctx), purpose });

/** Decrypts a value; null for an expired one, for one of another purpose, and for any other text. */
export function openState<T>(ctx: Context, purpose: string, sealed: string | null | undefined): T | null {
  const text = openSealedText(sealed ?? "", { key: flowSecret(ctx), purpose });
  if (text === null) return null;
  const [expiresAt, value] = JSON.parse(text) as [number, T];
  return expiresAt > ctx.clock.now() ? value : null;
}

function flowSecret({ home }: Context): Buffer {
  const secret = home.secrets.find("flow");
  if (!secret) throw new AppError("unavailable", "The server is starting; try again", { retryAfterS: 1 });
  return secret;
}
