/** Compression of the rows that pages show. Programs receive answers as before: many cache them or compare bytes. */
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Call } from "./call.ts";

const compress = promisify(gzip);

/** Smaller answers fit into one packet. */
const MIN_BYTES = 1024;

/** Returns a response compressed, outside of the main thread, for pages in browsers that accept it. */
export async function compressedForPages(call: Call, response: Response, bytes: Uint8Array): Promise<Response> {
  if (!isPage(call) || response.status !== 200) return response;
  const headers = new Headers(response.headers);
  headers.append("Vary", "Accept-Encoding");
  const isAccepted = /\bgzip\b/.test(call.request.headers.get("accept-encoding") ?? "");
  if (!isAccepted || bytes.length < MIN_BYTES) return new Response(response.body, { headers });
  headers.set("Content-Encoding", "gzip");
  // A weak tag: the bytes differ from those of the plain response.
  const tag = headers.get("ETag");
  if (tag !== null) headers.set("ETag", `W/${tag}`);
  return new Response(await compress(bytes), { headers });
}

/** Browsers say where a request comes from, except without TLS; there, pages have a session. */
const isPage = ({ actor, request }: Call): boolean =>
  request.headers.get("sec-fetch-site") === "same-origin" || (actor.kind === "user" && actor.via === "session");
