import { actorId, type AccountActor, type UserActor, type UserGrant } from "../../authorization.ts";
import { invalid } from "../../errors.ts";
import type { User } from "../../home/users.ts";
import { must } from "../../lib/assert.ts";
import { recordAudit } from "../audit/record-audit.ts";
import type { Context } from "../context.ts";

/** A user's own profile. */
export interface Profile {
  readonly id: number;
  readonly email: string;
  readonly name: string;
  readonly picture: string | null;
  readonly ref: string;
  readonly locale?: string;
  readonly anonymous?: true;
  readonly isInstallAdmin?: true;
  /** For compatibility with clients. */
  readonly allowGoogleLogin: false;
}

/** Returns the caller's profile; anonymous callers have one as well. */
export const describeProfile = ({ home }: Context, actor: AccountActor): Profile =>
  toProfile(must(home.users.byId(actorId(actor)), "the caller"), actor.kind === "anonymous");

const toProfile = (user: User, isAnonymous: boolean): Profile => ({
  id: user.id,
  email: user.displayEmail,
  name: user.name,
  picture: user.picture,
  ref: user.ref,
  ...(user.locale !== null && { locale: user.locale }),
  ...(isAnonymous && { anonymous: true }),
  ...(user.isAdmin && { isInstallAdmin: true }),
  allowGoogleLogin: false,
});

/**
 * Changes the caller's name.
 * @throws AppError `invalid` for an empty name
 */
export function renameSelf(ctx: Context, { actor }: UserGrant, name: string): void {
  if (name.trim() === "") throw invalid("The name must not be empty");
  const { userId } = actor;
  ctx.home.transaction(() => {
    ctx.home.users.change(userId, { name });
    recordAudit(ctx, { event: "user.changed", actor, userId, details: { fields: ["name"] } });
  });
}

/** Returns the language tag that a user chose; null for the language of the browser. */
export const preferredLanguage = ({ home }: Context, { userId }: UserActor): string | null =>
  home.users.byId(userId)?.locale ?? null;

/** Sets the language and formats of pages for the caller; null restores the browser's. */
export const setLocale = ({ home }: Context, { actor }: UserGrant, locale: string | null): void =>
  home.transaction(() => home.users.change(actor.userId, { locale: locale === "" ? null : locale }));
