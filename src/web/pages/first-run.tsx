import type { FC } from "hono/jsx";
import { AppError } from "../../errors.ts";
import { completeFirstRun, isFirstRunToken } from "../../services/first-run.ts";
import { PASSWORD_MIN } from "../../services/passwords.ts";
import { formTexts, type PageContext } from "../env.ts";
import { Note, Page } from "../layout.tsx";
import { NewPasswordField } from "../parts.tsx";
import type { PageRoutes } from "../page-route.ts";
import { refusalStatus, refusalText } from "../problem.tsx";
import { keepSignedIn } from "./sign-in.tsx";

export const firstRunRoutes: PageRoutes = (app) => {
  app.get("/first-run", showFirstRun).post(firstRun);
};

function showFirstRun(c: PageContext) {
  const token = c.req.query("token") ?? "";
  if (!isFirstRunToken(c.env.call.ctx, token)) return c.html(<Spent />, 403);
  return c.html(<FirstRun token={token} name="" email="" />);
}

async function firstRun(c: PageContext) {
  const form = await formTexts(c, "token", "name", "email", "password");
  try {
    const session = await completeFirstRun(c.env.call.ctx, form);
    keepSignedIn(c, session.token);
    return c.redirect("/", 303);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.code === "forbidden") return c.html(<Spent />, 403);
    const { token, name, email } = form;
    return c.html(<FirstRun {...{ token, name, email }} problem={refusalText(error)} />, refusalStatus(c, error));
  }
}

const Spent: FC = () => (
  <Page title="This link is used up" narrow>
    <p>The link for the first user works once. If nobody has an account yet, restart the server for a new one.</p>
    <p>
      <a href="/sign-in">Sign in</a>
    </p>
  </Page>
);

const FirstRun: FC<{ token: string; name: string; email: string; problem?: string }> = (form) => (
  <Page title="Welcome to Quern" narrow>
    <p>Make the first user, who administers this installation.</p>
    {form.problem && <Note text={form.problem} problem />}
    <form method="post" action="/first-run" class="card">
      <input type="hidden" name="token" value={form.token} />
      <label>
        Name
        <input name="name" autocomplete="name" required maxlength={200} value={form.name} autofocus />
      </label>
      <label>
        E-mail
        <input name="email" type="email" autocomplete="username" required maxlength={254} value={form.email} />
      </label>
      <NewPasswordField label="Password" />
      <p class="hint" id="password-hint">
        At least {PASSWORD_MIN} characters.
      </p>
      <button>Create the user</button>
    </form>
  </Page>
);
