import type { Context as HonoContext } from "hono";
import type { Actor, UserActor } from "../../authorization.ts";
import type { Config } from "../../config.ts";
import { invalid } from "../../errors.ts";
import { isSameOrigin } from "../../lib/network/same-origin.ts";
import { actorFromBrowser } from "../../services/accounts/actors.ts";
import type { Context } from "../../services/context.ts";
import type { SiteScope } from "../../services/access/guards.ts";

/** What a page is told of a request. */
export interface PageCall {
  readonly request: Request;
  /** Stands in the log. */
  readonly requestId: string;
  readonly path: string;
  /** Which site the address speaks of. */
  readonly scope: SiteScope;
  /** `scheme://host` as the server sees itself addressed. */
  readonly origin: string;
  /** The client's address. */
  readonly address: string;
  /** The e-mail address that a trusted reverse proxy vouches for. */
  readonly proxyUser: string | null;
  readonly ctx: Context;
  readonly config: Config;
  /** For the log; `visitor` finds it out. */
  actor: Actor;
  /** For the log and metrics. */
  readonly accounting: {
    template?: string;
    /** UUID of the requested document. */
    document?: string;
  };
}

/** What comes along with a request of a page. */
export interface PageEnv {
  Bindings: { call: PageCall };
}

export type PageContext = HonoContext<PageEnv>;

/** The person whom a reverse proxy or a session names; null when nobody is signed in, or another site's page asks. */
export function signedInUser({ env: { call } }: PageContext): UserActor | null {
  const actor = actorFromBrowser(call.ctx, call);
  if (actor) call.actor = actor;
  return actor;
}

/**
 * What the paths of links begin with, to stay on the site that the page's address speaks of: `/o/team`, or nothing.
 * Only needed where plain addresses do not speak of all sites.
 */
export const sitePrefix = ({ req }: PageContext): string => /^\/o\/[^/]+/i.exec(new URL(req.url).pathname)?.[0] ?? "";

/** The address that people reach the server by, without a trailing slash. */
export const publicUrl = ({ env }: PageContext): string => env.call.config.publicUrl ?? env.call.origin;

/** True when one of our own pages sent the request: browsers name the page's origin with every form. */
export function isSameOriginForm({ env, req }: PageContext): boolean {
  const from = req.header("origin");
  return from !== undefined && isSameOrigin(from, env.call);
}

/** True when the browser reaches the server by https, by its own word where it sent a form: cookies then stay there. */
export const isSecureContext = ({ env, req }: PageContext): boolean =>
  (req.header("origin") ?? env.call.origin).startsWith("https:");

/** Longer than any name, address or password. */
const MAX_FIELD_LENGTH = 1000;

/**
 * A form's fields as texts; empty where one is missing or a file.
 * @throws AppError `invalid` when the body is no form, or a field too long
 */
export async function readFormFields<Name extends string>(
  c: PageContext,
  ...names: Name[]
): Promise<Record<Name, string>> {
  const form = await c.req.parseBody().catch(() => {
    throw invalid("The form cannot be read");
  });
  const entries = names.map((name) => {
    const text = form[name];
    if (typeof text !== "string") return [name, ""] as const;
    if (text.length > MAX_FIELD_LENGTH) throw invalid(`The ${name} is too long`);
    return [name, text] as const;
  });
  return Object.fromEntries(entries) as Record<Name, string>;
}
