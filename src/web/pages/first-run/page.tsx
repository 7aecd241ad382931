import type { MiddlewareHandler } from "hono";
import type { Child, FC } from "hono/jsx";
import { AppError } from "../../../errors.ts";
import { completeFirstRun, isFirstRun, isFirstRunToken } from "../../../services/accounts/first-run.ts";
import { PASSWORD_MIN_LENGTH } from "../../../services/accounts/passwords.ts";
import { type PageEnv, readFormFields, type PageContext } from "../../base/page-context.ts";
import { StatusMessage, Page } from "../../base/layout.tsx";
import { NewPasswordField } from "../../base/components.tsx";
import { HELP_LINKS } from "../../base/help/help-links.ts";
import type { PageRoutes } from "../../base/page-routes.ts";
import { errorPageStatus, errorPageText } from "../../base/error-page.tsx";
import { browserOf, setSessionCookies } from "../sign-in/page.tsx";
import { pageTexts, renderPage, useTexts } from "../../base/page-texts.tsx";

export const firstRunRoutes: PageRoutes = (app) => {
  app.get("/first-run", showFirstRun).post(submitFirstRun);
};

/** Paths that are useful before the first user exists. */
const PUBLIC_PATHS = /^\/(first-run$|assets\/|help(\/|$)|reference(\/|$))/;

/** Redirects to the setup instructions until the first user exists: no other page is usable before. */
export const redirectToFirstRun: MiddlewareHandler<PageEnv> = async (c, next) => {
  const { ctx, path, proxyUser, request } = c.env.call;
  const isPage = (request.headers.get("accept") ?? "").includes("text/html") && !PUBLIC_PATHS.test(path);
  // A user named by a reverse proxy gets an account by visiting.
  if (c.req.method === "GET" && isPage && proxyUser === null && isFirstRun(ctx)) return c.redirect("/first-run", 303);
  return next();
};

function showFirstRun(c: PageContext) {
  const { ctx } = c.env.call;
  const token = c.req.query("token") ?? "";
  const hasPassword = ctx.identity.acceptsPasswords;
  if (isFirstRunToken(ctx, token)) {
    return renderPage(c, <FirstRunForm token={token} name="" email="" hasPassword={hasPassword} />);
  }
  if (!isFirstRun(ctx)) return renderPage(c, <ExpiredLink />, 403);
  return renderPage(c, <FirstRunInstructions isWrong={token !== ""} />, token === "" ? 200 : 403);
}

async function submitFirstRun(c: PageContext) {
  const form = await readFormFields(c, "token", "name", "email", "password");
  try {
    const session = await completeFirstRun(c.env.call.ctx, form, browserOf(c));
    setSessionCookies(c, session);
    return c.redirect("/", 303);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.code === "forbidden") {
      return renderPage(c, isFirstRun(c.env.call.ctx) ? <FirstRunInstructions isWrong /> : <ExpiredLink />, 403);
    }
    const { token, name, email } = form;
    const hasPassword = c.env.call.ctx.identity.acceptsPasswords;
    const problem = errorPageText(pageTexts(c), error);
    return renderPage(c, <FirstRunForm {...{ token, name, email, hasPassword, problem }} />, errorPageStatus(c, error));
  }
}

const FirstRunInstructions: FC<{ isWrong: boolean }> = ({ isWrong }) => {
  const t = useTexts();
  return (
    <Page title={t("firstRun.setUp.title")} narrow>
      {isWrong && <StatusMessage text={t("firstRun.setUp.invalid")} problem />}
      <p>{t("firstRun.setUp.text")}</p>
      <p>{t("firstRun.setUp.where")}</p>
      <ul>
        <li>{t("firstRun.setUp.log")}</li>
        <li>{t.rich("firstRun.setUp.file", { file: <code translate="no">first-run-link</code> })}</li>
      </ul>
      <p>{t.rich("firstRun.setUp.restart", { command: <code translate="no">quern user add</code> })}</p>
      <p>
        <a href={HELP_LINKS.start}>{t("help.gettingStarted")}</a>
      </p>
    </Page>
  );
};

const ExpiredLink: FC = () => {
  const t = useTexts();
  return (
    <Page title={t("firstRun.complete.title")} narrow>
      <p>{t("firstRun.complete.text")}</p>
      <p>
        <a href="/sign-in">{t("signIn.title")}</a>
      </p>
    </Page>
  );
};

interface FirstRunFormProps {
  token: string;
  name: string;
  email: string;
  hasPassword: boolean;
  problem?: Child;
}

const FirstRunForm: FC<FirstRunFormProps> = (form) => {
  const t = useTexts();
  return (
    <Page title={t("firstRun.title")} narrow>
      <p>{t("firstRun.text")}</p>
      {form.problem && <StatusMessage text={form.problem} problem atField />}
      <form method="post" action="/first-run" class="card">
        <input type="hidden" name="token" value={form.token} />
        <label>
          {t("firstRun.name")}
          <input name="name" autocomplete="name" required maxlength={200} value={form.name} autofocus />
        </label>
        <label>
          {t("firstRun.email")}
          <input name="email" type="email" autocomplete="username" required maxlength={254} value={form.email} />
        </label>
        {form.hasPassword && (
          <>
            <NewPasswordField label={t("firstRun.password")} />
            <p class="hint" id="password-hint">
              {t("firstRun.passwordHint", { length: PASSWORD_MIN_LENGTH })}
            </p>
          </>
        )}
        <button>{t("firstRun.submit")}</button>
      </form>
    </Page>
  );
};
