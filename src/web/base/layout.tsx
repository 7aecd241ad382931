import { raw } from "hono/html";
import type { Child, FC } from "hono/jsx";
import type { UserActor } from "../../authorization.ts";
import { assetPath, hasAsset, preloadPaths, textsPath } from "../assets.ts";
import { directionOf } from "../texts/languages.ts";
import type { LabelKey } from "../texts/texts.ts";
import { Icon } from "./components.tsx";
import { useLanguage, useTexts } from "./page-texts.tsx";

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
  const t = useTexts();
  const { language, locale } = useLanguage();
  const script = bundle && hasAsset(`${bundle}.js`) ? `${bundle}.js` : null;
  return (
    <>
      {/* Without it browsers use quirks mode. */}
      {raw("<!doctype html>")}
      {/* Scripts compare this id to detect that the page's session has ended. */}
      <html lang={locale} dir={directionOf(locale)} {...(user && { "data-user": user.userId })}>
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="color-scheme" content="light dark" />
          <title>{t("base.title", { title })}</title>
          <link rel="icon" type="image/svg+xml" href={assetPath("icon.svg")} />
          <link rel="stylesheet" href={assetPath("base.css")} />
          {bundle && hasAsset(`${bundle}.css`) && <link rel="stylesheet" href={assetPath(`${bundle}.css`)} />}
          {/* Before the scripts that use it: the browser runs modules in this order. */}
          <script type="module" src={textsPath(script, language)}></script>
          <script type="module" src={assetPath("page.js")}></script>
          {script && <script type="module" src={assetPath(script)}></script>}
          {preloadPaths("page.js", ...(script ? [script] : [])).map((address) => (
            <link rel="modulepreload" href={address} />
          ))}
        </head>
        <body class={bundle && `on-${bundle}`}>
          <a class="skip" href="#content">
            {t("base.skip")}
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
          <div id="toasts" role="region" aria-label={t("base.messages")} aria-live="polite"></div>
        </body>
      </html>
    </>
  );
};

const Header: FC<{ user: UserActor | null; here: string | undefined; narrow: boolean }> = ({ user, here, narrow }) => {
  const t = useTexts();
  return (
    <header class="top">
      <a class="brand" href="/" translate="no">
        <img src={assetPath("icon.svg")} alt="" width="28" height="28" />
        Quern
      </a>
      {user && here !== "/" && <HeaderSearch />}
      {user ? (
        <UserMenu user={user} here={here} />
      ) : (
        <nav aria-label={t("base.menu.label")}>
          <MenuLink to="/help" label="base.menu.help" here={here} />
          {!narrow && <MenuLink to="/sign-in" label="base.menu.signIn" here={here} />}
        </nav>
      )}
    </header>
  );
};

/** Links to the documents, which have a search field of their own; phones use that one. */
const HeaderSearch: FC = () => {
  const t = useTexts();
  return (
    <form role="search" class="search" action="/">
      <Icon name="search" />
      <input
        type="search"
        name="q"
        aria-label={t("base.search.label")}
        placeholder={t("base.search.placeholder")}
        autocomplete="off"
        maxlength={200}
      />
    </form>
  );
};

/** Opens without a script. */
const UserMenu: FC<{ user: UserActor; here: string | undefined }> = ({ user, here }) => {
  const t = useTexts();
  return (
    <details class="menu">
      <summary>
        <Icon name="person" />
        <span class="name" translate="no">
          {user.name || user.email}
        </span>
        <Icon name="down" />
      </summary>
      <nav aria-label={t("base.menu.label")}>
        {USER_MENU_LINKS.filter(({ adminsOnly }) => !adminsOnly || user.isAdmin).map(({ to, label }) => (
          <MenuLink to={to} label={label} here={here} />
        ))}
        {/* Users authenticated by the reverse proxy can only sign out there. */}
        {user.via !== "proxy" && (
          <form method="post" action="/sign-out">
            <button class="plain">{t("base.menu.signOut")}</button>
          </form>
        )}
      </nav>
    </details>
  );
};

/** The links of the user menu. Register new pages for all users here. */
const USER_MENU_LINKS: readonly { to: string; label: LabelKey; adminsOnly?: boolean }[] = [
  { to: "/", label: "base.menu.documents" },
  { to: "/trash", label: "base.menu.trash" },
  { to: "/profile", label: "base.menu.profile" },
  { to: "/admin", label: "base.menu.administration", adminsOnly: true },
  { to: "/reference", label: "reference.title" },
  { to: "/help", label: "base.menu.help" },
];

const MenuLink: FC<{ to: string; label: LabelKey; here: string | undefined }> = ({ to, label, here }) => (
  <a href={to} {...(to === here && { "aria-current": "page" })}>
    {useTexts()(label)}
  </a>
);
