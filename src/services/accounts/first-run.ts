import { rmSync, writeFileSync } from "node:fs";
import { forbidden } from "../../errors.ts";
import { randomHex, sha256Hex } from "../../lib/ids.ts";
import type { Context } from "../context.ts";
import { hashPassword } from "./passwords.ts";
import { startSession, type NewSession } from "./sign-in.ts";
import { insertUser } from "./users.ts";

/** Each start makes a new link until there is a user. */
const LINK_LIFETIME_MS = 7 * 24 * 60 * 60 * 1000;

/**
 * Puts a link for making the first administrator into a file that only the machine's owner can read, and answers it.
 * Once there is any person, removes that file and answers null.
 * @param baseUrl where people reach the server, without a trailing slash
 */
export function writeFirstRunLink(ctx: Context, baseUrl: string, path: string): string | null {
  const token = issueFirstRunToken(ctx);
  // The mode counts only when a file is made, so an old one goes first.
  rmSync(path, { force: true });
  if (token === null) return null;
  const link = `${baseUrl}/first-run?token=${token}`;
  writeFileSync(path, `${link}\n`, { mode: 0o600 });
  return link;
}

/**
 * A token for making the first administrator, which makes earlier ones unusable; null once there is any person. Only
 * its hash is kept: whoever calls this puts it where only the machine's owner can read it.
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

/** True until the first person has an account. */
export const isFirstRun = ({ home }: Context): boolean => !home.users.hasPerson();

/** True while the token can still make the first administrator. */
export const isFirstRunToken = ({ home }: Context, token: string): boolean =>
  !home.users.hasPerson() && home.tokens.isValid(sha256Hex(token), "first-run");

export interface FirstUser {
  token: string;
  email: string;
  name: string;
  password: string;
}

/**
 * Makes the first administrator, with a personal site, and signs him in.
 * @throws AppError `forbidden` when the token is wrong, used or expired, or there is somebody already; `invalid` for an
 *   address that is none, an empty name or a poor password
 */
export async function completeFirstRun(
  ctx: Context,
  { token, password, ...userInput }: FirstUser,
): Promise<NewSession> {
  requireValidToken(ctx, token);
  const hash = await hashPassword(ctx, password);
  return ctx.home.transaction(() => {
    // Again: two may have had the page open.
    requireValidToken(ctx, token);
    const user = insertUser(ctx, { ...userInput, isAdmin: true, hash });
    ctx.home.tokens.removeAll("first-run");
    return startSession(ctx, user.id);
  });
}

function requireValidToken(ctx: Context, token: string): void {
  if (!isFirstRunToken(ctx, token)) throw forbidden("This link was used already or has expired", "link.expired");
}
