import { randomBytes } from "node:crypto";
import type { LiveState } from "../../hosts/documents.ts";
import { openSealedText, sealText } from "../../lib/sealed-text.ts";

/**
 * Ids of events of live queries, with which streams resume. For callers who can read everything: the number and hash of
 * the state of the document, and the query. If access rules hide anything from the caller, the id is encrypted, and names
 * the content of the result instead: whether a state is still the newest one would reveal hidden changes.
 */

/** Encrypted ids do not survive a restart; a client that resumes with one then gets a `reset`. */
const KEY = randomBytes(32);
const QUERY_KEY_LENGTH = 12;

/** Seed of the hashes of records, which must not be predictable. */
export const HASH_SEED = randomBytes(8).readBigUInt64LE();

/** What subscribers of one group share. */
export interface TokenScope {
  readonly uuid: string;
  /** As `LiveKeys`. */
  readonly query: string;
  readonly rights: string;
}

/** The content of an id from a client. */
export type LiveToken =
  | { readonly kind: "state"; readonly n: number; readonly h: string; readonly query: string; readonly day: string }
  | { readonly kind: "content"; readonly text: string };

/** Returns the id of the event that leads to a state. */
export function formatLiveToken(scope: TokenScope, state: LiveState): string {
  if (state.isRestricted) return `~${sealText(contentOf(scope, state), sealOf(scope))}`;
  const { n, h } = state.position;
  const day = dayOf(state);
  return `${n}-${h}.${shortKey(scope)}${day && `.${day}`}`;
}

/** Returns null for an id that the server has not issued. */
export function parseLiveToken(scope: TokenScope, token: string): LiveToken | null {
  if (token.startsWith("~")) {
    const text = openSealedText(token.slice(1), sealOf(scope));
    return text === null ? null : { kind: "content", text };
  }
  const [, n, h = "", query = "", day = ""] =
    /^(\d{1,15})-([0-9a-f]{1,64})\.([0-9a-f]+)(?:\.(-?\d+))?$/.exec(token) ?? [];
  return n === undefined ? null : { kind: "state", n: Number(n), h, query, day };
}

/** True for the id of a state of the same query on the same day. */
export const isOfQuery = (scope: TokenScope, { query }: { readonly query: string }): boolean =>
  query === shortKey(scope);

export const dayOf = ({ day }: LiveState): string => String(day ?? "");

/** Describes the content of a result, and the query. */
export function contentOf(scope: TokenScope, state: LiveState): string {
  const hash = (array: Float64Array | BigUint64Array): string =>
    Bun.hash.wyhash(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), HASH_SEED).toString(16);
  return `${hash(state.ids)} ${hash(state.hashes)} ${shortKey(scope)} ${dayOf(state)}`;
}

const shortKey = ({ query }: TokenScope): string => query.slice(0, QUERY_KEY_LENGTH);

const sealOf = ({ uuid, rights }: TokenScope) => ({ key: KEY, purpose: `live ${uuid} ${rights}` });
