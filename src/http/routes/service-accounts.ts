import { z } from "@hono/zod-openapi";
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

/** Accounts for programs: users of their own, made and looked after by a person. */
export const serviceAccountRoutes: readonly Route[] = [
  route(
    {
      method: "get",
      path: collectionPath,
      id: "listServiceAccounts",
      tag,
      summary: "List my service accounts",
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
      summary: "Make a service account with a key",
      about: "The answer is the only time the key can be seen. Service accounts make no further ones (403).",
      access: signedInAccess,
      body: jsonBody(NewServiceAccount),
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
      summary: "Describe one of my service accounts",
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
      summary: "Change one of my service accounts",
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
      summary: "Delete one of my service accounts",
      about: "With its key, its roles and its personal site.",
      access: signedInAccess,
      params: ServiceAccountParams,
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
      summary: "Give a service account a new key",
      about: "The one it had is refused from then on.",
      access: signedInAccess,
      params: ServiceAccountParams,
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
      summary: "Remove a service account's key",
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
