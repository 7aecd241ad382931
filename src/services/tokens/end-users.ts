/** Callers with a token for one document: checked against the home database with each request. */
import {
  END_USER_SCOPES,
  expandScopes,
  type EndUserActor,
  type EndUserClaims,
  type KeyLimits,
  type KeyRestrictions,
  type Scope,
} from "../../authorization.ts";
import { type AppError, unauthenticated } from "../../errors.ts";
import { sha256Hex } from "../../lib/ids.ts";
import type { DocumentAccess } from "../../home/access-lookups.ts";
import type { CachedEndUser } from "../accounts/identity.ts";
import type { Context } from "../context.ts";
import { limitsOf } from "../keys/limits.ts";
import { readToken } from "./token-format.ts";

/** Hexadecimal digits that identify the key of a token. */
const DIGEST_LENGTH = 16;

/** Returns the digest by which a token names its key. */
export const keyDigestOf = (keyHash: string): string => sha256Hex(`token ${keyHash}`).slice(0, DIGEST_LENGTH);

const invalidToken = (): AppError => unauthenticated("The token is invalid or was revoked", "auth.token_invalid");

/**
 * Returns the caller of a token.
 * @throws AppError `unauthenticated` if it was not signed here or has expired, its key was revoked, has expired or no
 * longer allows it, or its issuer was disabled, or no longer owns the document
 */
export function endUserOfToken(ctx: Context, token: string): EndUserActor {
  const cached = ctx.identity.endUsers.get(token, () => verify(ctx, token));
  if (!cached) throw invalidToken();
  requireCurrent(ctx, cached);
  return cached.actor;
}

/** As `endUserOfToken`, for work that continues after the request. */
export function endUserOfClaims(ctx: Context, claims: EndUserClaims): EndUserActor {
  const found = lookUp(ctx, claims);
  if (!found) throw invalidToken();
  requireCurrent(ctx, found);
  return found.actor;
}

/** Returns what the token of a caller says. */
export const claimsOf = ({
  keyId,
  keyDigest,
  documentUuid,
  email,
  role,
  scopes,
  origins,
  expiresAt,
}: EndUserActor): EndUserClaims => ({ keyId, keyDigest, documentUuid, email, role, scopes, origins, expiresAt });

function verify(ctx: Context, token: string): CachedEndUser | null {
  const secret = ctx.home.secrets.find("token");
  const claims = secret && readToken(secret, token);
  return claims && lookUp(ctx, claims);
}

function requireCurrent({ clock }: Context, { actor, validUntil }: CachedEndUser): void {
  if (clock.now() < validUntil) return;
  if (clock.now() >= actor.expiresAt) throw unauthenticated("The token has expired", "auth.token_expired");
  throw invalidToken();
}

/** Returns the caller if the key and its user may still issue the token. */
function lookUp({ home }: Context, claims: EndUserClaims): CachedEndUser | null {
  const { keyId, keyDigest, documentUuid, expiresAt } = claims;
  const issuer = home.callers.byKeyId(keyId);
  if (!issuer || issuer.isDisabled || keyDigestOf(issuer.hash) !== keyDigest) return null;
  const document = home.reach.document(documentUuid, { userId: issuer.userId, domain: null });
  if (document?.role !== "owners" || document.isRemoved || document.isDisabled) return null;
  const keyLimits = limitsOf(issuer);
  if (keyLimits && !mayIssue(keyLimits, document)) return null;
  const limits = limitsOfToken(claims, keyLimits);
  return {
    actor: { kind: "endUser", ...claims, issuerId: issuer.userId, ...(limits && { limits }) },
    validUntil: Math.min(expiresAt, issuer.expiresAt ?? expiresAt),
  };
}

/** Whether a limited key may have tokens for a document: not if it is limited to some of its tables. */
export const mayIssue = ({ scopes, restrictions }: KeyLimits, document: DocumentPlace): boolean =>
  scopes?.has("tokens:create") !== false && (restrictions === null || includesDocument(restrictions, document));

type DocumentPlace = Pick<DocumentAccess, "uuid" | "workspaceId" | "orgId">;

const includesDocument = (
  { sites, workspaces, documents }: KeyRestrictions,
  { uuid, workspaceId, orgId }: DocumentPlace,
): boolean => documents.includes(uuid) || workspaces.includes(workspaceId) || sites.includes(orgId);

/**
 * Returns the scopes that both token and key have. The networks of the key are those of its servers: they do not apply to
 * the browsers of end users.
 */
function limitsOfToken({ scopes }: EndUserClaims, keyLimits: KeyLimits | undefined): KeyLimits | undefined {
  const ofKey = keyLimits?.scopes ?? null;
  if (scopes === null && ofKey === null) return undefined;
  const ofToken: ReadonlySet<Scope> = expandScopes(scopes ?? END_USER_SCOPES);
  const common = ofKey === null ? ofToken : ofToken.intersection(ofKey);
  return { scopes: common, restrictions: null, networks: null };
}
