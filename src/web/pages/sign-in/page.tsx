import type { Child, FC } from "hono/jsx";
import { AppError } from "../../../errors.ts";
import { clearSessionCookie, serializeSessionCookie, readSessionCookie } from "../../../lib/network/session-cookie.ts";
import { readDeviceCookie, serializeDeviceCookie } from "../../../lib/network/device-cookie.ts";
import { SESSION_IDLE_TIMEOUT_MS } from "../../../services/accounts/actors.ts";
import { type Browser, type NewSession, signIn, signOut } from "../../../services/accounts/sign-in.ts";
import { readFormFields, isSecureContext, signedInUser, type PageContext } from "../../base/page-context.ts";
import { StatusMessage, Page } from "../../base/layout.tsx";
import type { PageRoutes } from "../../base/page-routes.ts";
import { errorPageStatus, errorPageText } from "../../base/error-page.tsx";
import { pageTexts, renderPage, useTexts } from "../../base/page-texts.tsx";

export const signInRoutes: PageRoutes = (app) => {
  app.get("/sign-in", showSignIn).post(signInHere);
  app.post("/sign-out", signOutHere);
};

function showSignIn(c: PageContext) {
  const next = c.req.query("next") ?? "";
  const isEnded = c.req.query("ended") !== undefined;
  return signedInUser(c)
    ? c.redirect(safeRedirectPath(next))
    : renderPage(c, <SignInPage email="" next={next} isEnded={isEnded} />);
}

async function signInHere(c: PageContext) {
  const { email, password, next } = await readFormFields(c, "email", "password", "next");
  try {
    setSessionCookies(c, await signIn(c.env.call.ctx, { email, password, ...browserOf(c) }));
    return c.redirect(safeRedirectPath(next), 303);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    // Wrong credentials are an ordinary form error, not an attack.
    const status = error.code === "unauthenticated" ? 400 : errorPageStatus(c, error);
    const problem = errorPageText(pageTexts(c), error);
    return renderPage(c, <SignInPage email={email} next={next} problem={problem} />, status);
  }
}

function signOutHere(c: PageContext) {
  const token = readSessionCookie(c.req.raw);
  if (token) signOut(c.env.call.ctx, token);
  c.header("Set-Cookie", clearSessionCookie());
  return c.redirect("/sign-in", 303);
}

/**
 * Returns the redirect target after signing in: the page that asked for it, if it is on this server. Resolving
 * `/.//host` gives the path `//host`, which browsers take for another host, so the result is resolved a second time, as
 * a browser does.
 */
function safeRedirectPath(next: string): string {
  const start = "/";
  const target = next.startsWith("/") ? URL.parse(next, PLACEHOLDER_ORIGIN) : null;
  if (target?.origin !== PLACEHOLDER_ORIGIN) return start;
  const path = `${target.pathname}${target.search}${target.hash}`;
  return URL.parse(path, PLACEHOLDER_ORIGIN)?.href === `${PLACEHOLDER_ORIGIN}${path}` ? path : start;
}

const PLACEHOLDER_ORIGIN = "http://host.invalid";

/** Returns the browser that a request comes from. */
export function browserOf(c: PageContext): Browser {
  const { address, request } = c.env.call;
  return { address, userAgent: request.headers.get("user-agent") ?? "", device: readDeviceCookie(request) };
}

/** Sets the cookies of a new session. */
export function setSessionCookies(c: PageContext, { token, device }: NewSession): void {
  const secure = isSecureContext(c);
  c.header("Set-Cookie", serializeSessionCookie(token, { maxAgeS: SESSION_IDLE_TIMEOUT_MS / 1000, secure }));
  if (device !== null) c.header("Set-Cookie", serializeDeviceCookie(device, { secure }), { append: true });
}

interface SignInProps {
  email: string;
  next: string;
  problem?: Child;
  /** Whether a form was sent with an ended session. */
  isEnded?: boolean;
}

const SignInPage: FC<SignInProps> = ({ email, next, problem, isEnded = false }) => {
  const t = useTexts();
  return (
    <Page title={t("signIn.title")} narrow>
      {isEnded && <StatusMessage text={t("signIn.sessionEnded")} problem />}
      {problem && <StatusMessage text={problem} problem />}
      <form method="post" action="/sign-in" class="card">
        {next && <input type="hidden" name="next" value={next} />}
        <label>
          {t("signIn.email")}
          <input
            name="email"
            type="email"
            autocomplete="username"
            required
            maxlength={254}
            value={email}
            autofocus={email === ""}
          />
        </label>
        <label>
          {t("signIn.password")}
          <input
            name="password"
            type="password"
            autocomplete="current-password"
            required
            maxlength={256}
            autofocus={email !== ""}
          />
        </label>
        <button>{t("signIn.submit")}</button>
      </form>
      <p class="quiet">{t("signIn.help")}</p>
    </Page>
  );
};
