import type { UserGrant } from "../../src/authorization.ts";
import { AppError } from "../../src/errors.ts";
import { actorForCommand } from "../../src/services/accounts/actors.ts";
import type { Context } from "../../src/services/context.ts";
import { guardSignedIn } from "../../src/services/access/guards.ts";
import type { Browser } from "../../src/services/accounts/sign-in.ts";
import { insertUser } from "../../src/services/accounts/users.ts";

/** A browser that has never signed in. */
export const BROWSER: Browser = { address: "192.0.2.1", userAgent: "", device: null };

/** Creates a user named after the local part of their email, and returns the grant for their operations. */
export function createUser(ctx: Context, email: string, { isAdmin = false }: { isAdmin?: boolean } = {}): UserGrant {
  ctx.home.transaction(() => insertUser(ctx, { email, name: nameOf(email), isAdmin, hash: null }));
  return grantOf(ctx, email);
}

/** Returns the grant of an existing user. */
export const grantOf = (ctx: Context, email: string): UserGrant => guardSignedIn(actorForCommand(ctx, email));

const nameOf = (email: string): string => email.replace(/@.*/, "");

/** Returns the code of the error that `work` throws; null if it succeeds. */
export async function errorCodeOf(work: () => unknown): Promise<string | null> {
  try {
    await work();
    return null;
  } catch (error) {
    if (error instanceof AppError) return error.code;
    throw error;
  }
}
