import type { MiddlewareHandler } from "hono";
import type { Env } from "./env.ts";

/** Below it, packing saves no packet. */
const WORTH_IT_BYTES = 1024;

/** Sends pages compressed to whoever takes that. What they load is compressed already. */
export const compressPages: MiddlewareHandler<Env> = async (c, next) => {
  await next();
  const { headers } = c.res;
  if (!headers.get("content-type")?.startsWith("text/html")) return;
  c.header("Vary", "Accept-Encoding", { append: true });
  if (!/\bgzip\b/.test(c.req.header("accept-encoding") ?? "")) return;
  const body = new Uint8Array(await c.res.arrayBuffer());
  const isWorthIt = body.length >= WORTH_IT_BYTES;
  if (isWorthIt) headers.set("Content-Encoding", "gzip");
  c.res = new Response(isWorthIt ? Bun.gzipSync(body) : body, { status: c.res.status, headers });
};
