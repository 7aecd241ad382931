import type { FC } from "hono/jsx";
import { AppError } from "../../errors.ts";
import { dropSessionCookie, keepSessionCookie, readSessionCookie } from "../../lib/session-cookie.ts";
import { SESSION_MS } from "../../services/actors.ts";
import { signIn, signOut } from "../../services/sign-in.ts";
import { formTexts, isSecure, visitor, type PageContext } from "../env.ts";
import { Note, Page } from "../layout.tsx";
import type { PageRoutes } from "../page-route.ts";
import { refusalStatus, refusalText } from "../problem.tsx";

export const signInRoutes: PageRoutes = (app) => {
  app.get("/sign-in", showSignIn).post(signInHere);
  app.post("/sign-out", signOutHere);
};

function showSignIn(c: PageContext) {
  const next = c.req.query("next") ?? "";
  const isEnded = c.req.query("ended") !== undefined;
  return visitor(c) ? c.redirect(placeAfter(next)) : c.html(<SignIn email="" next={next} isEnded={isEnded} />);
}

async function signInHere(c: PageContext) {
  const { email, password, next } = await formTexts(c, "email", "password", "next");
  const { ctx, address } = c.env.call;
  try {
    const { token } = await signIn(ctx, { email, password, address });
    keepSignedIn(c, token);
    return c.redirect(placeAfter(next), 303);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    // Whoever mistyped is no intruder yet, so this is an ordinary refusal of a form.
    const status = error.code === "unauthenticated" ? 400 : refusalStatus(c, error);
    return c.html(<SignIn email={email} next={next} problem={refusalText(error)} />, status);
  }
}

function signOutHere(c: PageContext) {
  const token = readSessionCookie(c.req.raw);
  if (token) signOut(c.env.call.ctx, token);
  c.header("Set-Cookie", dropSessionCookie());
  return c.redirect("/sign-in", 303);
}

/**
 * Where signing in leads: to the page that asked for it, when it is one of ours. Resolving `/.//host` gives the path
 * `//host`, which browsers take for another host: so the place is resolved again, as a browser will do.
 */
function placeAfter(next: string): string {
  const start = "/";
  const target = next.startsWith("/") ? URL.parse(next, ANY_ORIGIN) : null;
  if (target?.origin !== ANY_ORIGIN) return start;
  const place = `${target.pathname}${target.search}${target.hash}`;
  return URL.parse(place, ANY_ORIGIN)?.href === `${ANY_ORIGIN}${place}` ? place : start;
}

const ANY_ORIGIN = "http://host.invalid";

/** Gives the browser the cookie of a new session. */
export function keepSignedIn(c: PageContext, token: string): void {
  c.header("Set-Cookie", keepSessionCookie(token, { maxAgeS: SESSION_MS / 1000, secure: isSecure(c) }));
}

interface SignInProps {
  email: string;
  next: string;
  problem?: string;
  /** Whether somebody sent a form whose session had ended. */
  isEnded?: boolean;
}

const SignIn: FC<SignInProps> = ({ email, next, problem, isEnded = false }) => (
  <Page title="Sign in" narrow>
    {isEnded && <Note text="You were signed out. Sign in to go on; nothing has been changed." problem />}
    {problem && <Note text={problem} problem />}
    <form method="post" action="/sign-in" class="card">
      {next && <input type="hidden" name="next" value={next} />}
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
