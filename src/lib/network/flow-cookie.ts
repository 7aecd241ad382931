import { serialize } from "hono/utils/cookie";
import { readCookie } from "./read-cookie.ts";

/**
 * Cookies of single sign-on, HttpOnly and SameSite=Lax: the browser sends them when the provider redirects to this server.
 * One holds the encrypted state of a sign-in in progress, the other the name of the provider that signed the browser in.
 */

const FLOW_COOKIE = "quern_flow";
const FLOW_PATH = "/sign-in/oidc";
const PROVIDER_COOKIE = "quern_provider";
const PROVIDER_PATH = "/sign-out";

export const readFlowCookie = (request: Request): string | null => readCookie(request, FLOW_COOKIE);

/** Returns a Set-Cookie header. `secure` when the site is served over https. */
export const serializeFlowCookie = (value: string, { maxAgeS, secure }: { maxAgeS: number; secure: boolean }): string =>
  serialize(FLOW_COOKIE, value, { path: FLOW_PATH, httpOnly: true, sameSite: "Lax", maxAge: maxAgeS, secure });

export const clearFlowCookie = (): string =>
  serialize(FLOW_COOKIE, "", { path: FLOW_PATH, httpOnly: true, sameSite: "Lax", maxAge: 0 });

export const readProviderCookie = (request: Request): string | null => readCookie(request, PROVIDER_COOKIE);

export const serializeProviderCookie = (
  name: string,
  { maxAgeS, secure }: { maxAgeS: number; secure: boolean },
): string =>
  serialize(PROVIDER_COOKIE, name, { path: PROVIDER_PATH, httpOnly: true, sameSite: "Lax", maxAge: maxAgeS, secure });

export const clearProviderCookie = (): string =>
  serialize(PROVIDER_COOKIE, "", { path: PROVIDER_PATH, httpOnly: true, sameSite: "Lax", maxAge: 0 });
