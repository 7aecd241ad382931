import type { MiddlewareHandler } from "hono";
import { secureHeaders } from "hono/secure-headers";
import { forbidden } from "../errors.ts";
import { isSameOriginForm, publicUrl, type PageEnv } from "./base/page-context.ts";

/** What pages may load and who may show them, told to the browser with each answer. */
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
  // With "no-referrer" browsers would send forms without an origin, and those are refused below.
  referrerPolicy: "same-origin",
  xFrameOptions: "DENY",
  crossOriginOpenerPolicy: "same-origin",
  // Whether the site is reached by https is the reverse proxy's knowledge, and so is this header.
  strictTransportSecurity: false,
});

/** The headers of every answer. Pages tell of the person who is signed in, so nobody keeps them unless they say so. */
export const setPageHeaders: MiddlewareHandler<PageEnv> = (c, next) =>
  securityHeaders(c, async () => {
    await next();
    if (!c.res.headers.has("Cache-Control")) c.header("Cache-Control", "no-store");
  });

/** Refuses what another site's page, or a program that knows nothing of pages, would change in a person's name. */
export const requireSameOriginForm: MiddlewareHandler<PageEnv> = async (c, next) => {
  const { method } = c.req;
  if (method !== "GET" && method !== "HEAD" && method !== "OPTIONS" && !isSameOriginForm(c)) {
    // More often than an attack this is a reverse proxy that the settings do not know of.
    const { ctx, requestId } = c.env.call;
    ctx.log.warn("web.form_refused", { requestId, origin: c.req.header("origin") ?? null, expected: publicUrl(c) });
    throw forbidden("Forms are taken only from the pages of this server.", "access.origin");
  }
  await next();
};
