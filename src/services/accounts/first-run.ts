import { renameSync, rmSync, writeFileSync } from "node:fs";
import { anonymous } from "../../authorization.ts";
import { forbidden } from "../../errors.ts";
import { randomHex, sha256Hex } from "../../lib/ids.ts";
import type { Context } from "../context.ts";
import { hashPassword } from "./passwords.ts";
import { startSession, type Browser, type NewSession } from "./sign-in.ts";
import { insertUser } from "./users.ts";

/** Until there is a user, each start creates a new link. */
const LINK_LIFETIME_MS = 7 * 24 * 60 * 60 * 1000;

/**
 * Writes a link for creating the first administrator to a file with owner-only permissions, and returns it. If a user
 * exists, removes the file and returns null.
 * @param baseUrl the public address of the server, without a trailing slash
 */
export function writeFirstRunLink(ctx: Context, baseUrl: string, path: string): string | null {
  const token = issueFirstRunToken(ctx);
  rmSync(path, { force: true });
  if (token === null) return null;
  const link = `${baseUrl}/first-run?token=${token}`;
  // Programs that wait for the file find it complete. The mode applies only to new files.
  const partialFile = `${path}.partial`;
  rmSync(partialFile, { force: true });
  writeFileSync(partialFile, `${link}\n`, { mode: 0o600 });
  renameSync(partialFile, path);
  return link;
}

/**
 * Returns a token for creating the first administrator and invalidates earlier ones; null if a user exists. Only its
 * hash is stored: callers must put it where only the owner of the machine can read it.
 */
export function issueFirstRunToken(ctx: Context): string | null {
  const { home, clock } = ctx;
  return home.transaction(() => {
    home.tokens.removeAll("first-run");
    if (home.users.hasPerson()) return null;
    const token = randomHex(32);
    home.tokens.add({ hash: sha256Hex(token), purpose: "first-run", expiresAt: clock.now() + LINK_LIFETIME_MS });
    return token;
  });
}

/** True until the first user has an account. */
export const isFirstRun = ({ home }: Context): boolean => !home.users.hasPerson();

/** True while the token can create the first administrator. */
export const isFirstRunToken = ({ home }: Context, token: string): boolean =>
  !home.users.hasPerson() && home.tokens.isValid(sha256Hex(token), "first-run");

export interface FirstUser {
  token: string;
  email: string;
  name: string;
  /** Ignored where the server accepts no passwords. */
  password: string;
}

/**
 * Creates the first administrator with a personal site, and signs them in.
 * @throws AppError `forbidden` if the token is invalid, used or expired, or a user exists; `invalid` for an invalid
 * address, an empty name or a password of invalid length
 */
export async function completeFirstRun(
  ctx: Context,
  { token, password, ...userInput }: FirstUser,
  browser: Browser,
): Promise<NewSession> {
  requireValidToken(ctx, token);
  const hash = ctx.identity.acceptsPasswords ? await hashPassword(ctx, password) : null;
  return ctx.home.transaction(() => {
    // Checked again: two browsers may have had the page open.
    requireValidToken(ctx, token);
    const actor = { ...anonymous, address: browser.address };
    const user = insertUser(ctx, { ...userInput, isAdmin: true, hash }, actor);
    ctx.home.tokens.removeAll("first-run");
    return startSession(ctx, user.id, browser, { method: "link" });
  });
}

function requireValidToken(ctx: Context, token: string): void {
  if (!isFirstRunToken(ctx, token)) throw forbidden("This link has been used or has expired", "link.expired");
}
