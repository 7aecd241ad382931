import type { UserGrant } from "../../authorization.ts";
import type { Context } from "../context.ts";
import { openState, sealState } from "./sealed-state.ts";
import { isEqual, type LinkIntent } from "./sign-in-flow.ts";

/**
 * The profile page begins the connection of an account with a link, since browsers refuse forms that redirect to other
 * servers. Its parameter can only be made for the session that the page was shown to, so other sites cannot begin one.
 */

const PURPOSE = "oidc link";
const LIFETIME_MS = 60 * 60_000;

/** Returns the parameter for the caller's session. @param session SHA-256 of its token */
export const sealLinkIntent = (ctx: Context, { actor }: UserGrant, session: string): string =>
  sealState(ctx, PURPOSE, { userId: actor.userId, session } satisfies LinkIntent, LIFETIME_MS);

/** Returns what a parameter begins; null without one, and for one of another session. */
export function findLinkIntent(ctx: Context, sealed: string | null, session: string | null): LinkIntent | null {
  const intent = openState<LinkIntent>(ctx, PURPOSE, sealed);
  return intent && session !== null && isEqual(intent.session, session) ? intent : null;
}
