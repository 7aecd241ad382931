/** The accounts at providers that a user signs in with. */
import type { UserGrant } from "../../authorization.ts";
import { AppError, notFound } from "../../errors.ts";
import type { Identity } from "../../home/identity/identities.ts";
import { sha256Hex } from "../../lib/ids.ts";
import { recordAudit } from "../audit/record-audit.ts";
import type { Context } from "../context.ts";

/** A connected account, as its user sees it. */
export interface ListedIdentity {
  readonly id: string;
  /** The name of the provider as people read it. */
  readonly label: string;
  readonly email: string;
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
}

/** Lists the caller's accounts at providers. */
export const listIdentities = ({ home, oidc }: Context, { actor }: UserGrant): ListedIdentity[] =>
  home.identities.list(actor.userId).map((identity) => ({
    id: idOf(identity),
    label: oidc.buttons.find(({ name }) => name === identity.provider)?.label ?? identity.provider,
    email: identity.email,
    createdAt: identity.createdAt,
    lastUsedAt: identity.lastUsedAt,
  }));

/**
 * Disconnects an account from the caller, who could no longer sign in without it if it is the last way to do so.
 * @throws AppError `notFound`; `conflict` for the last way to sign in
 */
export function disconnectIdentity(ctx: Context, { actor }: UserGrant, id: string): void {
  const { home } = ctx;
  const removed = home.transaction(() => {
    const all = home.identities.list(actor.userId);
    const identity = all.find((each) => idOf(each) === id);
    if (!identity) throw notFound("The account is not connected", "identity.not_found");
    const others = all.filter((each) => each !== identity && isConfigured(ctx, each));
    if (others.length === 0 && !hasOtherMethod(ctx, actor.userId)) {
      throw new AppError("identity.last", "This is your last way to sign in: add another one first");
    }
    home.identities.remove(identity.issuer, identity.subject);
    const details = { provider: identity.provider };
    recordAudit(ctx, { event: "identity.disconnected", actor, userId: actor.userId, details });
    return identity;
  });
  ctx.log.info("oidc.identity_disconnected", { provider: removed.provider, user: actor.userId });
}

/** Subjects are not shown: some providers use confidential ones. */
const idOf = ({ issuer, subject }: Identity): string => sha256Hex(`${issuer}\n${subject}`).slice(0, 16);

const isConfigured = ({ oidc }: Context, { provider }: Identity): boolean =>
  oidc.buttons.some(({ name }) => name === provider);

const hasOtherMethod = ({ home, identity }: Context, userId: number): boolean =>
  home.identities.hasPasskey(userId) || (identity.acceptsPasswords && home.passwords.get(userId) !== null);
