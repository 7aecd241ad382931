import { raw } from "hono/html";
import type { Child, FC } from "hono/jsx";
import type { UserActor } from "../access.ts";
import { assetPath } from "./assets.ts";

interface PageProps {
  title: string;
  /** Who is signed in. */
  user?: UserActor | null;
  /** Address of the page that the header leads to, when this is it. */
  here?: string;
  /** For forms of a few fields, where nobody is signed in yet. */
  narrow?: boolean;
  /** What stands beside the content, or above it where there is no room. */
  aside?: Child;
  children?: Child;
}

/** The frame of every page. */
export const Page: FC<PageProps> = ({ title, user, here, narrow = false, aside, children }) => (
  <>
    {/* Without it browsers lay pages out as they did in the nineties. */}
    {raw("<!doctype html>")}
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${title} · Quern`}</title>
        <link rel="icon" type="image/svg+xml" href={assetPath("icon")} />
        <link rel="stylesheet" href={assetPath("style")} />
        <script src={assetPath("client")} defer></script>
      </head>
      <body>
        <a class="skip" href="#content">
          Skip to the content
        </a>
        <header class="top">
          <a class="brand" href="/">
            <img src={assetPath("icon")} alt="" width="28" height="28" />
            Quern
          </a>
          <nav aria-label="Quern">
            {user && <Place to="/profile" name="Profile" here={here} />}
            <Place to="/reference" name="API reference" here={here} />
            {!user && !narrow && <Place to="/sign-in" name="Sign in" here={here} />}
          </nav>
          {/* Whom the reverse proxy vouches for can only sign out there. */}
          {user && user.via !== "proxy" && (
            <form method="post" action="/sign-out">
              <button class="plain">Sign out</button>
            </form>
          )}
        </header>
        <div class={aside ? "page with-aside" : narrow ? "page narrow" : "page"}>
          {aside}
          <main id="content" tabindex={-1}>
            <h1>{title}</h1>
            {children}
          </main>
        </div>
      </body>
    </html>
  </>
);

const Place: FC<{ to: string; name: string; here: string | undefined }> = ({ to, name, here }) => (
  <a href={to} {...(to === here && { "aria-current": "page" })}>
    {name}
  </a>
);

/** A sentence about what just happened; `problem` when it went wrong. */
export const Note: FC<{ text: string; problem?: boolean }> = ({ text, problem = false }) => (
  <p class={problem ? "note problem" : "note"} role={problem ? "alert" : "status"}>
    {text}
  </p>
);
