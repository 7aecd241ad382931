import type { Child, FC } from "hono/jsx";
import { AppError } from "../../../errors.ts";
import { findResetUser, resetPassword, type ResetUser } from "../../../services/accounts/password-resets.ts";
import { PASSWORD_MIN_LENGTH } from "../../../services/accounts/passwords.ts";
import { readFormFields, type PageContext } from "../../base/page-context.ts";
import { StatusMessage, Page } from "../../base/layout.tsx";
import { NewPasswordField } from "../../base/components.tsx";
import type { PageRoutes } from "../../base/page-routes.ts";
import { errorPageStatus, errorPageText } from "../../base/error-page.tsx";
import { browserOf, followStep } from "../sign-in/page.tsx";
import { pageTexts, renderPage, useTexts } from "../../base/page-texts.tsx";

export const resetPasswordRoutes: PageRoutes = (app) => {
  app.get("/reset-password", showReset).post(submitReset);
};

function showReset(c: PageContext) {
  const token = c.req.query("token") ?? "";
  const user = findResetUser(c.env.call.ctx, token);
  return user ? renderPage(c, <ResetPasswordPage token={token} user={user} />) : renderPage(c, <ExpiredLink />, 403);
}

async function submitReset(c: PageContext) {
  const form = await readFormFields(c, "token", "name", "password");
  const { ctx } = c.env.call;
  try {
    return followStep(c, await resetPassword(ctx, form, browserOf(c)), "");
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const person = findResetUser(ctx, form.token);
    if (!person) return renderPage(c, <ExpiredLink />, 403);
    const page = (
      <ResetPasswordPage
        token={form.token}
        user={person}
        name={form.name}
        problem={errorPageText(pageTexts(c), error)}
      />
    );
    return renderPage(c, page, errorPageStatus(c, error));
  }
}

const ExpiredLink: FC = () => {
  const t = useTexts();
  return (
    <Page title={t("resetPassword.expired.title")} narrow>
      <p>{t("resetPassword.expired.text")}</p>
      <p>
        <a href="/sign-in">{t("signIn.title")}</a>
      </p>
    </Page>
  );
};

interface ResetProps {
  token: string;
  user: ResetUser;
  /** The input, when the form was refused. */
  name?: string;
  problem?: Child;
}

const ResetPasswordPage: FC<ResetProps> = ({ token, user, name = "", problem }) => {
  const t = useTexts();
  return (
    <Page title={t("resetPassword.title")} narrow>
      {problem && <StatusMessage text={problem} problem atField />}
      <form method="post" action="/reset-password" class="card">
        <input type="hidden" name="token" value={token} />
        {user.name === "" && (
          <label>
            {t("resetPassword.name")}
            <input name="name" autocomplete="name" required maxlength={200} value={name} autofocus />
          </label>
        )}
        <label>
          {t("resetPassword.email")}
          <input name="email" type="email" autocomplete="username" value={user.email} readonly />
        </label>
        <NewPasswordField label={t("resetPassword.password")} autofocus={user.name !== ""} />
        <p class="hint" id="password-hint">
          {t("resetPassword.hint", { length: PASSWORD_MIN_LENGTH })}
        </p>
        <button>{t("resetPassword.submit")}</button>
      </form>
    </Page>
  );
};
