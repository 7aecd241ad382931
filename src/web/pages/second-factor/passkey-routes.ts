/** Requests of the scripts of sign-in pages, which use passkeys. */
import { AppError, invalid } from "../../../errors.ts";
import { clearFactorCookie, readFactorCookie, serializeFactorCookie } from "../../../lib/network/factor-cookies.ts";
import {
  completeWithPasskey,
  signInWithPasskey,
  startPasskeyFactor,
  startPasskeySignIn,
} from "../../../services/passkeys/authenticate.ts";
import { CHALLENGE_LIFETIME_MS } from "../../../services/passkeys/challenges.ts";
import { findRelyingParty, OBSTACLES, type RelyingParty } from "../../../services/passkeys/relying-party.ts";
import { Assertion } from "../../../wire/accounts/passkeys.ts";
import { isSecureContext, type PageContext } from "../../base/page-context.ts";
import type { PageRoutes } from "../../base/page-routes.ts";
import { errorPageStatus } from "../../base/error-page.tsx";
import { browserOf, safeRedirectPath, setSessionCookies } from "../sign-in/page.tsx";

export const passkeySignInRoutes: PageRoutes = (app) => {
  app.post("/sign-in/passkey/options", (c) => answerScript(c, startHere));
  app.post("/sign-in/passkey", (c) => answerScript(c, signInHere));
};

async function startHere(c: PageContext): Promise<Response> {
  const { ctx } = c.env.call;
  const { use } = await readJson(c);
  const party = requireParty(c);
  const pending = readFactorCookie(c.req.raw, "pending");
  const { options, cookie } = await (use === "factor"
    ? startPasskeyFactor(ctx, party, pending)
    : startPasskeySignIn(ctx, party));
  const attributes = { maxAgeS: CHALLENGE_LIFETIME_MS / 1000, secure: isSecureContext(c) };
  c.header("Set-Cookie", serializeFactorCookie("passkey", cookie, attributes), { append: true });
  return c.json(options);
}

async function signInHere(c: PageContext): Promise<Response> {
  const { ctx } = c.env.call;
  const { use, next, credential } = await readJson(c);
  const parsed = Assertion.safeParse(credential);
  if (!parsed.success) throw invalid("credential is not the answer of an authenticator");
  const answer = { party: requireParty(c), cookie: readFactorCookie(c.req.raw, "passkey"), response: parsed.data };
  const session = await (use === "factor"
    ? completeWithPasskey(ctx, { ...answer, pending: readFactorCookie(c.req.raw, "pending") }, browserOf(c))
    : signInWithPasskey(ctx, answer, browserOf(c)));
  setSessionCookies(c, session);
  for (const cookie of ["pending", "passkey"] as const) {
    c.header("Set-Cookie", clearFactorCookie(cookie), { append: true });
  }
  return c.json({ to: safeRedirectPath(typeof next === "string" ? next : "") });
}

/** Responds with the error in the form of the API. */
async function answerScript(c: PageContext, answer: (c: PageContext) => Promise<Response>): Promise<Response> {
  try {
    return await answer(c);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return c.json({ error: error.message, details: { code: error.reason } }, errorPageStatus(c, error));
  }
}

async function readJson(c: PageContext): Promise<Partial<Record<"use" | "next" | "credential", unknown>>> {
  const body: unknown = await c.req.json().catch(() => null);
  if (typeof body !== "object" || body === null) throw invalid("The body must be a JSON object");
  return body;
}

function requireParty(c: PageContext): RelyingParty {
  const { config, origin } = c.env.call;
  const party = findRelyingParty(config, c.req.header("origin") ?? origin);
  if ("obstacle" in party) throw new AppError("passkey.unavailable", OBSTACLES[party.obstacle]);
  return party;
}
