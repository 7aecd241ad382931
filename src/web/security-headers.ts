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

/** What only documents obey. A table's page has about 25 assets, whose headers would be an eighth of its first visit. */
const DOCUMENT_HEADERS = [
  "Content-Security-Policy",
  "Cross-Origin-Opener-Policy",
  "Origin-Agent-Cluster",
  "Referrer-Policy",
  "X-DNS-Prefetch-Control",
  "X-Download-Options",
  "X-Frame-Options",
  "X-Permitted-Cross-Domain-Policies",
  "X-XSS-Protection",
];

/** Types that browsers do not show as documents with scripts. */
const ASSET_TYPES = /^(text\/(javascript|css)|application\/json|image\/png)\b/;

/**
 * Headers of every page. Pages contain data of the signed-in user, so they are not cached unless they say otherwise.
 */
export const setPageHeaders: MiddlewareHandler<PageEnv> = async (c, next) => {
  await securityHeaders(c, async () => {
    await next();
    if (!c.res.headers.has("Cache-Control")) c.header("Cache-Control", "no-store");
  });
  const { headers, ok } = c.res;
  if (!ok || !c.req.path.startsWith("/assets/") || !ASSET_TYPES.test(headers.get("Content-Type") ?? "")) return;
  for (const name of DOCUMENT_HEADERS) headers.delete(name);
};

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
