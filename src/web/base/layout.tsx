import { raw } from "hono/html";
import type { Child, FC } from "hono/jsx";
import type { UserActor } from "../../authorization.ts";
import { assetPath, hasAsset, preloadPaths } from "../assets.ts";
import { Icon } from "./components.tsx";

export { StatusMessage } from "./components.tsx";

export interface PageProps {
  title: string;
  /** Who is signed in. */
  user?: UserActor | null;
  /** Address of the page that the header leads to, when this is it. */
  here?: string;
  /** For forms of a few fields, where nobody is signed in yet. */
  narrow?: boolean;
  /** For what fills the window: tables, editors. */
  wide?: boolean;
  /** For lists of several columns, which need more room than text. */
  broad?: boolean;
  /** Name of the page's own script and styles: `pages/<bundle>/client/<bundle>.ts`, `pages/<bundle>/styles.css`. */
  bundle?: string;
  /** What stands beside the content, or above it where there is no room. */
  aside?: Child;
  /** What stands in place of the title; it has to hold the only `<h1>`. */
  heading?: Child;
  children?: Child;
}

/** The frame of every page. */
export const Page: FC<PageProps> = ({ title, user, here, narrow, broad, wide, bundle, aside, heading, children }) => {
  const script = bundle && hasAsset(`${bundle}.js`) ? `${bundle}.js` : null;
  return (
    <>
      {/* Without it browsers lay pages out as they did in the nineties. */}
      {raw("<!doctype html>")}
      {/* Scripts tell by the number whether the session that the page was made for is still there. */}
      <html lang="en" {...(user && { "data-user": user.userId })}>
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="color-scheme" content="light dark" />
          <title>{`${title} · Quern`}</title>
          <link rel="icon" type="image/svg+xml" href={assetPath("icon.svg")} />
          <link rel="stylesheet" href={assetPath("base.css")} />
          {bundle && hasAsset(`${bundle}.css`) && <link rel="stylesheet" href={assetPath(`${bundle}.css`)} />}
          <script type="module" src={assetPath("page.js")}></script>
          {script && <script type="module" src={assetPath(script)}></script>}
          {preloadPaths("page.js", ...(script ? [script] : [])).map((address) => (
            <link rel="modulepreload" href={address} />
          ))}
        </head>
        <body class={bundle && `on-${bundle}`}>
          <a class="skip" href="#content">
            Skip to the content
          </a>
          <Header user={user ?? null} here={here} narrow={narrow ?? false} />
          <div
            class={["page", aside && "with-aside", narrow && "narrow", broad && "broad", wide && "wide"]
              .filter(Boolean)
              .join(" ")}
          >
            {aside}
            <main id="content" tabindex={-1}>
              {heading ?? <h1>{title}</h1>}
              {children}
            </main>
          </div>
          <div id="toasts" role="region" aria-label="Messages" aria-live="polite"></div>
        </body>
      </html>
    </>
  );
};

const Header: FC<{ user: UserActor | null; here: string | undefined; narrow: boolean }> = ({ user, here, narrow }) => (
  <header class="top">
    <a class="brand" href="/">
      <img src={assetPath("icon.svg")} alt="" width="28" height="28" />
      Quern
    </a>
    {user && here !== "/" && <HeaderSearch />}
    {user ? (
      <UserMenu user={user} here={here} />
    ) : (
      <nav aria-label="Quern">
        <MenuLink to="/reference" name="API reference" here={here} />
        {!narrow && <MenuLink to="/sign-in" name="Sign in" here={here} />}
      </nav>
    )}
  </header>
);

/** Leads to the documents, which have a field of their own; on a phone that is where one searches. */
const HeaderSearch: FC = () => (
  <form role="search" class="search" action="/">
    <Icon name="search" />
    <input
      type="search"
      name="q"
      aria-label="Search documents by name"
      placeholder="Search documents"
      autocomplete="off"
      maxlength={200}
    />
  </form>
);

/** Opens without a script, too. */
const UserMenu: FC<{ user: UserActor; here: string | undefined }> = ({ user, here }) => (
  <details class="menu">
    <summary>
      <Icon name="person" />
      <span class="name">{user.name || user.email}</span>
      <Icon name="down" />
    </summary>
    <nav aria-label="Quern">
      {USER_MENU_LINKS.filter(({ adminsOnly }) => !adminsOnly || user.isAdmin).map(({ to, name }) => (
        <MenuLink to={to} name={name} here={here} />
      ))}
      {/* Whom the reverse proxy vouches for can only sign out there. */}
      {user.via !== "proxy" && (
        <form method="post" action="/sign-out">
          <button class="plain">Sign out</button>
        </form>
      )}
    </nav>
  </details>
);

/** What the menu of a person leads to; pages for all are added here by those who make them. */
const USER_MENU_LINKS: readonly { to: string; name: string; adminsOnly?: boolean }[] = [
  { to: "/", name: "Documents" },
  { to: "/trash", name: "Trash" },
  { to: "/profile", name: "Profile" },
  { to: "/admin", name: "Administration", adminsOnly: true },
  { to: "/reference", name: "API reference" },
];

const MenuLink: FC<{ to: string; name: string; here: string | undefined }> = ({ to, name, here }) => (
  <a href={to} {...(to === here && { "aria-current": "page" })}>
    {name}
  </a>
);
