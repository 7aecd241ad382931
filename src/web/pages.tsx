/** The pages for people, as a table of contents. */
import { Hono, type MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import { routePath } from "hono/route";
import { AppError } from "../errors.ts";
import { assetPath, loadAssets, serveAsset } from "./assets.ts";
import { compressPages } from "./compress.ts";
import type { PageEnv, PageCall } from "./base/page-context.ts";
import type { PageRoutes, PageOptions } from "./base/page-routes.ts";
import { adminRoutes } from "./pages/admin/page.tsx";
import { codeRoutes } from "./pages/code/page.tsx";
import { redirectToFirstRun, firstRunRoutes } from "./pages/first-run/page.tsx";
import { historyRoutes } from "./pages/history/page.tsx";
import { homeRoutes } from "./pages/home/page.tsx";
import { profileRoutes } from "./pages/profile/page.tsx";
import { referenceRoutes } from "./pages/reference/page.tsx";
import { resetPasswordRoutes } from "./pages/reset-password/page.tsx";
import { sharingRoutes } from "./pages/sharing/page.tsx";
import { signInRoutes } from "./pages/sign-in/page.tsx";
import { sqlRoutes } from "./pages/sql/page.tsx";
import { tableRoutes } from "./pages/table/page.tsx";
import { trashRoutes } from "./pages/trash/page.tsx";
import { webhookRoutes } from "./pages/webhooks/page.tsx";
import { requireSameOriginForm, setPageHeaders } from "./security-headers.ts";
import { ErrorPage, errorPageStatus, errorPageText } from "./base/error-page.tsx";

const MAX_FORM_BYTES = 64 * 1024;
const DAY_S = 24 * 60 * 60;

/** All pages, each kind in a file of its own. */
const PAGES: readonly PageRoutes[] = [
  adminRoutes,
  codeRoutes,
  firstRunRoutes,
  historyRoutes,
  homeRoutes,
  profileRoutes,
  referenceRoutes,
  resetPasswordRoutes,
  sharingRoutes,
  signInRoutes,
  sqlRoutes,
  tableRoutes,
  trashRoutes,
  webhookRoutes,
];

/** Answers what is not API; null where there is no such page and the client is no browser. */
export function createPages(options: PageOptions): (call: PageCall) => Promise<Response | null> {
  const app = new Hono<PageEnv>({ getPath: (_, options) => requestPath(options) });
  app.use(
    recordRouteTemplate,
    compressPages,
    setPageHeaders,
    requireSameOriginForm,
    redirectToFirstRun,
    bodyLimit({ maxSize: MAX_FORM_BYTES, onError: formTooLarge }),
  );
  app.get("/assets/*", async (c) => {
    return (await serveAsset(c.req.raw, c.env.call.path)) ?? c.notFound();
  });
  // For those who ask before they have read a page.
  app.get("/favicon.ico", (c) => {
    c.header("Cache-Control", `max-age=${DAY_S}`);
    return c.redirect(assetPath("icon.svg"));
  });
  for (const add of PAGES) add(app, options);
  app.notFound((c) => c.html(<ErrorPage title="Nothing here" text="There is no page at this address." />, 404));
  app.onError((error, c) => {
    if (error instanceof AppError) {
      return c.html(<ErrorPage title="Not possible" text={errorPageText(error)} />, errorPageStatus(c, error));
    }
    const { ctx, path, requestId } = c.env.call;
    ctx.log.error("http.request_failed", { requestId, path, error: error.stack ?? error.message });
    const text = `The server could not do this. Its log tells why, under the number ${requestId}.`;
    return c.html(<ErrorPage title="Something went wrong" text={text} />, 500);
  });
  return async (call) => {
    await loadAssets();
    const response = await app.fetch(call.request, { call });
    const wantsPage = (call.request.headers.get("accept") ?? "").includes("text/html");
    if (response.status === 404 && !wantsPage) return null;
    return response;
  };
}

/** What the log and the metrics call the page: its pattern, since there is no end of paths. */
const recordRouteTemplate: MiddlewareHandler<PageEnv> = async (c, next) => {
  await next();
  const pattern = routePath(c, -1);
  // Nothing but what goes before every page.
  const isPage = pattern !== "*" && pattern !== "/*";
  c.env.call.accounting.template ??= isPage ? pattern.replaceAll(/:(\w+)/g, "{$1}") : "unknown";
};

const requestPath = (options: { env?: unknown } | undefined): string =>
  (options?.env as PageEnv["Bindings"] | undefined)?.call.path ?? "/";

function formTooLarge(): never {
  throw new AppError("tooLarge", "The form is too large");
}
