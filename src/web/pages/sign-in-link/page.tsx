import type { FC } from "hono/jsx";
import { AppError } from "../../../errors.ts";
import { findSignInLink, signInByLink } from "../../../services/accounts/sign-in-links.ts";
import { Page } from "../../base/layout.tsx";
import { Name } from "../../base/components.tsx";
import { readFormFields, type PageContext } from "../../base/page-context.ts";
import { renderPage, useTexts } from "../../base/page-texts.tsx";
import type { PageRoutes } from "../../base/page-routes.ts";
import { browserOf, setSessionCookies } from "../sign-in/page.tsx";

export const signInLinkRoutes: PageRoutes = (app) => {
  app.get("/sign-in/link", showSignInLink).post(signInByLinkHere);
};

/** Signs no user in: programs that preview or check links request them as well. */
function showSignInLink(c: PageContext) {
  const token = c.req.query("token") ?? "";
  const email = findSignInLink(c.env.call.ctx, token);
  return email === null
    ? renderPage(c, <ExpiredLink />, 403)
    : renderPage(c, <SignInLinkPage token={token} email={email} />);
}

async function signInByLinkHere(c: PageContext) {
  const { token } = await readFormFields(c, "token");
  try {
    setSessionCookies(c, signInByLink(c.env.call.ctx, token, browserOf(c)));
    return c.redirect("/", 303);
  } catch (error) {
    if (!(error instanceof AppError) || error.reason !== "link.expired") throw error;
    return renderPage(c, <ExpiredLink />, 403);
  }
}

const SignInLinkPage: FC<{ token: string; email: string }> = ({ token, email }) => {
  const t = useTexts();
  return (
    <Page title={t("signInLink.title")} narrow>
      <p>{t.rich("signInLink.text", { email: <Name text={email} /> })}</p>
      <form method="post" action="/sign-in/link" class="card">
        <input type="hidden" name="token" value={token} />
        <button autofocus>{t("signInLink.submit")}</button>
      </form>
    </Page>
  );
};

const ExpiredLink: FC = () => {
  const t = useTexts();
  return (
    <Page title={t("signInLink.expired.title")} narrow>
      <p>{t("signInLink.expired.text")}</p>
      <p>
        <a href="/sign-in">{t("signIn.title")}</a>
      </p>
    </Page>
  );
};
