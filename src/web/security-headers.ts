import type { MiddlewareHandler } from "hono";
import { secureHeaders } from "hono/secure-headers";
import { forbidden } from "../errors.ts";
import { isSameOriginForm, publicUrl, type PageEnv } from "./base/page-context.ts";

/** Security headers of pages: what they may load, and who may embed them. */
const securityHeaders = secureHeaders({
  contentSecurityPolicy: {
    defaultSrc: ["'none'"],
    styleSrc: ["'self'"],
    scriptSrc: ["'self'"],
    imgSrc: ["'self'"],
    connectSrc: ["'self'"],
    formAction: ["'self'"],
    frameAncestors: ["'none'"],
    baseUri: ["'none'"],
  },
  // With "no-referrer" browsers would send forms with `Origin: null`, which is refused below.
  referrerPolicy: "same-origin",
  xFrameOptions: "DENY",
  crossOriginOpenerPolicy: "same-origin",
  // Whether the site uses https is known to the reverse proxy, which sets this header.
  strictTransportSecurity: false,
});

/**
 * Headers of every page. Pages contain data of the signed-in user, so they are not cached unless they say otherwise.
 */
export const setPageHeaders: MiddlewareHandler<PageEnv> = (c, next) =>
  securityHeaders(c, async () => {
    await next();
    if (!c.res.headers.has("Cache-Control")) c.header("Cache-Control", "no-store");
  });

/** Refuses state-changing requests from other origins (CSRF). */
export const requireSameOriginForm: MiddlewareHandler<PageEnv> = async (c, next) => {
  const { method } = c.req;
  if (method !== "GET" && method !== "HEAD" && method !== "OPTIONS" && !isSameOriginForm(c)) {
    // More often than an attack, the cause is a reverse proxy missing in the settings.
    const { ctx, requestId } = c.env.call;
    ctx.log.warn("web.form_refused", { requestId, origin: c.req.header("origin") ?? null, expected: publicUrl(c) });
    throw forbidden("Forms are accepted only from pages of this server.", "access.origin");
  }
  await next();
};
