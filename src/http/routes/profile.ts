import {
  createKey,
  createLabelledKey,
  describeKeys,
  profileKey,
  removeProfileKey,
  revokeKey,
} from "../../services/keys.ts";
import { describeProfile, renameSelf, setLocale } from "../../services/profile.ts";
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
} from "../../wire/profile.ts";
import { anyone, signedIn } from "../access.ts";
import { json, text } from "../answers.ts";
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
      access: anyone,
      answer: Profile,
    },
    ({ ctx, grant }) => json(describeProfile(ctx, grant.actor)),
  ),
  route(
    {
      method: "post",
      path: `${path}/user/name`,
      id: "renameSelf",
      tag,
      summary: "Change my name",
      access: signedIn,
      body: jsonBody(NameChange),
      answer: ok,
    },
    ({ ctx, grant, body }) => {
      renameSelf(ctx, grant, body.name);
      return text("OK");
    },
  ),
  route(
    {
      method: "post",
      path: `${path}/user/locale`,
      id: "setLocale",
      tag,
      summary: "Change my language and formats",
      access: signedIn,
      body: jsonBody(LocaleChange),
      answer: ok,
    },
    ({ ctx, grant, body }) => {
      setLocale(ctx, grant, body.locale ?? null);
      return text("OK");
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
      access: anyone,
      answer: { type: "text/plain", about: "The masked key." },
    },
    ({ ctx, grant }) => text(profileKey(ctx, grant.actor)),
  ),
  route(
    {
      method: "post",
      path: `${path}/apikey`,
      id: "createApiKey",
      tag,
      summary: "Make an API key",
      about: "The answer is the only time it can be seen. Where there is one, `force` replaces it.",
      access: signedIn,
      body: jsonBody(KeyCreation),
      answer: { type: "text/plain", about: "The key." },
    },
    ({ ctx, grant, body }) => text(createKey(ctx, grant, { force: body.force ?? false })),
  ),
  route(
    {
      method: "delete",
      path: `${path}/apikey`,
      id: "deleteApiKey",
      tag,
      summary: "Remove my API key",
      access: signedIn,
      answer: ok,
    },
    ({ ctx, grant }) => {
      removeProfileKey(ctx, grant);
      return text("OK");
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
      access: signedIn,
      answer: ListedKeys,
    },
    ({ ctx, grant }) => json(describeKeys(ctx, grant)),
  ),
  route(
    {
      method: "post",
      path: `${path}/keys`,
      id: "createLabelledKey",
      tag,
      summary: "Make one more API key, with a label",
      about: "The answer is the only time it can be seen. Other keys stay as they are.",
      access: signedIn,
      body: jsonBody(LabelledKeyCreation),
      answer: NewLabelledKey,
    },
    ({ ctx, grant, body }) => json(createLabelledKey(ctx, grant, body)),
  ),
  route(
    {
      method: "delete",
      path: `${path}/keys/{keyId}`,
      id: "deleteLabelledKey",
      tag,
      summary: "Remove one of my API keys",
      about: "It is refused from now on.",
      access: signedIn,
      params: KeyParams,
      answer: KeyRemoved,
    },
    ({ ctx, grant, params }) => {
      revokeKey(ctx, grant, { id: params.keyId });
      return json({ success: true });
    },
  ),
];
