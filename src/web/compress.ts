import type { MiddlewareHandler } from "hono";
import type { PageEnv } from "./base/page-context.ts";

/** Compresses pages for clients that accept it. Assets are compressed already. */
export const compressPages: MiddlewareHandler<PageEnv> = async (c, next) => {
  await next();
  const { headers } = c.res;
  if (!headers.get("content-type")?.startsWith("text/html")) return;
  c.header("Vary", "Accept-Encoding", { append: true });
  if (!/\bgzip\b/.test(c.req.header("accept-encoding") ?? "")) return;
  const body = new Uint8Array(await c.res.arrayBuffer());
  headers.set("Content-Encoding", "gzip");
  c.res = new Response(Bun.gzipSync(body), { status: c.res.status, headers });
};
