import type { Child, FC } from "hono/jsx";
import { AppError } from "../../../errors.ts";
import { clearSessionCookie, serializeSessionCookie, readSessionCookie } from "../../../lib/network/session-cookie.ts";
import { readDeviceCookie, serializeDeviceCookie } from "../../../lib/network/device-cookie.ts";
import { canRequestReset } from "../../../services/accounts/reset-requests.ts";
import { SESSION_IDLE_TIMEOUT_MS } from "../../../services/accounts/actors.ts";
import { type Browser, type NewSession, signOut } from "../../../services/accounts/sign-in.ts";
import type { ProviderButton } from "../../../services/oidc/oidc.ts";
import { findRelyingParty } from "../../../services/passkeys/relying-party.ts";
import { PENDING_LIFETIME_MS, signIn, type SignInStep } from "../../../services/second-factor/sign-in-steps.ts";
import { clearProviderCookie, readProviderCookie } from "../../../lib/network/flow-cookie.ts";
import { serializeFactorCookie } from "../../../lib/network/factor-cookies.ts";
import { ShortName } from "../../base/components.tsx";
import { showSignedOut } from "./signed-out.tsx";
import { readFormFields, isSecureContext, signedInUser, type PageContext } from "../../base/page-context.ts";
import { Note } from "../../base/components.tsx";
import { StatusMessage, Page } from "../../base/layout.tsx";
import type { PageRoutes } from "../../base/page-routes.ts";
import { errorPageStatus, errorPageText } from "../../base/error-page.tsx";
import { pageTexts, renderPage, useTexts } from "../../base/page-texts.tsx";
import { PasskeyButton } from "./passkey-button.tsx";

export const signInRoutes: PageRoutes = (app) => {
  app.get("/sign-in", showSignIn).post(signInHere);
  app.post("/sign-out", signOutHere);
  app.get("/sign-out/:provider", showSignedOut);
};

function showSignIn(c: PageContext) {
  const next = c.req.query("next") ?? "";
  const isEnded = c.req.query("ended") !== undefined;
  if (signedInUser(c)) return c.redirect(safeRedirectPath(next));
  const problem = c.req.query("expired") !== undefined && pageTexts(c)("error.second_factor.expired");
  return renderPage(c, <SignInPage c={c} email="" {...{ next, isEnded, problem }} />);
}

async function signInHere(c: PageContext) {
  const { email, password, next } = await readFormFields(c, "email", "password", "next");
  try {
    return followStep(c, await signIn(c.env.call.ctx, { email, password, ...browserOf(c) }), next);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    // Wrong credentials are an ordinary form error, not an attack.
    const status = error.code === "unauthenticated" ? 400 : errorPageStatus(c, error);
    const problem = errorPageText(pageTexts(c), error);
    return renderPage(c, <SignInPage c={c} email={email} next={next} problem={problem} />, status);
  }
}

/** Responds to a right password: with a session, or by asking for the second factor. */
export function followStep(c: PageContext, step: SignInStep, next: string): Response {
  if (step.kind === "session") {
    setSessionCookies(c, step.session);
    return c.redirect(safeRedirectPath(next), 303);
  }
  const cookie = { maxAgeS: PENDING_LIFETIME_MS / 1000, secure: isSecureContext(c) };
  c.header("Set-Cookie", serializeFactorCookie("pending", step.pending, cookie), { append: true });
  return c.redirect(pendingPath(step.kind, next), 303);
}

const pendingPath = (kind: "secondFactor" | "enrol", next: string): string => {
  const path = kind === "secondFactor" ? "/sign-in/second-factor" : "/sign-in/add-second-factor";
  return next === "" ? path : `${path}?${new URLSearchParams({ next }).toString()}`;
};

function signOutHere(c: PageContext) {
  const token = readSessionCookie(c.req.raw);
  if (token) signOut(c.env.call.ctx, token, c.env.call.address);
  c.header("Set-Cookie", clearSessionCookie());
  const provider = readProviderCookie(c.req.raw);
  if (provider === null) return c.redirect("/sign-in", 303);
  c.header("Set-Cookie", clearProviderCookie(), { append: true });
  return c.redirect(`/sign-out/${encodeURIComponent(provider)}`, 303);
}

/**
 * Returns the redirect target after signing in: the page that asked for it, if it is on this server. Resolving
 * `/.//host` gives the path `//host`, which browsers take for another host, so the result is resolved a second time, as
 * a browser does.
 */
export function safeRedirectPath(next: string): string {
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

/** Sets the cookies of a new session. `append` keeps other cookies of the response. */
export function setSessionCookies(
  c: PageContext,
  { token, device }: NewSession,
  { secure = isSecureContext(c), append = true }: { secure?: boolean; append?: boolean } = {},
): void {
  const cookie = serializeSessionCookie(token, { maxAgeS: SESSION_IDLE_TIMEOUT_MS / 1000, secure });
  c.header("Set-Cookie", cookie, { append });
  if (device !== null) c.header("Set-Cookie", serializeDeviceCookie(device, { secure }), { append: true });
}

/** Whether passkeys can be used at the address of the page. */
const canUsePasskeys = ({ env: { call } }: PageContext): boolean => "id" in findRelyingParty(call.config, call.origin);

interface SignInProps {
  c: PageContext;
  email: string;
  next: string;
  problem?: Child;
  /** Whether a form was sent with an ended session. */
  isEnded?: boolean;
}

const SignInPage: FC<SignInProps> = ({ c, email, next, problem, isEnded = false }) => {
  const t = useTexts();
  const { oidc, identity } = c.env.call.ctx;
  const { acceptsPasswords } = identity;
  return (
    <Page title={t("signIn.title")} narrow bundle="sign-in">
      {isEnded && <Note text={t("signIn.sessionEnded")} problem />}
      {problem && <StatusMessage text={problem} problem atField />}
      <ProviderButtons buttons={oidc.buttons} next={next} />
      {acceptsPasswords && oidc.buttons.length > 0 && <p class="divider">{t("signIn.or")}</p>}
      {acceptsPasswords && <PasswordForm email={email} next={next} hasProviders={oidc.buttons.length > 0} />}
      {canUsePasskeys(c) && <PasskeyButton use="signIn" next={next} />}
      {canRequestReset(c.env.call.ctx) && (
        <p>
          <a href="/forgot-password">{t("signIn.forgot")}</a>
        </p>
      )}
      <p class="quiet">{t(acceptsPasswords ? "signIn.help" : "signIn.helpWithoutPassword")}</p>
    </Page>
  );
};

/** Links rather than forms: browsers refuse forms that redirect to other servers. */
const ProviderButtons: FC<{ buttons: readonly ProviderButton[]; next: string }> = ({ buttons, next }) => {
  const t = useTexts();
  if (buttons.length === 0) return <></>;
  return (
    <div class="stack">
      {buttons.map(({ name, button, label }) => (
        <a
          class="button plain"
          href={`/sign-in/oidc/${name}/start${next && `?${new URLSearchParams({ next }).toString()}`}`}
          {...(button !== null && { translate: "no" })}
        >
          <span>{button ?? t.rich("signIn.continueWith", { provider: <ShortName text={label} /> })}</span>
        </a>
      ))}
    </div>
  );
};

const PasswordForm: FC<{ email: string; next: string; hasProviders: boolean }> = ({ email, next, hasProviders }) => {
  const t = useTexts();
  return (
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
          autofocus={email === "" && !hasProviders}
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
  );
};
