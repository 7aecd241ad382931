import type { Child, FC } from "hono/jsx";
import { AppError } from "../../../errors.ts";
import { canRequestReset, requestReset } from "../../../services/accounts/reset-requests.ts";
import { errorPageStatus, errorPageText } from "../../base/error-page.tsx";
import { Page, StatusMessage } from "../../base/layout.tsx";
import { type PageContext, readFormFields } from "../../base/page-context.ts";
import type { PageRoutes } from "../../base/page-routes.ts";
import { pageTexts, renderPage, useTexts } from "../../base/page-texts.tsx";

export const forgotPasswordRoutes: PageRoutes = (app) => {
  app.get("/forgot-password", showForm).post(submitForm);
};

function showForm(c: PageContext) {
  return canRequestReset(c.env.call.ctx) ? renderPage(c, <ForgotPasswordPage email="" />) : c.redirect("/sign-in", 303);
}

/** The answer is the same for every address: it does not tell whether there is an account. */
async function submitForm(c: PageContext) {
  const { email } = await readFormFields(c, "email");
  const { ctx, address } = c.env.call;
  try {
    requestReset(ctx, { email, address });
    return await renderPage(c, <SentPage />);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const page = <ForgotPasswordPage email={email} problem={errorPageText(pageTexts(c), error)} />;
    return renderPage(c, page, errorPageStatus(c, error));
  }
}

const ForgotPasswordPage: FC<{ email: string; problem?: Child }> = ({ email, problem }) => {
  const t = useTexts();
  return (
    <Page title={t("forgotPassword.title")} narrow>
      {problem && <StatusMessage text={problem} problem atField />}
      <form method="post" action="/forgot-password" class="card">
        <p>{t("forgotPassword.text")}</p>
        <label>
          {t("signIn.email")}
          <input name="email" type="email" autocomplete="username" required maxlength={254} value={email} autofocus />
        </label>
        <button>{t("forgotPassword.submit")}</button>
      </form>
      <p class="quiet">
        <a href="/sign-in">{t("signIn.title")}</a>
      </p>
    </Page>
  );
};

const SentPage: FC = () => {
  const t = useTexts();
  return (
    <Page title={t("forgotPassword.sent.title")} narrow>
      <p data-announce>{t("forgotPassword.sent.text")}</p>
      <p>
        <a href="/sign-in">{t("signIn.title")}</a>
      </p>
    </Page>
  );
};
