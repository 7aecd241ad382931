import { raw } from "hono/html";
import type { Child, FC } from "hono/jsx";
import type { UserActor } from "../../authorization.ts";
import { assetPath, hasAsset, preloadPaths } from "../assets.ts";
import { Icon } from "./components.tsx";

export { StatusMessage } from "./components.tsx";

export interface PageProps {
  title: string;
  /** The signed-in user. */
  user?: UserActor | null;
  /** The current page's URL in the header's navigation. */
  here?: string;
  /** For small forms before signing in. */
  narrow?: boolean;
  /** For content that fills the window: tables, editors. */
  wide?: boolean;
  /** For lists of several columns, which need more width than text. */
  broad?: boolean;
  /** Name of the page's own script and styles: `pages/<bundle>/client/<bundle>.ts`, `pages/<bundle>/styles.css`. */
  bundle?: string;
  /** Content beside the main content, or above it on narrow screens. */
  aside?: Child;
  /** Replaces the title; must contain the only `<h1>`. */
  heading?: Child;
  children?: Child;
}

/** The frame of every page. */
export const Page: FC<PageProps> = ({ title, user, here, narrow, broad, wide, bundle, aside, heading, children }) => {
  const script = bundle && hasAsset(`${bundle}.js`) ? `${bundle}.js` : null;
  return (
    <>
      {/* Without it browsers use quirks mode. */}
      {raw("<!doctype html>")}
      {/* Scripts compare this id to detect that the page's session has ended. */}
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

/** Links to the documents, which have a search field of their own; phones use that one. */
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

/** Opens without a script. */
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
      {/* Users authenticated by the reverse proxy can only sign out there. */}
      {user.via !== "proxy" && (
        <form method="post" action="/sign-out">
          <button class="plain">Sign out</button>
        </form>
      )}
    </nav>
  </details>
);

/** The links of the user menu. Register new pages for all users here. */
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
