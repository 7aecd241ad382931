import type { Child, FC } from "hono/jsx";
import type { UserActor } from "../access.ts";
import { assetPath } from "./assets.ts";

interface PageProps {
  title: string;
  /** Who is signed in; the way out is offered to him. */
  user?: UserActor;
  /** For forms of a few fields. */
  narrow?: boolean;
  children?: Child;
}

/** The frame of every page. */
export const Page: FC<PageProps> = ({ title, user, narrow = false, children }) => (
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <title>{`${title} · Quern`}</title>
      <link rel="stylesheet" href={assetPath("style")} />
      <script src={assetPath("client")} defer></script>
    </head>
    <body>
      <header class="top">
        <a class="brand" href="/">
          Quern
        </a>
        <a href="/reference">API reference</a>
        {user && (
          <form method="post" action="/sign-out">
            <button class="plain">Sign out</button>
          </form>
        )}
      </header>
      <main class={narrow ? "narrow" : ""}>
        <h1>{title}</h1>
        {children}
      </main>
    </body>
  </html>
);

/** A sentence about what just happened; `problem` when it went wrong. */
export const Note: FC<{ text: string; problem?: boolean }> = ({ text, problem = false }) => (
  <p class={problem ? "note problem" : "note"} role={problem ? "alert" : "status"}>
    {text}
  </p>
);
