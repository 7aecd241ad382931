/** Signing in through a provider: pages that redirect to it, and that it redirects back to. */
import type { Context as HonoContext } from "hono";
import type { FC } from "hono/jsx";
import { AppError } from "../../../errors.ts";
import { sha256Hex } from "../../../lib/ids.ts";
import {
  clearFlowCookie,
  readFlowCookie,
  serializeFlowCookie,
  serializeProviderCookie,
} from "../../../lib/network/flow-cookie.ts";
import { readSessionCookie } from "../../../lib/network/session-cookie.ts";
import { SESSION_IDLE_TIMEOUT_MS } from "../../../services/accounts/actors.ts";
import { arriveAtSite, departFromSite, returnToSite, siteOfDeparture } from "../../../services/oidc/return-to-site.ts";
import {
  beginFlow,
  connectIdentity,
  expiredFlow,
  finishFlow,
  FLOW_LIFETIME_MS,
  signInByProvider,
  type FinishedFlow,
} from "../../../services/oidc/sign-in-flow.ts";
import { findLinkIntent } from "../../../services/oidc/link-intent.ts";
import { errorPageStatus, errorPageText } from "../../base/error-page.tsx";
import { HELP_LINKS } from "../../base/help/help-links.ts";
import { Page, StatusMessage } from "../../base/layout.tsx";
import { signedInUser, type PageContext, type PageEnv } from "../../base/page-context.ts";
import type { PageRoutes } from "../../base/page-routes.ts";
import { pageTexts, renderPage, useTexts } from "../../base/page-texts.tsx";
import { browserOf, safeRedirectPath, setSessionCookies } from "../sign-in/page.tsx";

const START = "/sign-in/oidc/:provider/start";
const CALLBACK = "/sign-in/oidc/:provider/callback";
const RETURN = "/sign-in/oidc/:provider/return";

type ProviderContext = HonoContext<PageEnv, typeof START>;

export const oidcRoutes: PageRoutes = (app) => {
  app.get(START, (c) => withErrorPage(c, start));
  app.get(CALLBACK, (c) => withErrorPage(c, callback));
  app.get(RETURN, (c) => withErrorPage(c, arrive));
};

const pathOf = (provider: string, step: "start" | "callback" | "return"): string => `/sign-in/oidc/${provider}/${step}`;

/** Redirects to the provider, or first to the address of the callback if this is another one. */
async function start(c: ProviderContext): Promise<Response> {
  const { ctx, config, request } = c.env.call;
  const provider = c.req.param("provider");
  const next = safeRedirectPath(c.req.query("next") ?? "");
  const [linkText, departure] = [c.req.query("link"), c.req.query("departure")];
  const link = linkText === undefined ? null : findLinkIntent(ctx, linkText, sessionHash(request));
  const site = departure === undefined ? null : siteOfDeparture(ctx, departure);
  if ((linkText !== undefined && !link) || (departure !== undefined && !site)) throw expiredFlow();
  // A session would be replaced by one of another account without a question.
  if (link === null && departure === undefined && signedInUser(c)) return c.redirect(next);
  ctx.oidc.provider(provider);
  const publicOrigin = config.publicUrl === null ? null : new URL(config.publicUrl).origin;
  if (publicOrigin !== null && departure === undefined && siteOrigin(c) !== publicOrigin) {
    if (!isTeamSite(c))
      return c.redirect(`${config.publicUrl}${pathOf(provider, "start")}?${new URLSearchParams({ next }).toString()}`);
    const departing = departFromSite(ctx, { provider, next, link, origin: siteOrigin(c) });
    setFlowCookie(c, departing.cookie);
    const query = new URLSearchParams({ departure: departing.departure });
    return c.redirect(`${config.publicUrl}${pathOf(provider, "start")}?${query}`);
  }
  const redirectUri = `${config.publicUrl ?? siteOrigin(c)}${pathOf(provider, "callback")}`;
  const { url, cookie } = await beginFlow(ctx, { provider, redirectUri, next, link, site });
  setFlowCookie(c, cookie);
  return c.redirect(url);
}

/** The provider redirects here. */
async function callback(c: ProviderContext): Promise<Response> {
  const { ctx, request, search } = requestOf(c);
  const provider = c.req.param("provider");
  const cookie = readFlowCookie(request);
  c.header("Set-Cookie", clearFlowCookie());
  const finished = await finishFlow(ctx, { provider, params: search, cookie });
  if (finished.site === null) return finish(c, finished);
  const query = new URLSearchParams({ arrival: returnToSite(ctx, finished) });
  return c.redirect(`${finished.site.origin}${pathOf(provider, "return")}?${query}`);
}

/** The public address redirects here, to the address of a team site. */
async function arrive(c: ProviderContext): Promise<Response> {
  const { ctx, request, search } = requestOf(c);
  const cookie = readFlowCookie(request);
  c.header("Set-Cookie", clearFlowCookie());
  const arrival = search.get("arrival") ?? "";
  return finish(c, arriveAtSite(ctx, { provider: c.req.param("provider"), arrival, cookie }));
}

function finish(c: ProviderContext, finished: FinishedFlow): Response {
  const { ctx, request } = c.env.call;
  if (finished.link !== null) {
    connectIdentity(ctx, finished, { session: sessionHash(request), address: c.env.call.address });
    return c.redirect("/profile?done=identity#identities", 303);
  }
  const session = signInByProvider(ctx, finished, browserOf(c));
  const secure = isSecure(c);
  setSessionCookies(c, session, { secure, append: true });
  const provider = { maxAgeS: SESSION_IDLE_TIMEOUT_MS / 1000, secure };
  c.header("Set-Cookie", serializeProviderCookie(finished.provider, provider), { append: true });
  return c.redirect(finished.next, 303);
}

/** Shows refusals with the way to try again. */
async function withErrorPage(c: ProviderContext, step: (c: ProviderContext) => Promise<Response>): Promise<Response> {
  try {
    return await step(c);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return renderPage(c, <SignInProblem text={errorPageText(pageTexts(c), error)} />, errorPageStatus(c, error));
  }
}

const SignInProblem: FC<{ text: Parameters<typeof StatusMessage>[0]["text"] }> = ({ text }) => {
  const t = useTexts();
  return (
    <Page title={t("oidc.problem.title")} narrow>
      <StatusMessage text={text} problem />
      <p class="bar">
        <a href="/sign-in">{t("oidc.problem.again")}</a>
        <a href={HELP_LINKS.singleSignOn}>{t("base.menu.help")}</a>
      </p>
    </Page>
  );
};

const requestOf = (c: ProviderContext) => {
  const { ctx, request } = c.env.call;
  return { ctx, request, search: new URL(request.url).searchParams };
};

const sessionHash = (request: Request): string | null => {
  const token = readSessionCookie(request);
  return token === null ? null : sha256Hex(token);
};

/**
 * Returns the origin of the address that the browser uses. A reverse proxy that is not trusted may have terminated TLS: the
 * scheme is that of the public URL.
 */
function siteOrigin({ env: { call } }: PageContext): string {
  if (call.config.publicUrl === null) return call.origin;
  const { protocol } = new URL(call.config.publicUrl);
  return `${protocol}//${new URL(call.origin).host}`;
}

/** True for the address of a team site below the base domain. */
function isTeamSite({ env: { call } }: PageContext): boolean {
  const { baseDomain } = call.config;
  return baseDomain !== null && new URL(call.origin).hostname.endsWith(`.${baseDomain}`);
}

const isSecure = (c: PageContext): boolean => siteOrigin(c).startsWith("https:");

const setFlowCookie = (c: PageContext, value: string): void =>
  c.header("Set-Cookie", serializeFlowCookie(value, { maxAgeS: FLOW_LIFETIME_MS / 1000, secure: isSecure(c) }));
