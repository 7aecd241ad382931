import type { MiddlewareHandler } from "hono";
import type { FC } from "hono/jsx";
import { AppError } from "../../../errors.ts";
import { completeFirstRun, isFirstRun, isFirstRunToken } from "../../../services/accounts/first-run.ts";
import { PASSWORD_MIN_LENGTH } from "../../../services/accounts/passwords.ts";
import { type PageEnv, readFormFields, type PageContext } from "../../base/page-context.ts";
import { StatusMessage, Page } from "../../base/layout.tsx";
import { NewPasswordField } from "../../base/components.tsx";
import type { PageRoutes } from "../../base/page-routes.ts";
import { errorPageStatus, errorPageText } from "../../base/error-page.tsx";
import { setSessionCookie } from "../sign-in/page.tsx";

export const firstRunRoutes: PageRoutes = (app) => {
  app.get("/first-run", showFirstRun).post(submitFirstRun);
};

/** Redirects to the setup instructions until the first user exists: no page is usable before. */
export const redirectToFirstRun: MiddlewareHandler<PageEnv> = async (c, next) => {
  const { ctx, path, proxyUser, request } = c.env.call;
  const isPage = (request.headers.get("accept") ?? "").includes("text/html") && !/^\/(first-run$|assets\/)/.test(path);
  // A user named by a reverse proxy gets an account by visiting.
  if (c.req.method === "GET" && isPage && proxyUser === null && isFirstRun(ctx)) return c.redirect("/first-run", 303);
  return next();
};

function showFirstRun(c: PageContext) {
  const { ctx } = c.env.call;
  const token = c.req.query("token") ?? "";
  if (isFirstRunToken(ctx, token)) return c.html(<FirstRunForm token={token} name="" email="" />);
  if (!isFirstRun(ctx)) return c.html(<ExpiredLink />, 403);
  return c.html(<FirstRunInstructions isWrong={token !== ""} />, token === "" ? 200 : 403);
}

async function submitFirstRun(c: PageContext) {
  const form = await readFormFields(c, "token", "name", "email", "password");
  try {
    const session = await completeFirstRun(c.env.call.ctx, form);
    setSessionCookie(c, session.token);
    return c.redirect("/", 303);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.code === "forbidden") {
      return c.html(isFirstRun(c.env.call.ctx) ? <FirstRunInstructions isWrong /> : <ExpiredLink />, 403);
    }
    const { token, name, email } = form;
    return c.html(
      <FirstRunForm {...{ token, name, email }} problem={errorPageText(error)} />,
      errorPageStatus(c, error),
    );
  }
}

const FirstRunInstructions: FC<{ isWrong: boolean }> = ({ isWrong }) => (
  <Page title="Set up Quern" narrow>
    {isWrong && (
      <StatusMessage text="This setup link is not valid. The server creates a new link each time it starts." problem />
    )}
    <p>This server has no users yet. Open the setup link to create the first user, who administers the server.</p>
    <p>You can find the link:</p>
    <ul>
      <li>in the server's log, where it is printed at startup</li>
      <li>
        in the file <code>first-run-link</code> in the server's data folder
      </li>
    </ul>
    <p>
      It works once, for seven days. Restart the server for a new one, or create the user on the command line with{" "}
      <code>quern user add</code>.
    </p>
  </Page>
);

const ExpiredLink: FC = () => (
  <Page title="Setup is complete" narrow>
    <p>The setup link creates the first user, and this server has users already.</p>
    <p>
      <a href="/sign-in">Sign in</a>
    </p>
  </Page>
);

const FirstRunForm: FC<{ token: string; name: string; email: string; problem?: string }> = (form) => (
  <Page title="Welcome to Quern" narrow>
    <p>Create the first user, who administers this installation.</p>
    {form.problem && <StatusMessage text={form.problem} problem />}
    <form method="post" action="/first-run" class="card">
      <input type="hidden" name="token" value={form.token} />
      <label>
        Name
        <input name="name" autocomplete="name" required maxlength={200} value={form.name} autofocus />
      </label>
      <label>
        Email
        <input name="email" type="email" autocomplete="username" required maxlength={254} value={form.email} />
      </label>
      <NewPasswordField label="Password" />
      <p class="hint" id="password-hint">
        At least {PASSWORD_MIN_LENGTH} characters.
      </p>
      <button>Create user</button>
    </form>
  </Page>
);
