import { z } from "../../wire/common/schema.ts";
import {
  createServiceAccount,
  deleteServiceAccount,
  getServiceAccount,
  listServiceAccounts,
  removeServiceAccountKey,
  renewServiceAccountKey,
  updateServiceAccount,
} from "../../services/accounts/service-accounts.ts";
import {
  NewServiceAccount,
  ServiceAccount,
  ServiceAccountChange,
  ServiceAccountParams,
  ServiceAccounts,
  ServiceAccountWithKey,
} from "../../wire/accounts/service-accounts.ts";
import { signedInAccess } from "../route-access.ts";
import { jsonResponse } from "../responses.ts";
import { jsonBody, route, type Route } from "../route.ts";

const tag = "service accounts";
const collectionPath = "/api/service-accounts";
const accountPath = `${collectionPath}/{accountId}`;

/** Routes of service accounts: accounts for programs, owned by a user. */
export const serviceAccountRoutes: readonly Route[] = [
  route(
    {
      method: "get",
      path: collectionPath,
      id: "listServiceAccounts",
      tag,
      summary: "List the caller's service accounts",
      access: signedInAccess,
      response: ServiceAccounts,
    },
    ({ ctx, grant }) => jsonResponse(listServiceAccounts(ctx, grant)),
  ),
  route(
    {
      method: "post",
      path: collectionPath,
      id: "createServiceAccount",
      tag,
      summary: "Create a service account with a key",
      about: "The key cannot be retrieved later. Service accounts cannot create service accounts (403).",
      access: signedInAccess,
      body: jsonBody(NewServiceAccount),
      idempotency: "ignored",
      response: ServiceAccountWithKey,
    },
    ({ ctx, grant, body }) => jsonResponse(createServiceAccount(ctx, grant, body)),
  ),
  route(
    {
      method: "get",
      path: accountPath,
      id: "getServiceAccount",
      tag,
      summary: "Get a service account",
      access: signedInAccess,
      params: ServiceAccountParams,
      response: ServiceAccount,
    },
    ({ ctx, grant, params }) => jsonResponse(getServiceAccount(ctx, grant, params.accountId)),
  ),
  route(
    {
      method: "patch",
      path: accountPath,
      id: "updateServiceAccount",
      tag,
      summary: "Change a service account",
      access: signedInAccess,
      params: ServiceAccountParams,
      body: jsonBody(ServiceAccountChange),
      response: z.null(),
    },
    ({ ctx, grant, params, body }) => {
      updateServiceAccount(ctx, grant, { id: params.accountId, ...body });
      return jsonResponse(null);
    },
  ),
  route(
    {
      method: "delete",
      path: accountPath,
      id: "deleteServiceAccount",
      tag,
      summary: "Delete a service account",
      about: "Also deletes its key, its roles and its personal site.",
      access: signedInAccess,
      params: ServiceAccountParams,
      idempotency: { answerOf: () => null },
      response: z.null(),
    },
    async ({ ctx, grant, params }) => {
      await deleteServiceAccount(ctx, grant, params.accountId);
      return jsonResponse(null);
    },
  ),
  route(
    {
      method: "post",
      path: `${accountPath}/apikey`,
      id: "renewServiceAccountKey",
      tag,
      summary: "Renew the key of a service account",
      about: "The previous key becomes invalid immediately.",
      access: signedInAccess,
      params: ServiceAccountParams,
      idempotency: "ignored",
      response: ServiceAccountWithKey,
    },
    ({ ctx, grant, params }) => jsonResponse(renewServiceAccountKey(ctx, grant, params.accountId)),
  ),
  route(
    {
      method: "delete",
      path: `${accountPath}/apikey`,
      id: "removeServiceAccountKey",
      tag,
      summary: "Delete the key of a service account",
      access: signedInAccess,
      params: ServiceAccountParams,
      response: z.null(),
    },
    ({ ctx, grant, params }) => {
      removeServiceAccountKey(ctx, grant, params.accountId);
      return jsonResponse(null);
    },
  ),
];
