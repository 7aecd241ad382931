import type { UserGrant } from "../../authorization.ts";
import { AppError, forbidden } from "../../errors.ts";
import type { Context } from "../context.ts";

/** The hash of an unknown text, verified for users without a password so that it takes the same time. */
const DUMMY_HASH =
  "$argon2id$v=19$m=19456,t=2,p=1$zvOb6wuU0xmYOigNjDRwP6oJdd3oO4WMpPjWUSIGQac$3Yzw4Qfv9bvi3Mm8ZIP6Cf7Thm2uCK1QwxbFuDguRQU";

export const PASSWORD_MIN_LENGTH = 8;
/** Bounds the work of hashing. */
export const PASSWORD_MAX_LENGTH = 256;

/** @throws AppError `forbidden` where users neither sign in with a password nor set one */
export function requirePasswords({ identity }: Context): void {
  if (!identity.acceptsPasswords) {
    throw forbidden("This server accepts no passwords; sign in another way", "password.off");
  }
}

/** True if the caller can sign in with a password; users created by a reverse proxy or a command may have none. */
export const hasPassword = ({ home }: Context, { actor }: UserGrant): boolean =>
  home.passwords.get(actor.userId) !== null;

/**
 * Returns the argon2id hash of a new password.
 * @throws AppError `invalid` if it is too short or too long, `tooMany` if too many verifications are queued
 */
export async function hashPassword(ctx: Context, password: string): Promise<string> {
  if (password.length < PASSWORD_MIN_LENGTH)
    throw new AppError("password.invalid", `The password must have at least ${PASSWORD_MIN_LENGTH} characters`);
  if (password.length > PASSWORD_MAX_LENGTH)
    throw new AppError("password.invalid", `The password must have at most ${PASSWORD_MAX_LENGTH} characters`);
  return runExclusive(ctx, () =>
    Bun.password.hash(password.normalize("NFKC"), { algorithm: "argon2id", ...ctx.identity.passwordCost }),
  );
}

/**
 * Returns whether the password matches the hash; without a hash, takes the same time and returns false.
 * @throws AppError `tooMany` if too many verifications are queued
 */
export async function verifyPassword(ctx: Context, password: string, hash: string | null): Promise<boolean> {
  const candidate = password.slice(0, PASSWORD_MAX_LENGTH + 1).normalize("NFKC");
  const isMatch = await runExclusive(ctx, () => Bun.password.verify(candidate, hash ?? DUMMY_HASH));
  return isMatch && hash !== null;
}

function runExclusive<T>(ctx: Context, work: () => Promise<T>): Promise<T> {
  const mutex = ctx.identity.passwordMutex;
  if (mutex.isFull)
    throw new AppError("limit.sign_in", "Too many concurrent attempts to sign in; try again later", { retryAfterS: 2 });
  return mutex.runExclusive(work);
}
