import type { DocumentGrant, EndUserRole, EndUserScope } from "../../authorization.ts";
import { AppError, forbidden } from "../../errors.ts";
import { must } from "../../lib/assert.ts";
import { isoTime } from "../../lib/time/clock.ts";
import { requireScope } from "../access/key-limits.ts";
import { recordAuditSoon } from "../audit/record-audit.ts";
import type { Context } from "../context.ts";
import { keyDigestOf } from "./end-users.ts";
import { writeToken } from "./token-format.ts";

export interface NewToken {
  readonly email: string;
  readonly role: EndUserRole;
  readonly scopes?: readonly EndUserScope[] | undefined;
  readonly origins?: readonly string[] | undefined;
  /** Seconds. */
  readonly expiresIn: number;
}

/**
 * Creates a token for the document. It is not stored: it is valid while it is signed by the installation, its key exists
 * and the key's user owns the document.
 * @throws AppError `forbidden` for callers without an API key, and for scopes that the key lacks
 */
export function createToken(
  ctx: Context,
  { actor, uuid, documentId }: DocumentGrant,
  { email, role, scopes, origins, expiresIn }: NewToken,
): { token: string; expiresAt: string } {
  const { home, clock } = ctx;
  const keyId = actor.kind === "user" ? actor.keyId : undefined;
  if (keyId === undefined) throw keyRequired();
  for (const scope of scopes ?? []) requireScope(actor, scope);
  const key = must(home.callers.byKeyId(keyId), "key");
  const secret = home.secrets.find("token");
  if (!secret) throw new AppError("unavailable", "The server is starting; try again later", { retryAfterS: 1 });
  const latest = clock.now() + expiresIn * 1000;
  const expiresAt = Math.min(latest, key.expiresAt ?? latest);
  const token = writeToken(secret, {
    keyId,
    keyDigest: keyDigestOf(key.hash),
    documentUuid: uuid,
    email,
    role,
    scopes: scopes ?? null,
    origins: origins ?? null,
    expiresAt,
  });
  const label = home.keys.listOf(key.userId).find(({ id }) => id === keyId)?.label;
  recordAuditSoon(ctx, {
    event: "token.created",
    actor,
    documentId,
    target: { key: { id: keyId, name: label ?? "" } },
    // The end user is a person of the application that has the key.
    details: { role, scopes: scopes?.length ?? null, expiresIn },
  });
  return { token, expiresAt: isoTime(expiresAt) };
}

/** The refusal of callers with a session: a token ends with its key. */
export const keyRequired = (): AppError =>
  forbidden("Send an API key: a token is valid while its key exists", "access.key_required");
