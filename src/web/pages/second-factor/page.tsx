/** The second step of a sign-in, for users who have a second factor or have to add one. */
import type { Child, FC } from "hono/jsx";
import { AppError } from "../../../errors.ts";
import { clearFactorCookie, readFactorCookie, serializeFactorCookie } from "../../../lib/network/factor-cookies.ts";
import { findRelyingParty } from "../../../services/passkeys/relying-party.ts";
import {
  beginRequired,
  completeRequired,
  describeEnrolment,
  ENROLMENT_LIFETIME_MS,
} from "../../../services/second-factor/factors.ts";
import { completeWithCode, findPending, type PendingUser } from "../../../services/second-factor/sign-in-steps.ts";
import type { TotpKey } from "../../../services/second-factor/totp.ts";
import { errorPageStatus, errorPageText } from "../../base/error-page.tsx";
import { Page, StatusMessage } from "../../base/layout.tsx";
import { isSecureContext, readFormFields, type PageContext } from "../../base/page-context.ts";
import type { PageRoutes } from "../../base/page-routes.ts";
import { pageTexts, renderPage, useTexts } from "../../base/page-texts.tsx";
import { PasskeyButton } from "../sign-in/passkey-button.tsx";
import { browserOf, safeRedirectPath, setSessionCookies } from "../sign-in/page.tsx";
import { passkeySignInRoutes } from "./passkey-routes.ts";
import { AuthenticatorSetUp, RecoveryCodeList } from "./components.tsx";

const CODE_PATH = "/sign-in/second-factor";
const ENROL_PATH = "/sign-in/add-second-factor";

export const secondFactorRoutes: PageRoutes = (app, options) => {
  app.get(CODE_PATH, (c) => withPending(c, false, (pending) => showCodeForm(c, pending)));
  app.post(CODE_PATH, submitCode);
  app.get(ENROL_PATH, (c) => withPending(c, true, (pending) => showEnrolment(c, pending)));
  app.post(ENROL_PATH, submitEnrolment);
  passkeySignInRoutes(app, options);
};

const pendingCookie = (c: PageContext): string | null => readFactorCookie(c.req.raw, "pending");

/** Runs the handler for a browser with a sign-in that waits for this step; others start over. */
function withPending(
  c: PageContext,
  isEnrolment: boolean,
  handler: (pending: PendingUser) => Response | Promise<Response>,
): Response | Promise<Response> {
  const pending = findPending(c.env.call.ctx, pendingCookie(c));
  return pending?.state.isEnrolment === isEnrolment ? handler(pending) : startOver(c, c.req.query("next") ?? "");
}

const startOver = (c: PageContext, next: string): Response =>
  c.redirect(`/sign-in?${new URLSearchParams({ ...(next && { next }), expired: "yes" }).toString()}`, 303);

const showCodeForm = (
  c: PageContext,
  { user }: PendingUser,
  { next = c.req.query("next") ?? "", ...refusal }: { next?: string; problem?: Child; status?: 400 | 403 | 429 } = {},
) => {
  const { ctx, config, origin } = c.env.call;
  const hasPasskeys = ctx.home.passkeys.list(user.id).length > 0 && "id" in findRelyingParty(config, origin);
  const hasAuthenticator = ctx.home.secondFactors.totp(user.id) !== null;
  const page = <CodePage {...{ next, hasPasskeys, hasAuthenticator }} problem={refusal.problem} />;
  return renderPage(c, page, refusal.status);
};

async function submitCode(c: PageContext) {
  const { code, next } = await readFormFields(c, "code", "next");
  const { ctx } = c.env.call;
  const pending = pendingCookie(c);
  try {
    setSessionCookies(c, await completeWithCode(ctx, { pending, code }, browserOf(c)));
    c.header("Set-Cookie", clearFactorCookie("pending"), { append: true });
    return c.redirect(safeRedirectPath(next), 303);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const found = findPending(ctx, pending);
    // Another request may have completed it.
    if (!found || found.state.isEnrolment || error.reason === "second_factor.expired") return startOver(c, next);
    const status = error.reason === "second_factor.code" ? 400 : errorPageStatus(c, error);
    const problem = errorPageText(pageTexts(c), error);
    return showCodeForm(c, found, { next, problem, status: status as 400 });
  }
}

async function showEnrolment(c: PageContext, { user }: PendingUser): Promise<Response> {
  const { ctx } = c.env.call;
  const next = c.req.query("next") ?? "";
  const former = readFactorCookie(c.req.raw, "enrolment");
  const known = await describeEnrolment(ctx, { userId: user.id, email: user.displayEmail }, former);
  if (known) return renderPage(c, <EnrolmentPage next={next} totp={known} />);
  const enrolment = beginRequired(ctx, pendingCookie(c));
  const cookie = { maxAgeS: ENROLMENT_LIFETIME_MS / 1000, secure: isSecureContext(c) };
  c.header("Set-Cookie", serializeFactorCookie("enrolment", enrolment, cookie), { append: true });
  const totp = await describeEnrolment(ctx, { userId: user.id, email: user.displayEmail }, enrolment);
  return totp ? renderPage(c, <EnrolmentPage next={next} totp={totp} />) : startOver(c, next);
}

async function submitEnrolment(c: PageContext) {
  const { code, next } = await readFormFields(c, "code", "next");
  const { ctx } = c.env.call;
  const pending = pendingCookie(c);
  const enrolment = readFactorCookie(c.req.raw, "enrolment");
  try {
    const { session, recoveryCodes } = await completeRequired(ctx, { pending, enrolment, code }, browserOf(c));
    setSessionCookies(c, session);
    for (const cookie of ["pending", "enrolment"] as const) {
      c.header("Set-Cookie", clearFactorCookie(cookie), { append: true });
    }
    return await renderPage(c, <RecoveryCodesPage codes={recoveryCodes} next={safeRedirectPath(next)} />);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const found = findPending(ctx, pending);
    const user = found?.state.isEnrolment ? found.user : null;
    const totp = user && (await describeEnrolment(ctx, { userId: user.id, email: user.displayEmail }, enrolment));
    if (!totp) return startOver(c, next);
    const status = error.reason === "second_factor.code" ? 400 : errorPageStatus(c, error);
    const page = <EnrolmentPage next={next} totp={totp} problem={errorPageText(pageTexts(c), error)} />;
    return renderPage(c, page, status);
  }
}

interface CodePageProps {
  next: string;
  hasPasskeys: boolean;
  hasAuthenticator: boolean;
  problem?: Child;
}

const CodePage: FC<CodePageProps> = ({ next, hasPasskeys, hasAuthenticator, problem }) => {
  const t = useTexts();
  return (
    <Page title={t("secondFactor.title")} narrow bundle="sign-in">
      {problem && <StatusMessage text={problem} problem atField />}
      {hasPasskeys && <PasskeyButton use="factor" next={next} />}
      <form method="post" action={CODE_PATH} class="card">
        {next && <input type="hidden" name="next" value={next} />}
        <label>
          {t(hasAuthenticator ? "secondFactor.code" : "secondFactor.recoveryCode")}
          <input
            name="code"
            autocomplete="one-time-code"
            autocapitalize="none"
            spellcheck={false}
            required
            maxlength={100}
            autofocus
          />
        </label>
        <p class="hint">{t(hasAuthenticator ? "secondFactor.hint" : "secondFactor.recoveryHint")}</p>
        <button>{t("signIn.submit")}</button>
      </form>
      <p class="quiet">{t("secondFactor.help")}</p>
      <p>
        <a href="/sign-in">{t("secondFactor.startOver")}</a>
      </p>
    </Page>
  );
};

const EnrolmentPage: FC<{ next: string; totp: TotpKey; problem?: Child }> = ({ next, totp, problem }) => {
  const t = useTexts();
  return (
    <Page title={t("secondFactor.add.title")} narrow bundle="security">
      <p>{t("secondFactor.add.required")}</p>
      {problem && <StatusMessage text={problem} problem atField />}
      <AuthenticatorSetUp action={ENROL_PATH} totp={totp} submit={t("secondFactor.add.submit")}>
        {next && <input type="hidden" name="next" value={next} />}
      </AuthenticatorSetUp>
    </Page>
  );
};

const RecoveryCodesPage: FC<{ codes: readonly string[]; next: string }> = ({ codes, next }) => {
  const t = useTexts();
  return (
    <Page title={t("secondFactor.codes.title")} narrow>
      <RecoveryCodeList codes={codes} />
      <p>
        <a class="button" href={next}>
          {t("secondFactor.codes.continue")}
        </a>
      </p>
    </Page>
  );
};
