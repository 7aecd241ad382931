import type { UserGrant } from "../../authorization.ts";
import { forbidden, notFound } from "../../errors.ts";
import type { ServiceAccount as Account } from "../../home/service-accounts.ts";
import { isoTime } from "../../lib/time/clock.ts";
import { newUuid } from "../../lib/ids.ts";
import type {
  NewServiceAccount,
  ServiceAccount,
  ServiceAccountChange,
  ServiceAccountWithKey,
} from "../../wire/accounts/service-accounts.ts";
import type { Context } from "../context.ts";
import { recordAudit } from "../audit/record-audit.ts";
import { limitsOfNewKey } from "../keys/requested-limits.ts";
import { deleteProfileKey, insertKey } from "./keys.ts";
import { deleteDocumentFiles } from "../documents/trash.ts";
import { removeUser } from "./users.ts";

/**
 * Creates an account that acts as a user of its own, with a personal site and a key, which is returned only here.
 * @throws AppError `forbidden` if the caller is a service account
 */
export function createServiceAccount(ctx: Context, grant: UserGrant, input: NewServiceAccount): ServiceAccountWithKey {
  const { home } = ctx;
  const { actor } = grant;
  if (actor.isService) throw forbidden("Service accounts cannot create service accounts");
  return home.transaction(() => {
    const user = home.users.add({ email: `${newUuid()}@${LOGIN_DOMAIN}`, name: "", kind: "service" });
    home.orgs.createPersonal(user.id);
    const { label = "", description = "", expiresAt } = input;
    const id = home.serviceAccounts.add({ userId: user.id, ownerId: actor.userId, label, description, expiresAt });
    recordAudit(ctx, { event: "service_account.created", actor, userId: user.id });
    return withNewKey(ctx, grant, requireOwnAccount(ctx, grant, id));
  });
}

/** A reserved top-level domain, so that mail to it cannot be delivered. */
const LOGIN_DOMAIN = "serviceaccounts.invalid";

/** Returns the caller's service accounts. */
export const listServiceAccounts = (ctx: Context, { actor }: UserGrant): ServiceAccount[] =>
  ctx.home.serviceAccounts.listOf(actor.userId).map((account) => toServiceAccount(ctx, account));

/**
 * Returns one of the caller's service accounts. Throws AppError `notFound`, and `forbidden` for the accounts of other
 * users.
 */
export const getServiceAccount = (ctx: Context, grant: UserGrant, id: number): ServiceAccount =>
  toServiceAccount(ctx, requireOwnAccount(ctx, grant, id));

/** Changes an account; ignores empty texts. Throws as `getServiceAccount` does. */
export function updateServiceAccount(
  ctx: Context,
  grant: UserGrant,
  { id, ...input }: { id: number } & ServiceAccountChange,
): void {
  ctx.home.transaction(() => {
    const account = requireOwnAccount(ctx, grant, id);
    ctx.home.serviceAccounts.change(account.id, {
      ...(input.label && { label: input.label }),
      ...(input.description && { description: input.description }),
      ...(input.expiresAt !== undefined && { expiresAt: input.expiresAt }),
    });
    const fields = Object.keys(input).toSorted();
    const { userId } = account;
    recordAudit(ctx, { event: "service_account.changed", actor: grant.actor, userId, details: { fields } });
  });
}

/** Deletes an account with its key, its roles and its personal site. Throws as `getServiceAccount` does. */
export async function deleteServiceAccount(ctx: Context, grant: UserGrant, id: number): Promise<void> {
  const documents = ctx.home.transaction(() => removeUser(ctx, requireOwnAccount(ctx, grant, id).userId, grant.actor));
  await deleteDocumentFiles(ctx, documents);
}

/** Replaces the key of an account. Throws as `getServiceAccount` does. */
export const renewServiceAccountKey = (ctx: Context, grant: UserGrant, id: number): ServiceAccountWithKey =>
  ctx.home.transaction(() => withNewKey(ctx, grant, requireOwnAccount(ctx, grant, id)));

/** Removes the key of an account. Idempotent. Throws as `getServiceAccount` does. */
export const removeServiceAccountKey = (ctx: Context, grant: UserGrant, id: number): void =>
  ctx.home.transaction(() => deleteProfileKey(ctx, requireOwnAccount(ctx, grant, id).userId, grant.actor));

function requireOwnAccount({ home }: Context, { actor }: UserGrant, id: number): Account {
  const account = home.serviceAccounts.byId(id);
  if (!account) throw notFound("Service account not found", "service_account.not_found");
  if (account.ownerId !== actor.userId) throw forbidden("The service account belongs to another user");
  return account;
}

/** The new key has the limits of the key that asks for it. */
function withNewKey(ctx: Context, { actor }: UserGrant, account: Account): ServiceAccountWithKey {
  const key = insertKey(ctx, account.userId, { force: true, ...limitsOfNewKey(ctx, actor, {}) }, actor);
  return { ...toServiceAccount(ctx, account), key };
}

const toServiceAccount = ({ home }: Context, account: Account): ServiceAccount => ({
  id: account.id,
  login: account.login,
  label: account.label,
  description: account.description,
  expiresAt: isoTime(account.expiresAt),
  hasValidKey: home.keys.profileKey(account.userId) !== null,
});
