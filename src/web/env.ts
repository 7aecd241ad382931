import type { Context as HonoContext } from "hono";
import type { UserActor } from "../access.ts";
import type { Config } from "../config.ts";
import { readSessionCookie } from "../lib/session-cookie.ts";
import { actorFromProxy, actorFromSession } from "../services/actors.ts";
import type { Context } from "../services/context.ts";

/** What a page is told of a request. */
export interface PageCall {
  readonly request: Request;
  readonly path: string;
  /** `scheme://host` as the browser addresses the server. */
  readonly origin: string;
  /** The client's address. */
  readonly address: string;
  /** The e-mail address that a trusted reverse proxy vouches for. */
  readonly proxyUser: string | null;
  readonly ctx: Context;
  readonly config: Config;
  template?: string;
}

/** What comes along with a request of a page. */
export interface Env {
  Bindings: { call: PageCall };
}

export type PageContext = HonoContext<Env>;

/** Who is signed in, by the reverse proxy's word or by session; null when nobody is. */
export function visitor({ env, req }: PageContext): UserActor | null {
  const { ctx, proxyUser } = env.call;
  if (proxyUser) return actorFromProxy(ctx, proxyUser);
  const token = readSessionCookie(req.raw);
  return token ? actorFromSession(ctx, token) : null;
}

/** True when the browser reaches the server by https: cookies are then kept off plain http. */
export const isSecure = ({ env }: PageContext): boolean => env.call.origin.startsWith("https:");

/** A form's field as text; empty when it is missing or a file. */
export async function formTexts<Name extends string>(c: PageContext, ...names: Name[]): Promise<Record<Name, string>> {
  const form = await c.req.parseBody();
  const texts = names.map((name) => [name, typeof form[name] === "string" ? form[name] : ""] as const);
  return Object.fromEntries(texts) as Record<Name, string>;
}
