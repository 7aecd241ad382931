import { createHmac, timingSafeEqual } from "node:crypto";

/** What the node that received a request tells the node that answers it. */
export interface Hop {
  readonly method: string;
  /** Path and query, as in the request line. */
  readonly path: string;
  readonly requestId: string;
  /** The address of the client, after trusted proxies. */
  readonly address: string;
  /** Scheme and host of the client's request, after trusted proxies. */
  readonly origin: string;
  /** The host of the client's request; null when it has none, or an invalid one. */
  readonly host: string | null;
  /** The email address that a trusted reverse proxy sent. */
  readonly proxyUser: string | null;
  /** The home database that decided about the request is at least this new. */
  readonly homeSeq: number;
  /** The document for which the receiver is expected to be the owner; null for requests between nodes. */
  readonly doc: string | null;
  /** SHA-256 of the body; null when the body is not part of the signature. */
  readonly bodyHash: string | null;
  /** The id of the node that it is for. */
  readonly to: string;
  /** The process that sends, and how many hops it has sent before: each hop is accepted once. */
  readonly sender: string;
  readonly serial: number;
}

/** The header of a proxied request. A request that has it is answered, or refused with 421; never forwarded again. */
export const HOP_HEADER = "X-Quern-Hop";

/** How far the clocks of two nodes may differ, and how long a hop is valid. */
export const MAX_CLOCK_DIFFERENCE_MS = 30_000;

const VERSION = "2";

/**
 * Returns the value of the hop header.
 * @param secret the installation's secret for requests between nodes
 * @param nowMs wall-clock time
 */
export function signHop(secret: Uint8Array, hop: Hop, nowMs: number): string {
  const { to, sender, serial, requestId, address, origin, host, proxyUser, homeSeq, doc, bodyHash } = hop;
  const fields = [
    VERSION,
    nowMs,
    to,
    sender,
    serial,
    requestId,
    address,
    origin,
    host,
    proxyUser,
    homeSeq,
    doc,
    bodyHash,
  ];
  const text = fields.map((field) => (field === null ? "" : encodeURIComponent(field))).join(";");
  return `${text};${signatureOf(secret, hop, text)}`;
}

/**
 * Returns what a hop header says about a request; null if it was not signed with the secret, belongs to another request
 * or is older than 30 seconds.
 */
export function verifyHop(
  secret: Uint8Array,
  { header, method, path, nowMs }: { header: string; method: string; path: string; nowMs: number },
): Hop | null {
  const end = header.lastIndexOf(";");
  const text = header.slice(0, Math.max(end, 0));
  const expected = Buffer.from(signatureOf(secret, { method, path }, text));
  const given = Buffer.from(header.slice(end + 1));
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
  const [version, at, to = "", sender = "", serial, requestId = "", address = "", origin = "", ...rest] = text
    .split(";")
    .map((field) => decodeURIComponent(field));
  if (version !== VERSION || Math.abs(nowMs - Number(at)) > MAX_CLOCK_DIFFERENCE_MS) return null;
  const [host = "", proxyUser = "", homeSeq, doc = "", bodyHash = ""] = rest;
  return {
    method,
    path,
    to,
    sender,
    serial: Number(serial),
    requestId,
    address,
    origin,
    host: host || null,
    proxyUser: proxyUser || null,
    homeSeq: Number(homeSeq),
    doc: doc || null,
    bodyHash: bodyHash || null,
  };
}

/** Line feeds cannot occur in any of the parts. */
const signatureOf = (secret: Uint8Array, { method, path }: Pick<Hop, "method" | "path">, text: string): string =>
  createHmac("sha256", secret).update(`${method}\n${path}\n${text}`).digest("base64url");
