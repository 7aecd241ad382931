import {
  createKey,
  createLabelledKey,
  describeKeys,
  describeOwnKey,
  profileKey,
  removeProfileKey,
  revokeKey,
} from "../../services/accounts/keys.ts";
import { describeProfile, renameSelf, setLocale } from "../../services/accounts/profile.ts";
import { KeyCreation, LocaleChange, NameChange, Profile } from "../../wire/accounts/profile.ts";
import {
  KeyParams,
  KeyRemoved,
  LabelledKeyCreation,
  ListedKeys,
  NewLabelledKey,
  OwnKey,
} from "../../wire/accounts/keys.ts";
import { readSessionCookie } from "../../lib/network/session-cookie.ts";
import { endOtherSessions, endSession, listSessions } from "../../services/accounts/sessions.ts";
import { ListedSessions, SessionParams, SessionsEnded } from "../../wire/accounts/sessions.ts";
import { anyoneAccess, sessionAccess, signedInAccess } from "../route-access.ts";
import { jsonResponse, textResponse } from "../responses.ts";
import { jsonBody, route, type Route } from "../route.ts";

const tag = "profile";
const path = "/api/profile";
const ok = { type: "text/plain", about: "OK" };

/** Routes of the caller's profile and API keys. */
export const profileRoutes: readonly Route[] = [
  route(
    {
      method: "get",
      path: `${path}/user`,
      id: "getProfile",
      tag,
      summary: "Get the caller's profile",
      access: anyoneAccess,
      response: Profile,
    },
    ({ ctx, grant }) => jsonResponse(describeProfile(ctx, grant.actor)),
  ),
  route(
    {
      method: "post",
      path: `${path}/user/name`,
      id: "renameSelf",
      tag,
      summary: "Change the caller's name",
      access: signedInAccess,
      body: jsonBody(NameChange),
      response: ok,
    },
    ({ ctx, grant, body }) => {
      renameSelf(ctx, grant, body.name);
      return textResponse("OK");
    },
  ),
  route(
    {
      method: "post",
      path: `${path}/user/locale`,
      id: "setLocale",
      tag,
      summary: "Change the caller's language and formats",
      access: signedInAccess,
      body: jsonBody(LocaleChange),
      response: ok,
    },
    ({ ctx, grant, body }) => {
      setLocale(ctx, grant, body.locale ?? null);
      return textResponse("OK");
    },
  ),
  route(
    {
      method: "get",
      path: `${path}/apikey`,
      id: "getApiKey",
      tag,
      summary: "Get the caller's API key, masked",
      about: "The first 6 characters and 34 asterisks; the server stores only a hash. Empty if the caller has no key.",
      access: anyoneAccess,
      response: { type: "text/plain", about: "The masked key." },
    },
    ({ ctx, grant }) => textResponse(profileKey(ctx, grant.actor)),
  ),
  route(
    {
      method: "post",
      path: `${path}/apikey`,
      id: "createApiKey",
      tag,
      summary: "Create an API key",
      about: "The key cannot be retrieved later. If the caller has a key, `force` is required and replaces it.",
      access: signedInAccess,
      body: jsonBody(KeyCreation),
      idempotency: "ignored",
      response: { type: "text/plain", about: "The key." },
    },
    ({ ctx, grant, body }) => textResponse(createKey(ctx, grant, { force: body.force ?? false })),
  ),
  route(
    {
      method: "delete",
      path: `${path}/apikey`,
      id: "deleteApiKey",
      tag,
      summary: "Delete the caller's API key",
      access: signedInAccess,
      response: ok,
    },
    ({ ctx, grant }) => {
      removeProfileKey(ctx, grant);
      return textResponse("OK");
    },
  ),
  route(
    {
      method: "get",
      path: `${path}/key`,
      id: "describeOwnKey",
      tag,
      summary: "Describe the API key of the request",
      about: "Tells a program what it may do. Needs no scope.",
      access: signedInAccess,
      response: OwnKey,
    },
    ({ grant }) => jsonResponse(describeOwnKey(grant)),
  ),
  route(
    {
      method: "get",
      path: `${path}/keys`,
      id: "listApiKeys",
      tag,
      summary: "List the caller's API keys",
      about: "Includes labelled keys and the one without a label, but not the secrets: the server stores only hashes.",
      access: signedInAccess,
      response: ListedKeys,
    },
    ({ ctx, grant }) => jsonResponse(describeKeys(ctx, grant)),
  ),
  route(
    {
      method: "post",
      path: `${path}/keys`,
      id: "createLabelledKey",
      tag,
      summary: "Create a labelled API key",
      about:
        "The key cannot be retrieved later. Other keys stay valid. Without `scopes`, `restrictions`, `networks` and " +
        "`expiresAt` it can do everything that its user may do. A limited key that creates keys needs the scope " +
        "`admin`, and creates only keys with the same or narrower limits: what is left out is as for itself. The " +
        "sites, workspaces and documents of the restrictions must exist, and the caller must have access to them.",
      access: signedInAccess,
      body: jsonBody(LabelledKeyCreation),
      idempotency: "ignored",
      response: NewLabelledKey,
      further: { 404: "A site, workspace or document of the restrictions does not exist." },
    },
    ({ ctx, grant, body }) => jsonResponse(createLabelledKey(ctx, grant, body)),
  ),
  route(
    {
      method: "delete",
      path: `${path}/keys/{keyId}`,
      id: "deleteLabelledKey",
      tag,
      summary: "Delete one of the caller's API keys",
      about: "The key becomes invalid immediately.",
      access: signedInAccess,
      params: KeyParams,
      response: KeyRemoved,
    },
    ({ ctx, grant, params }) => {
      revokeKey(ctx, grant, { id: params.keyId });
      return jsonResponse({ success: true });
    },
  ),
  route(
    {
      method: "get",
      path: `${path}/sessions`,
      id: "listSessions",
      tag,
      summary: "List the caller's sessions",
      about: "The current one first.",
      access: sessionAccess,
      response: ListedSessions,
    },
    async ({ call, ctx, grant }) => jsonResponse(await listSessions(ctx, grant, readSessionCookie(call.request))),
  ),
  route(
    {
      method: "delete",
      path: `${path}/sessions/{sessionId}`,
      id: "endSession",
      tag,
      summary: "End one of the caller's sessions",
      about: "The session becomes invalid immediately.",
      access: sessionAccess,
      params: SessionParams,
      idempotency: "ignored",
      response: SessionsEnded,
    },
    ({ ctx, grant, params }) => {
      endSession(ctx, grant, params.sessionId);
      return jsonResponse({ success: true });
    },
  ),
  route(
    {
      method: "delete",
      path: `${path}/sessions`,
      id: "endOtherSessions",
      tag,
      summary: "End all other sessions of the caller",
      about: "All but the session of the request.",
      access: sessionAccess,
      idempotency: "ignored",
      response: SessionsEnded,
    },
    ({ call, ctx, grant }) => {
      endOtherSessions(ctx, grant, readSessionCookie(call.request));
      return jsonResponse({ success: true });
    },
  ),
];
