/** All pages. */
import { Hono, type MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import { routePath } from "hono/route";
import { AppError } from "../errors.ts";
import { assetPath, loadAssets, serveAsset } from "./assets.ts";
import { compressPages } from "./compress.ts";
import { signedInUser, type PageEnv, type PageCall } from "./base/page-context.ts";
import type { PageRoutes, PageOptions } from "./base/page-routes.ts";
import { HELP_LINKS } from "./base/help/help-links.ts";
import { adminRoutes } from "./pages/admin/page.tsx";
import { codeRoutes } from "./pages/code/page.tsx";
import { documentSettingsRoutes } from "./pages/document-settings/page.tsx";
import { redirectToFirstRun, firstRunRoutes } from "./pages/first-run/page.tsx";
import { forgotPasswordRoutes } from "./pages/forgot-password/page.tsx";
import { formRoutes } from "./pages/form/page.tsx";
import { helpRoutes } from "./pages/help/page.tsx";
import { formBuilderRoutes } from "./pages/form-builder/page.tsx";
import { historyRoutes } from "./pages/history/page.tsx";
import { homeRoutes } from "./pages/home/page.tsx";
import { oidcRoutes } from "./pages/oidc/page.tsx";
import { invitationRoutes } from "./pages/invitation/page.tsx";
import { profileRoutes } from "./pages/profile/page.tsx";
import { referenceRoutes } from "./pages/reference/page.tsx";
import { resetPasswordRoutes } from "./pages/reset-password/page.tsx";
import { secondFactorRoutes } from "./pages/second-factor/page.tsx";
import { securityRoutes } from "./pages/security/page.tsx";
import { sharingRoutes } from "./pages/sharing/page.tsx";
import { signInLinkRoutes } from "./pages/sign-in-link/page.tsx";
import { signInRoutes } from "./pages/sign-in/page.tsx";
import { sqlRoutes } from "./pages/sql/page.tsx";
import { tableRoutes } from "./pages/table/page.tsx";
import { trashRoutes } from "./pages/trash/page.tsx";
import { viewRoutes } from "./pages/view/page.tsx";
import { webhookRoutes } from "./pages/webhooks/page.tsx";
import { requireSameOriginForm, setPageHeaders } from "./security-headers.ts";
import { ErrorPage, errorPageHelp, errorPageStatus, errorPageText } from "./base/error-page.tsx";
import { pageTexts, renderPage } from "./base/page-texts.tsx";

const MAX_FORM_BYTES = 64 * 1024;
const DAY_S = 24 * 60 * 60;

/** Registers all pages; each kind has its own file. */
const PAGES: readonly PageRoutes[] = [
  adminRoutes,
  codeRoutes,
  documentSettingsRoutes,
  firstRunRoutes,
  forgotPasswordRoutes,
  formRoutes,
  formBuilderRoutes,
  helpRoutes,
  historyRoutes,
  homeRoutes,
  oidcRoutes,
  invitationRoutes,
  profileRoutes,
  referenceRoutes,
  resetPasswordRoutes,
  secondFactorRoutes,
  securityRoutes,
  sharingRoutes,
  signInLinkRoutes,
  signInRoutes,
  sqlRoutes,
  tableRoutes,
  trashRoutes,
  viewRoutes,
  webhookRoutes,
];

/** Answers requests outside of the API; null for unknown paths of non-browser clients. */
export function createPages(options: PageOptions): (call: PageCall) => Promise<Response | null> {
  const app = createPageRouter(options);
  return async (call) => {
    await loadAssets();
    const response = await app.fetch(call.request, { call });
    const wantsPage = (call.request.headers.get("accept") ?? "").includes("text/html");
    if (response.status === 404 && !wantsPage) return null;
    return response;
  };
}

/** Creates the router of all pages. */
export function createPageRouter(options: PageOptions): Hono<PageEnv> {
  const app = new Hono<PageEnv>({ getPath: (_, options) => requestPath(options) });
  app.use(recordRouteTemplate, compressPages, setPageHeaders, requireSameOriginForm, redirectToFirstRun, limitForms);
  app.get("/assets/*", async (c) => {
    return (await serveAsset(c.req.raw, c.env.call.path)) ?? c.notFound();
  });
  // For clients that request it before any page.
  app.get("/favicon.ico", (c) => {
    c.header("Cache-Control", `max-age=${DAY_S}`);
    return c.redirect(assetPath("icon.svg"));
  });
  for (const add of PAGES) add(app, options);
  app.notFound((c) => {
    const t = pageTexts(c);
    const [title, text] = [t("problem.notFound.title"), t("problem.notFound.text")];
    return renderPage(c, <ErrorPage title={title} text={text} user={signedInUser(c)} />, 404);
  });
  app.onError((error, c) => {
    const t = pageTexts(c);
    if (error instanceof AppError) {
      const [title, text] = [t("problem.request.title"), errorPageText(t, error)];
      const page = <ErrorPage title={title} text={text} help={errorPageHelp(error)} />;
      return renderPage(c, page, errorPageStatus(c, error));
    }
    const { ctx, path, requestId } = c.env.call;
    ctx.log.error("http.request_failed", { requestId, path, error: error.stack ?? error.message });
    const text = t("problem.server.text", { requestId });
    return renderPage(
      c,
      <ErrorPage title={t("problem.server.title")} text={text} help={HELP_LINKS.troubleshooting} />,
      500,
    );
  });
  return app;
}

/** The page's name in log and metrics: its route pattern, since paths are unbounded. */
const recordRouteTemplate: MiddlewareHandler<PageEnv> = async (c, next) => {
  await next();
  const pattern = routePath(c, -1);
  // Only middleware matched.
  const isPage = pattern !== "*" && pattern !== "/*";
  c.env.call.accounting.template ??= isPage ? pattern.replaceAll(/:(\w+)/g, "{$1}") : "unknown";
};

const requestPath = (options: { env?: unknown } | undefined): string =>
  (options?.env as PageEnv["Bindings"] | undefined)?.call.path ?? "/";

const limitFields = bodyLimit({ maxSize: MAX_FORM_BYTES, onError: formTooLarge });

/** Answers to published forms can have files, which are not kept in memory. */
const limitForms: MiddlewareHandler<PageEnv> = (c, next) =>
  c.req.path.startsWith("/forms/") ? next() : limitFields(c, next);

function formTooLarge(): never {
  throw new AppError("tooLarge", "Form too large");
}
