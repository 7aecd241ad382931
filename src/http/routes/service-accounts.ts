import { z } from "@hono/zod-openapi";
import {
  createServiceAccount,
  deleteServiceAccount,
  getServiceAccount,
  listServiceAccounts,
  removeServiceAccountKey,
  renewServiceAccountKey,
  updateServiceAccount,
} from "../../services/service-accounts.ts";
import {
  NewServiceAccount,
  ServiceAccount,
  ServiceAccountChange,
  ServiceAccountParams,
  ServiceAccounts,
  ServiceAccountWithKey,
} from "../../wire/service-accounts.ts";
import { signedIn } from "../access.ts";
import { json } from "../answers.ts";
import { jsonBody, route, type Route } from "../route.ts";

const tag = "service accounts";
const all = "/api/service-accounts";
const one = `${all}/{accountId}`;

/** Accounts for programs: users of their own, made and looked after by a person. */
export const serviceAccountRoutes: readonly Route[] = [
  route(
    {
      method: "get",
      path: all,
      id: "listServiceAccounts",
      tag,
      summary: "List my service accounts",
      access: signedIn,
      answer: ServiceAccounts,
    },
    ({ ctx, grant }) => json(listServiceAccounts(ctx, grant)),
  ),
  route(
    {
      method: "post",
      path: all,
      id: "createServiceAccount",
      tag,
      summary: "Make a service account with a key",
      about: "The answer is the only time the key can be seen. Service accounts make no further ones (403).",
      access: signedIn,
      body: jsonBody(NewServiceAccount),
      answer: ServiceAccountWithKey,
    },
    ({ ctx, grant, body }) => json(createServiceAccount(ctx, grant, body)),
  ),
  route(
    {
      method: "get",
      path: one,
      id: "getServiceAccount",
      tag,
      summary: "Describe one of my service accounts",
      access: signedIn,
      params: ServiceAccountParams,
      answer: ServiceAccount,
    },
    ({ ctx, grant, params }) => json(getServiceAccount(ctx, grant, params.accountId)),
  ),
  route(
    {
      method: "patch",
      path: one,
      id: "updateServiceAccount",
      tag,
      summary: "Change one of my service accounts",
      access: signedIn,
      params: ServiceAccountParams,
      body: jsonBody(ServiceAccountChange),
      answer: z.null(),
    },
    ({ ctx, grant, params, body }) => {
      updateServiceAccount(ctx, grant, { id: params.accountId, ...body });
      return json(null);
    },
  ),
  route(
    {
      method: "delete",
      path: one,
      id: "deleteServiceAccount",
      tag,
      summary: "Delete one of my service accounts",
      about: "With its key, its roles and its personal site.",
      access: signedIn,
      params: ServiceAccountParams,
      answer: z.null(),
    },
    async ({ ctx, grant, params }) => {
      await deleteServiceAccount(ctx, grant, params.accountId);
      return json(null);
    },
  ),
  route(
    {
      method: "post",
      path: `${one}/apikey`,
      id: "renewServiceAccountKey",
      tag,
      summary: "Give a service account a new key",
      about: "The one it had is refused from then on.",
      access: signedIn,
      params: ServiceAccountParams,
      answer: ServiceAccountWithKey,
    },
    ({ ctx, grant, params }) => json(renewServiceAccountKey(ctx, grant, params.accountId)),
  ),
  route(
    {
      method: "delete",
      path: `${one}/apikey`,
      id: "removeServiceAccountKey",
      tag,
      summary: "Remove a service account's key",
      access: signedIn,
      params: ServiceAccountParams,
      answer: z.null(),
    },
    ({ ctx, grant, params }) => {
      removeServiceAccountKey(ctx, grant, params.accountId);
      return json(null);
    },
  ),
];
