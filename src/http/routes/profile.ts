import {
  createKey,
  createLabelledKey,
  describeKeys,
  profileKey,
  removeProfileKey,
  revokeKey,
} from "../../services/accounts/keys.ts";
import { describeProfile, renameSelf, setLocale } from "../../services/accounts/profile.ts";
import {
  KeyCreation,
  KeyParams,
  KeyRemoved,
  LabelledKeyCreation,
  ListedKeys,
  LocaleChange,
  NameChange,
  NewLabelledKey,
  Profile,
} from "../../wire/accounts/profile.ts";
import { anyoneAccess, signedInAccess } from "../route-access.ts";
import { jsonResponse, textResponse } from "../responses.ts";
import { jsonBody, route, type Route } from "../route.ts";

const tag = "profile";
const path = "/api/profile";
const ok = { type: "text/plain", about: "OK" };

/** The caller's own profile and API key. */
export const profileRoutes: readonly Route[] = [
  route(
    {
      method: "get",
      path: `${path}/user`,
      id: "getProfile",
      tag,
      summary: "Who am I",
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
      summary: "Change my name",
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
      summary: "Change my language and formats",
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
      summary: "See my API key, masked",
      about: "The first 6 characters and 34 stars: keys are not kept in clear. Empty when there is none.",
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
      summary: "Make an API key",
      about: "The answer is the only time it can be seen. Where there is one, `force` replaces it.",
      access: signedInAccess,
      body: jsonBody(KeyCreation),
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
      summary: "Remove my API key",
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
      path: `${path}/keys`,
      id: "listApiKeys",
      tag,
      summary: "List my API keys",
      about: "Those with labels, and the one without. Keys themselves are not kept in clear.",
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
      summary: "Make one more API key, with a label",
      about: "The answer is the only time it can be seen. Other keys stay as they are.",
      access: signedInAccess,
      body: jsonBody(LabelledKeyCreation),
      response: NewLabelledKey,
    },
    ({ ctx, grant, body }) => jsonResponse(createLabelledKey(ctx, grant, body)),
  ),
  route(
    {
      method: "delete",
      path: `${path}/keys/{keyId}`,
      id: "deleteLabelledKey",
      tag,
      summary: "Remove one of my API keys",
      about: "It is refused from now on.",
      access: signedInAccess,
      params: KeyParams,
      response: KeyRemoved,
    },
    ({ ctx, grant, params }) => {
      revokeKey(ctx, grant, { id: params.keyId });
      return jsonResponse({ success: true });
    },
  ),
];
