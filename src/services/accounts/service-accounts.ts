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
import { deleteProfileKey, insertKey } from "./keys.ts";
import { deleteDocumentFiles } from "../documents/trash.ts";
import { removeUser } from "./users.ts";

/**
 * Makes an account that acts as a user of its own, with a personal site and a key, which is shown here only.
 * @throws AppError `forbidden` when a service account asks
 */
export function createServiceAccount(ctx: Context, grant: UserGrant, input: NewServiceAccount): ServiceAccountWithKey {
  const { home } = ctx;
  const { actor } = grant;
  if (actor.isService) throw forbidden("A service account makes no further ones");
  return home.transaction(() => {
    const user = home.users.add({ email: `${newUuid()}@${LOGIN_DOMAIN}`, name: "", kind: "service" });
    home.orgs.createPersonal(user.id);
    const { label = "", description = "", expiresAt } = input;
    const id = home.serviceAccounts.add({ userId: user.id, ownerId: actor.userId, label, description, expiresAt });
    return withNewKey(ctx, requireOwnAccount(ctx, grant, id));
  });
}

/** A top-level domain that never exists, so that no mail can go there. */
const LOGIN_DOMAIN = "serviceaccounts.invalid";

/** The accounts the caller made. */
export const listServiceAccounts = (ctx: Context, { actor }: UserGrant): ServiceAccount[] =>
  ctx.home.serviceAccounts.listOf(actor.userId).map((account) => toServiceAccount(ctx, account));

/** One of the accounts the caller made. Throws AppError `notFound`, and `forbidden` for somebody else's. */
export const getServiceAccount = (ctx: Context, grant: UserGrant, id: number): ServiceAccount =>
  toServiceAccount(ctx, requireOwnAccount(ctx, grant, id));

/** Changes an account; empty texts are passed over. Throws as `getServiceAccount` does. */
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
  });
}

/** Removes an account with its key, its roles and its personal site. Throws as `getServiceAccount` does. */
export async function deleteServiceAccount(ctx: Context, grant: UserGrant, id: number): Promise<void> {
  const documents = ctx.home.transaction(() => removeUser(ctx, requireOwnAccount(ctx, grant, id).userId));
  await deleteDocumentFiles(ctx, documents);
}

/** Gives an account a new key in place of the one it has. Throws as `getServiceAccount` does. */
export const renewServiceAccountKey = (ctx: Context, grant: UserGrant, id: number): ServiceAccountWithKey =>
  ctx.home.transaction(() => withNewKey(ctx, requireOwnAccount(ctx, grant, id)));

/** Removes an account's key; fine when it has none. Throws as `getServiceAccount` does. */
export const removeServiceAccountKey = (ctx: Context, grant: UserGrant, id: number): void =>
  ctx.home.transaction(() => deleteProfileKey(ctx.home, requireOwnAccount(ctx, grant, id).userId));

function requireOwnAccount({ home }: Context, { actor }: UserGrant, id: number): Account {
  const account = home.serviceAccounts.byId(id);
  if (!account) throw notFound("There is no such service account", "service_account.not_found");
  if (account.ownerId !== actor.userId) throw forbidden("The service account is somebody else's");
  return account;
}

function withNewKey(ctx: Context, account: Account): ServiceAccountWithKey {
  const key = insertKey(ctx, account.userId, { force: true });
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
