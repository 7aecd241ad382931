import type { FC } from "hono/jsx";
import { AppError } from "../../../errors.ts";
import { findResetUser, resetPassword, type ResetUser } from "../../../services/accounts/password-resets.ts";
import { PASSWORD_MIN_LENGTH } from "../../../services/accounts/passwords.ts";
import { readFormFields, type PageContext } from "../../base/page-context.ts";
import { StatusMessage, Page } from "../../base/layout.tsx";
import { NewPasswordField } from "../../base/components.tsx";
import type { PageRoutes } from "../../base/page-routes.ts";
import { errorPageStatus, errorPageText } from "../../base/error-page.tsx";
import { setSessionCookie } from "../sign-in/page.tsx";

export const resetPasswordRoutes: PageRoutes = (app) => {
  app.get("/reset-password", showReset).post(submitReset);
};

function showReset(c: PageContext) {
  const token = c.req.query("token") ?? "";
  const user = findResetUser(c.env.call.ctx, token);
  return user ? c.html(<ResetPasswordPage token={token} user={user} />) : c.html(<ExpiredLink />, 403);
}

async function submitReset(c: PageContext) {
  const form = await readFormFields(c, "token", "name", "password");
  const { ctx } = c.env.call;
  try {
    const session = await resetPassword(ctx, form);
    setSessionCookie(c, session.token);
    return c.redirect("/", 303);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const person = findResetUser(ctx, form.token);
    if (!person) return c.html(<ExpiredLink />, 403);
    const page = <ResetPasswordPage token={form.token} user={person} name={form.name} problem={errorPageText(error)} />;
    return c.html(page, errorPageStatus(c, error));
  }
}

const ExpiredLink: FC = () => (
  <Page title="This link has expired" narrow>
    <p>Password links work once, within a day. Ask your administrator for a new one.</p>
    <p>
      <a href="/sign-in">Sign in</a>
    </p>
  </Page>
);

interface ResetProps {
  token: string;
  user: ResetUser;
  /** The input, when the form was refused. */
  name?: string;
  problem?: string;
}

const ResetPasswordPage: FC<ResetProps> = ({ token, user, name = "", problem }) => (
  <Page title="Set a new password" narrow>
    {problem && <StatusMessage text={problem} problem />}
    <form method="post" action="/reset-password" class="card">
      <input type="hidden" name="token" value={token} />
      {user.name === "" && (
        <label>
          Your name
          <input name="name" autocomplete="name" required maxlength={200} value={name} autofocus />
        </label>
      )}
      <label>
        Email
        <input name="email" type="email" autocomplete="username" value={user.email} readonly />
      </label>
      <NewPasswordField label="New password" autofocus={user.name !== ""} />
      <p class="hint" id="password-hint">
        At least {PASSWORD_MIN_LENGTH} characters. All your other sessions are signed out.
      </p>
      <button>Set password</button>
    </form>
  </Page>
);
