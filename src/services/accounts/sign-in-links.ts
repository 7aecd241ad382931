/** Links that sign a user in once: the way back where passwords are off, or no provider can be reached. */
import { AppError, invalid } from "../../errors.ts";
import type { User } from "../../home/users.ts";
import { randomHex, sha256Hex } from "../../lib/ids.ts";
import type { Context } from "../context.ts";
import { startSession, type Browser, type NewSession } from "./sign-in.ts";

const LINK_LIFETIME_MS = 15 * 60 * 1000;

/** Returns the path of the page for a token. */
export const signInLinkPath = (token: string): string => `/sign-in/link?token=${token}`;

/** A new link. */
export interface SignInLink {
  readonly email: string;
  /** The token of the link; only its hash is stored. */
  readonly token: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/**
 * Returns a link for a user and invalidates earlier ones. For commands: only administrators of the machine can run them.
 * @throws AppError `notFound`; `invalid` for users that cannot sign in, or are disabled
 */
export function issueSignInLink({ home, clock }: Context, email: string): SignInLink {
  const user = home.users.byEmail(email);
  if (!user || user.kind === "pseudo") throw new AppError("user.not_found", `user not found: ${email}`);
  if (user.kind !== "person") throw invalid("Service accounts cannot sign in");
  if (user.disabledAt !== null) throw invalid(`${user.displayEmail} is disabled`);
  const token = randomHex(32);
  const expiresAt = clock.now() + LINK_LIFETIME_MS;
  home.transaction(() => {
    home.tokens.removeOf(user.id, "sign-in");
    home.tokens.add({ hash: sha256Hex(token), purpose: "sign-in", userId: user.id, expiresAt });
  });
  return { email: user.displayEmail, token, expiresAt };
}

/** Returns the address of the user of a link; null if it is invalid, used or expired. */
export const findSignInLink = (ctx: Context, token: string): string | null => userOf(ctx, token)?.displayEmail ?? null;

/**
 * Signs the user of a link in, which then no longer works.
 * @throws AppError `forbidden` if it is invalid, used or expired
 */
export const signInByLink = (ctx: Context, token: string, browser: Browser): NewSession =>
  ctx.home.transaction(() => {
    const user = userOf(ctx, token);
    if (!user) throw new AppError("link.expired", "This link has been used or has expired");
    ctx.home.tokens.removeOf(user.id, "sign-in");
    // Of an invited user: others see a name in lists.
    if (user.name === "") ctx.home.users.change(user.id, { name: user.displayEmail.replace(/@.*/, "") });
    return startSession(ctx, user.id, browser, { method: "link" });
  });

function userOf({ home }: Context, token: string): User | null {
  const id = home.tokens.userOf(sha256Hex(token), "sign-in");
  const user = id === null ? null : home.users.byId(id);
  return user && user.disabledAt === null ? user : null;
}
