import type { FC } from "hono/jsx";
import { AppError } from "../../errors.ts";
import { dropSessionCookie, keepSessionCookie, readSessionCookie } from "../../lib/session-cookie.ts";
import { SESSION_MS } from "../../services/actors.ts";
import { signIn, signOut } from "../../services/sign-in.ts";
import { formTexts, isSecure, visitor, type PageContext } from "../env.ts";
import { Note, Page } from "../layout.tsx";
import { refusalStatus, refusalText } from "../problem.tsx";

export function showSignIn(c: PageContext) {
  return visitor(c) ? c.redirect("/profile") : c.html(<SignIn email="" />);
}

export async function signInHere(c: PageContext) {
  const { email, password } = await formTexts(c, "email", "password");
  const { ctx, address } = c.env.call;
  try {
    const { token } = await signIn(ctx, { email, password, address });
    keepSignedIn(c, token);
    return c.redirect("/profile", 303);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    // Whoever mistyped is no intruder yet, so this is an ordinary refusal of a form.
    const status = error.code === "unauthenticated" ? 400 : refusalStatus(c, error);
    return c.html(<SignIn email={email} problem={refusalText(error)} />, status);
  }
}

export function signOutHere(c: PageContext) {
  const token = readSessionCookie(c.req.raw);
  if (token) signOut(c.env.call.ctx, token);
  c.header("Set-Cookie", dropSessionCookie());
  return c.redirect("/sign-in", 303);
}

/** Gives the browser the cookie of a new session. */
export function keepSignedIn(c: PageContext, token: string): void {
  c.header("Set-Cookie", keepSessionCookie(token, { maxAgeS: SESSION_MS / 1000, secure: isSecure(c) }));
}

const SignIn: FC<{ email: string; problem?: string }> = ({ email, problem }) => (
  <Page title="Sign in" narrow>
    {problem && <Note text={problem} problem />}
    <form method="post" action="/sign-in" class="card">
      <label>
        E-mail
        <input
          name="email"
          type="email"
          autocomplete="username"
          required
          maxlength={254}
          value={email}
          autofocus={email === ""}
        />
      </label>
      <label>
        Password
        <input
          name="password"
          type="password"
          autocomplete="current-password"
          required
          maxlength={256}
          autofocus={email !== ""}
        />
      </label>
      <button>Sign in</button>
    </form>
    <p class="quiet">No account yet, or the password is lost? Whoever runs this server can help.</p>
  </Page>
);
