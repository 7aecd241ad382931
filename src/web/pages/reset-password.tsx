import type { FC } from "hono/jsx";
import { AppError } from "../../errors.ts";
import { findResetting, resetPassword, type ResettingPerson } from "../../services/password-resets.ts";
import { PASSWORD_MIN } from "../../services/passwords.ts";
import { formTexts, type PageContext } from "../env.ts";
import { Note, Page } from "../layout.tsx";
import { NewPasswordField } from "../parts.tsx";
import type { PageRoutes } from "../page-route.ts";
import { refusalStatus, refusalText } from "../problem.tsx";
import { keepSignedIn } from "./sign-in.tsx";

export const resetPasswordRoutes: PageRoutes = (app) => {
  app.get("/reset-password", show).post(reset);
};

function show(c: PageContext) {
  const token = c.req.query("token") ?? "";
  const person = findResetting(c.env.call.ctx, token);
  return person ? c.html(<Reset token={token} person={person} />) : c.html(<Spent />, 403);
}

async function reset(c: PageContext) {
  const form = await formTexts(c, "token", "name", "password");
  const { ctx } = c.env.call;
  try {
    const session = await resetPassword(ctx, form);
    keepSignedIn(c, session.token);
    return c.redirect("/", 303);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const person = findResetting(ctx, form.token);
    if (!person) return c.html(<Spent />, 403);
    const page = <Reset token={form.token} person={person} name={form.name} problem={refusalText(error)} />;
    return c.html(page, refusalStatus(c, error));
  }
}

const Spent: FC = () => (
  <Page title="This link is used up" narrow>
    <p>A link for setting a password works once, within a day. Whoever runs this server can make another.</p>
    <p>
      <a href="/sign-in">Sign in</a>
    </p>
  </Page>
);

interface ResetProps {
  token: string;
  person: ResettingPerson;
  /** As it was typed before something was refused. */
  name?: string;
  problem?: string;
}

const Reset: FC<ResetProps> = ({ token, person, name = "", problem }) => (
  <Page title="Set a new password" narrow>
    {problem && <Note text={problem} problem />}
    <form method="post" action="/reset-password" class="card">
      <input type="hidden" name="token" value={token} />
      {person.name === "" && (
        <label>
          Your name
          <input name="name" autocomplete="name" required maxlength={200} value={name} autofocus />
        </label>
      )}
      <label>
        E-mail
        <input name="email" type="email" autocomplete="username" value={person.email} readonly />
      </label>
      <NewPasswordField label="New password" autofocus={person.name !== ""} />
      <p class="hint" id="password-hint">
        At least {PASSWORD_MIN} characters. All browsers that are signed in as you are signed out.
      </p>
      <button>Set the password</button>
    </form>
  </Page>
);
