import type { UserGrant } from "../../authorization.ts";
import { notFound } from "../../errors.ts";
import { sha256Hex } from "../../lib/ids.ts";
import { isoTime } from "../../lib/time/clock.ts";
import type { ListedSessions } from "../../wire/accounts/sessions.ts";
import type { Context } from "../context.ts";
import { recordAudit } from "../audit/record-audit.ts";
import { SESSION_IDLE_TIMEOUT_MS } from "./actors.ts";

/**
 * Returns the sessions of the caller, the current one first, then the one that was used last. The last use is up to an
 * hour old: a session is extended at most once an hour.
 * @param currentToken the token of the request's session
 */
export async function listSessions(
  ctx: Context,
  grant: UserGrant,
  currentToken: string | null,
): Promise<ListedSessions> {
  const sessions = await describeSessions(ctx, grant.actor.userId, currentToken);
  return { sessions: sessions.sort((a, b) => Number(b.isCurrent) - Number(a.isCurrent)) };
}

/** Returns the sessions of a user, the one that was used last first; for operations that have checked access. */
export async function describeSessions(
  { home }: Context,
  userId: number,
  currentToken: string | null,
): Promise<ListedSessions["sessions"]> {
  const { parse } = await import("bowser");
  const currentHash = hashOf(currentToken);
  return home.sessions.list(userId).map(({ hash, publicId, userAgent, address, createdAt, expiresAt }) => {
    // The parser does not accept an empty text.
    const { browser, os } = parse(userAgent || "-");
    return {
      id: publicId,
      browser: browser.name || null,
      os: os.name || null,
      address: address || null,
      createdAt: isoTime(createdAt),
      lastUsedAt: isoTime(Math.max(createdAt, expiresAt - SESSION_IDLE_TIMEOUT_MS)),
      isCurrent: hash === currentHash,
    };
  });
}

/**
 * Ends one of the caller's sessions, effective from the next request.
 * @throws AppError `notFound`
 */
export function endSession(ctx: Context, grant: UserGrant, id: string): void {
  const { home } = ctx;
  home.transaction(() => {
    const found = home.sessions.list(grant.actor.userId).find(({ publicId }) => publicId === id);
    if (!found) throw notFound("Session not found", "session.not_found");
    home.sessions.remove(found.hash);
    const { actor } = grant;
    recordAudit(ctx, { event: "session.ended", actor, userId: actor.userId, details: { session: id } });
  });
}

/** Ends all sessions of the caller except the current one. */
export function endOtherSessions(ctx: Context, { actor }: UserGrant, currentToken: string | null): void {
  const { userId } = actor;
  ctx.home.transaction(() => {
    ctx.home.sessions.removeOf(userId, hashOf(currentToken));
    recordAudit(ctx, { event: "sessions.ended", actor, userId });
  });
}

const hashOf = (token: string | null): string | null => (token === null ? null : sha256Hex(token));
