import { readFactorCookie, clearFactorCookie, serializeFactorCookie } from "../../lib/network/factor-cookies.ts";
import { isSameOrigin } from "../../lib/network/same-origin.ts";
import { readSessionCookie } from "../../lib/network/session-cookie.ts";
import { AppError } from "../../errors.ts";
import { CHALLENGE_LIFETIME_MS } from "../../services/passkeys/challenges.ts";
import {
  addPasskey,
  listPasskeys,
  removePasskey,
  renamePasskey,
  startPasskey,
} from "../../services/passkeys/passkeys.ts";
import { findRelyingParty, OBSTACLES, type RelyingParty } from "../../services/passkeys/relying-party.ts";
import { CONFIRMATION_LIFETIME_MS, confirmUser } from "../../services/second-factor/confirmation.ts";
import {
  beginAuthenticator,
  confirmAuthenticator,
  describeFactors,
  ENROLMENT_LIFETIME_MS,
  removeAuthenticator,
  replaceRecoveryCodes,
  resetFactors,
} from "../../services/second-factor/factors.ts";
import {
  CreationOptions,
  ListedPasskeys,
  NewPasskey,
  PasskeyAdded,
  PasskeyName,
  PasskeyParams,
} from "../../wire/accounts/passkeys.ts";
import {
  AuthenticatorCode,
  Confirmation,
  FactorChanged,
  NewAuthenticator,
  RecoveryCodes,
  SecondFactorState,
} from "../../wire/accounts/second-factor.ts";
import { UserParams } from "../../wire/accounts/users.ts";
import type { Call } from "../call.ts";
import { jsonResponse } from "../responses.ts";
import { sessionAccess } from "../route-access.ts";
import { jsonBody, route, type Route } from "../route.ts";

const tag = "profile";
const path = "/api/profile/second-factor";
const passkeysPath = "/api/profile/passkeys";

const NEEDS_CONFIRMATION =
  "Requires a sign-in or a confirmation within the last 10 minutes; otherwise 403 with the code `second_factor.confirm`.";

/** Routes of the caller's second factors and passkeys. */
export const secondFactorRoutes: readonly Route[] = [
  route(
    {
      method: "get",
      path,
      id: "getSecondFactor",
      tag,
      summary: "Get the caller's second factors",
      access: sessionAccess,
      response: SecondFactorState,
    },
    ({ call, ctx, grant }) => jsonResponse(describeFactors(ctx, grant, cookiesOf(call))),
  ),
  route(
    {
      method: "post",
      path: `${path}/confirm`,
      id: "confirmUser",
      tag,
      summary: "Confirm who the caller is",
      about:
        "By their password or a code, before their factors are changed. The response sets a cookie that is valid for 10 minutes, in this session.",
      access: sessionAccess,
      body: jsonBody(Confirmation),
      idempotency: "ignored",
      response: FactorChanged,
      further: { 429: "Too many wrong passwords or codes." },
    },
    async ({ call, ctx, grant, body }) => {
      const confirmed = await confirmUser(ctx, grant, { ...body, session: readSessionCookie(call.request) });
      const response = jsonResponse({ success: true });
      response.headers.append("Set-Cookie", cookie(call, "confirmed", confirmed, CONFIRMATION_LIFETIME_MS));
      return response;
    },
  ),
  route(
    {
      method: "post",
      path: `${path}/authenticator`,
      id: "beginAuthenticator",
      tag,
      summary: "Begin to add an authenticator app",
      about: `Returns a secret, which is valid once \`confirmAuthenticator\` has received a code; a cookie keeps it until then. ${NEEDS_CONFIRMATION}`,
      access: sessionAccess,
      idempotency: "ignored",
      response: NewAuthenticator,
    },
    async ({ call, ctx, grant }) => {
      const { enrolment, secret, uri } = await beginAuthenticator(ctx, grant, cookiesOf(call));
      const response = jsonResponse({ secret, uri });
      response.headers.append("Set-Cookie", cookie(call, "enrolment", enrolment, ENROLMENT_LIFETIME_MS));
      return response;
    },
  ),
  route(
    {
      method: "post",
      path: `${path}/authenticator/confirm`,
      id: "confirmAuthenticator",
      tag,
      summary: "Add the authenticator app",
      about: `With a code that it shows. Returns recovery codes if the caller has had none. ${NEEDS_CONFIRMATION}`,
      access: sessionAccess,
      body: jsonBody(AuthenticatorCode),
      idempotency: "ignored",
      response: RecoveryCodes,
    },
    async ({ call, ctx, grant, body }) => {
      const enrolment = readFactorCookie(call.request, "enrolment");
      const recoveryCodes = await confirmAuthenticator(ctx, grant, { ...body, enrolment, cookies: cookiesOf(call) });
      const response = jsonResponse({ recoveryCodes });
      response.headers.append("Set-Cookie", clearFactorCookie("enrolment"));
      return response;
    },
  ),
  route(
    {
      method: "delete",
      path: `${path}/authenticator`,
      id: "removeAuthenticator",
      tag,
      summary: "Remove the authenticator app",
      about: NEEDS_CONFIRMATION,
      access: sessionAccess,
      idempotency: "ignored",
      response: FactorChanged,
      further: { 404: "The caller has no authenticator app." },
    },
    ({ call, ctx, grant }) => {
      removeAuthenticator(ctx, grant, cookiesOf(call));
      return jsonResponse({ success: true });
    },
  ),
  route(
    {
      method: "post",
      path: `${path}/recovery-codes`,
      id: "replaceRecoveryCodes",
      tag,
      summary: "Replace the recovery codes",
      about: `Earlier ones become invalid. ${NEEDS_CONFIRMATION}`,
      access: sessionAccess,
      idempotency: "ignored",
      response: RecoveryCodes,
    },
    ({ call, ctx, grant }) => jsonResponse({ recoveryCodes: replaceRecoveryCodes(ctx, grant, cookiesOf(call)) }),
  ),
  route(
    {
      method: "get",
      path: passkeysPath,
      id: "listPasskeys",
      tag,
      summary: "List the caller's passkeys",
      access: sessionAccess,
      response: ListedPasskeys,
    },
    ({ call, ctx, grant }) => {
      const party = findRelyingParty(call.config, pageOrigin(call));
      const unavailable = "obstacle" in party ? party.obstacle : null;
      return jsonResponse({ passkeys: listPasskeys(ctx, grant), unavailable });
    },
  ),
  route(
    {
      method: "post",
      path: `${passkeysPath}/options`,
      id: "startPasskey",
      tag,
      summary: "Begin to add a passkey",
      about: `Returns the options for \`navigator.credentials.create\`; a cookie keeps their challenge for 5 minutes. ${NEEDS_CONFIRMATION}`,
      access: sessionAccess,
      idempotency: "ignored",
      response: CreationOptions,
    },
    async ({ call, ctx, grant }) => {
      const started = await startPasskey(ctx, grant, { party: requireParty(call), cookies: cookiesOf(call) });
      const response = jsonResponse(started.options);
      response.headers.append("Set-Cookie", cookie(call, "passkey", started.cookie, CHALLENGE_LIFETIME_MS));
      return response;
    },
  ),
  route(
    {
      method: "post",
      path: passkeysPath,
      id: "addPasskey",
      tag,
      summary: "Add a passkey",
      about: `Returns recovery codes if the caller has had none. ${NEEDS_CONFIRMATION}`,
      access: sessionAccess,
      body: jsonBody(NewPasskey),
      idempotency: "ignored",
      response: PasskeyAdded,
    },
    async ({ call, ctx, grant, body }) => {
      const added = await addPasskey(ctx, grant, {
        party: requireParty(call),
        cookies: cookiesOf(call),
        cookie: readFactorCookie(call.request, "passkey"),
        name: body.name,
        response: body.credential,
      });
      const response = jsonResponse(added);
      response.headers.append("Set-Cookie", clearFactorCookie("passkey"));
      return response;
    },
  ),
  route(
    {
      method: "patch",
      path: `${passkeysPath}/{passkeyId}`,
      id: "renamePasskey",
      tag,
      summary: "Rename a passkey",
      about: NEEDS_CONFIRMATION,
      access: sessionAccess,
      params: PasskeyParams,
      body: jsonBody(PasskeyName),
      idempotency: "ignored",
      response: FactorChanged,
      further: { 404: "The caller has no such passkey." },
    },
    ({ call, ctx, grant, params, body }) => {
      renamePasskey(ctx, grant, { id: params.passkeyId, name: body.name, cookies: cookiesOf(call) });
      return jsonResponse({ success: true });
    },
  ),
  route(
    {
      method: "delete",
      path: `${passkeysPath}/{passkeyId}`,
      id: "removePasskey",
      tag,
      summary: "Remove a passkey",
      about: NEEDS_CONFIRMATION,
      access: sessionAccess,
      params: PasskeyParams,
      idempotency: "ignored",
      response: FactorChanged,
      further: { 404: "The caller has no such passkey." },
    },
    ({ call, ctx, grant, params }) => {
      removePasskey(ctx, grant, { id: params.passkeyId, cookies: cookiesOf(call) });
      return jsonResponse({ success: true });
    },
  ),
  route(
    {
      method: "post",
      path: "/api/users/{userId}/reset-second-factor",
      id: "resetSecondFactor",
      tag: "users",
      summary: "Remove the second factors of a user",
      about:
        "Removes the authenticator app, the recovery codes and the passkeys. Sessions continue. Requires an administrator of the installation.",
      access: sessionAccess,
      params: UserParams,
      idempotency: "ignored",
      response: FactorChanged,
    },
    ({ ctx, grant, params }) => {
      resetFactors(ctx, grant, params.userId);
      return jsonResponse({ success: true });
    },
  ),
];

const cookiesOf = ({ request }: Call) => ({
  session: readSessionCookie(request),
  confirmed: readFactorCookie(request, "confirmed"),
});

/** The origin of the page that sends the request. */
export function pageOrigin(call: Call): string {
  const origin = call.request.headers.get("origin");
  return origin !== null && isSameOrigin(origin, call) ? origin : call.origin;
}

function requireParty(call: Call): RelyingParty {
  const party = findRelyingParty(call.config, pageOrigin(call));
  if ("obstacle" in party) throw new AppError("passkey.unavailable", OBSTACLES[party.obstacle]);
  return party;
}

const cookie = (
  call: Call,
  name: Parameters<typeof serializeFactorCookie>[0],
  value: string,
  lifetimeMs: number,
): string =>
  serializeFactorCookie(name, value, { maxAgeS: lifetimeMs / 1000, secure: pageOrigin(call).startsWith("https:") });
