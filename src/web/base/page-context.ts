import type { Context as HonoContext } from "hono";
import type { Actor, UserActor } from "../../authorization.ts";
import type { Config } from "../../config.ts";
import { invalid } from "../../errors.ts";
import { isSameOrigin } from "../../lib/network/same-origin.ts";
import { actorFromBrowser } from "../../services/accounts/actors.ts";
import type { Context } from "../../services/context.ts";
import type { SiteScope } from "../../services/access/guards.ts";
import type { PageLanguage } from "../texts/languages.ts";

/** The context of a page request. */
export interface PageCall {
  readonly request: Request;
  /** Written to the log. */
  readonly requestId: string;
  readonly path: string;
  /** The site that the URL addresses. */
  readonly scope: SiteScope;
  /** `scheme://host` of the request URL. */
  readonly origin: string;
  /** The client's address. */
  readonly address: string;
  /** The email address asserted by a trusted reverse proxy. */
  readonly proxyUser: string | null;
  readonly ctx: Context;
  readonly config: Config;
  /** For the log; set by `visitor`. */
  actor: Actor;
  /** For the log and metrics. */
  readonly accounting: {
    template?: string;
    /** UUID of the requested document. */
    document?: string;
  };
}

/** The environment of a page request. */
export interface PageEnv {
  Bindings: { call: PageCall };
  Variables: { language?: PageLanguage };
}

export type PageContext = HonoContext<PageEnv>;

/** Returns the user authenticated by a reverse proxy or a session; null for anonymous and cross-site requests. */
export function signedInUser({ env: { call } }: PageContext): UserActor | null {
  const found = actorFromBrowser(call.ctx, call);
  if (!found) return null;
  const actor = { ...found, address: call.address };
  call.actor = actor;
  return actor;
}

/**
 * Returns the path prefix that keeps links on the site of the request: `/o/team`, or empty. Only needed where plain
 * paths do not cover all sites.
 */
export const sitePrefix = ({ req }: PageContext): string => /^\/o\/[^/]+/i.exec(new URL(req.url).pathname)?.[0] ?? "";

/** Returns a choice of the visitor from a cookie that the page's script sets; empty without one. */
export const readChoice = ({ req }: PageContext, name: string): string =>
  new RegExp(`(?:^|;\\s*)${name}=([\\w.-]*)`).exec(req.header("cookie") ?? "")?.[1] ?? "";

/** Returns the public URL of the server, without a trailing slash. */
export const publicUrl = ({ env }: PageContext): string => env.call.config.publicUrl ?? env.call.origin;

/** Returns true for same-origin requests: browsers send the page's origin with every form. */
export function isSameOriginForm({ env, req }: PageContext): boolean {
  const from = req.header("origin");
  return from !== undefined && isSameOrigin(from, env.call);
}

/**
 * Returns true when the browser uses https, according to the origin of its form: for the `Secure` attribute of cookies.
 */
export const isSecureContext = ({ env, req }: PageContext): boolean =>
  (req.header("origin") ?? env.call.origin).startsWith("https:");

/** Longer than any name, address or password. */
const MAX_FIELD_LENGTH = 1000;

/**
 * Returns the fields of a form as texts; empty when missing or a file.
 * @throws AppError `invalid` when the body is not a form, or a field is too long
 */
export async function readFormFields<Name extends string>(
  c: PageContext,
  ...names: Name[]
): Promise<Record<Name, string>> {
  const form = await c.req.parseBody().catch(() => {
    throw invalid("Invalid form");
  });
  const entries = names.map((name) => {
    const text = form[name];
    if (typeof text !== "string") return [name, ""] as const;
    if (text.length > MAX_FIELD_LENGTH) throw invalid(`The ${name} is too long`);
    return [name, text] as const;
  });
  return Object.fromEntries(entries) as Record<Name, string>;
}
