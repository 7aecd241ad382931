/**
 * Tokens for end users: `qt_<claims>.<signature>`, both base64url. The algorithm is not part of the token, so no token can
 * choose it.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import type { EndUserClaims } from "../../authorization.ts";

/** Distinguishes tokens from API keys, which are hexadecimal. */
const PREFIX = "qt_";

/** No token that the server creates is longer. */
const MAX_LENGTH = 8000;

/** The signed content; short names keep the header short. */
interface Payload {
  readonly v: 1;
  readonly k: number;
  readonly h: string;
  readonly d: string;
  readonly e: string;
  readonly r: EndUserClaims["role"];
  readonly s: EndUserClaims["scopes"];
  readonly o: EndUserClaims["origins"];
  readonly x: number;
}

export const isToken = (text: string): boolean => text.startsWith(PREFIX);

/** Returns a token with these claims. */
export function writeToken(secret: Uint8Array, claims: EndUserClaims): string {
  const { keyId, keyDigest, documentUuid, email, role, scopes, origins, expiresAt } = claims;
  const payload: Payload = {
    v: 1,
    k: keyId,
    h: keyDigest,
    d: documentUuid,
    e: email,
    r: role,
    s: scopes,
    o: origins,
    x: expiresAt,
  };
  const content = `${PREFIX}${Buffer.from(JSON.stringify(payload)).toString("base64url")}`;
  return `${content}.${sign(secret, content)}`;
}

/** Returns the claims of a token; null if this installation has not signed it. Does not check whether it has expired. */
export function readToken(secret: Uint8Array, text: string): EndUserClaims | null {
  if (text.length > MAX_LENGTH) return null;
  const [, content = "", signature = ""] = /^(qt_[\w-]+)\.([\w-]+)$/.exec(text) ?? [];
  if (!isEqual(sign(secret, content), signature)) return null;
  const payload = JSON.parse(Buffer.from(content.slice(PREFIX.length), "base64url").toString()) as Payload;
  if (payload.v !== 1) return null;
  const { k, h, d, e, r, s, o, x } = payload;
  return { keyId: k, keyDigest: h, documentUuid: d, email: e, role: r, scopes: s, origins: o, expiresAt: x };
}

const sign = (secret: Uint8Array, content: string): string =>
  createHmac("sha256", secret).update(content).digest("base64url");

function isEqual(expected: string, given: string): boolean {
  const [a, b] = [Buffer.from(expected), Buffer.from(given)];
  return a.length === b.length && timingSafeEqual(a, b);
}
