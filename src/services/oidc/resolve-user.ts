/** Which user of this installation an account at a provider is. */
import type { User } from "../../home/users.ts";
import { isEmail } from "../../lib/text/email.ts";
import { isFirstRun } from "../accounts/first-run.ts";
import { insertUser } from "../accounts/users.ts";
import type { Context } from "../context.ts";
import type { ProviderSettings } from "./provider-settings.ts";

/** An account at a provider, by verified claims. */
export interface ProviderAccount {
  readonly issuer: string;
  readonly subject: string;
  readonly email: string;
  readonly isEmailVerified: boolean;
  readonly name: string;
}

/** Why a sign-in is refused: for the log. The visitor gets the same page for all of them. */
export type RefusalReason =
  | "user_disabled"
  | "email_missing"
  | "email_characters"
  | "email_unverified"
  | "email_domain"
  | "user_unknown"
  | "user_is_administrator"
  | "user_is_service_account"
  | "other_subject"
  | "first_run";

export type Resolution =
  | { readonly user: User; readonly event: "known" | "connected" | "created" }
  | { readonly refusal: RefusalReason };

/**
 * Returns the user of an account at a provider: the one it is connected to, else, where the settings of the provider allow
 * it, the one with its verified email address, who is connected to it from now on, or a new one. For use in a transaction.
 */
export function resolveUser(ctx: Context, provider: ProviderSettings, account: ProviderAccount): Resolution {
  const { issuer, subject, email } = account;
  const known = ctx.home.identities.find(issuer, subject);
  if (known) {
    const user = ctx.home.users.byId(known.userId);
    if (!user || user.disabledAt !== null || user.kind !== "person") return { refusal: "user_disabled" };
    ctx.home.identities.touch(issuer, subject, provider.name);
    return { user, event: "known" };
  }
  // Else the link of the first run, which makes an administrator, would stop working.
  if (isFirstRun(ctx)) return { refusal: "first_run" };
  const refusal = emailRefusal(provider, account);
  if (refusal) return { refusal };
  const resolution = resolveByEmail(ctx, provider, account);
  if ("user" in resolution) {
    const { id } = resolution.user;
    ctx.home.identities.add({ issuer, subject, userId: id, provider: provider.name, email });
  }
  return resolution;
}

function resolveByEmail(
  ctx: Context,
  provider: ProviderSettings,
  { issuer, email, name }: ProviderAccount,
): Resolution {
  const user = ctx.home.users.byEmail(email);
  if (!user) {
    if (!provider.createUsers) return { refusal: "user_unknown" };
    return { user: insertUser(ctx, { email, name, hash: null }), event: "created" };
  }
  if (user.kind !== "person") return { refusal: "user_is_service_account" };
  if (user.disabledAt !== null) return { refusal: "user_disabled" };
  if (user.isAdmin) return { refusal: "user_is_administrator" };
  // The address may have been given to another person at the provider.
  if (ctx.home.identities.list(user.id).some((each) => each.issuer === issuer)) return { refusal: "other_subject" };
  ctx.home.invitations.remove(user.id);
  // An invited user has no name yet.
  return { user: user.name === "" ? insertUser(ctx, { email, name, hash: null }) : user, event: "connected" };
}

/** Printable ASCII: other characters may be equal to those of an account here once they are normalised. */
const PLAIN_EMAIL = /^[\x21-\x7e]+$/;

function emailRefusal(provider: ProviderSettings, { email, isEmailVerified }: ProviderAccount): RefusalReason | null {
  if (email === "") return "email_missing";
  if (!PLAIN_EMAIL.test(email) || !isEmail(email)) return "email_characters";
  if (!isEmailVerified && !provider.trustEmail) return "email_unverified";
  const domain = email.slice(email.lastIndexOf("@") + 1).toLowerCase();
  const isAllowed = provider.allowedDomains.some((allowed) => allowed === "*" || allowed === domain);
  return isAllowed ? null : "email_domain";
}
