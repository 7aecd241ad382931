/** The bar at the top of every page: where the page is, search, and the user's menu. */
import type { Child, FC } from "hono/jsx";
import type { UserActor } from "../../../authorization.ts";
import type { LabelKey } from "../../texts/texts.ts";
import { Icon, Name } from "../components.tsx";
import { useTexts } from "../page-texts.tsx";
import { Brand, SidebarButton } from "./sidebar.tsx";

interface TopBarProps {
  user: UserActor | null;
  /** The path of the current page. */
  here: string | undefined;
  hasSidebar: boolean;
  /** For small forms before signing in: no link to the sign-in page. */
  isNarrow: boolean;
  /** Commands for the whole page, in the user's menu on phones. */
  commands?: Child;
  /** Whether the page is one of a document, whose pages the search finds, too. */
  isInDocument: boolean;
  /** Where the page is, and what belongs to the whole document. */
  children?: Child;
}

export const TopBar: FC<TopBarProps> = (props) => {
  const { user, here, hasSidebar, isNarrow, commands, isInDocument, children } = props;
  const t = useTexts();
  return (
    <header class="top-bar">
      {hasSidebar && <SidebarButton />}
      {!hasSidebar && <Brand />}
      <div class="place">{children}</div>
      {user && here !== "/" && <DocumentSearch isInDocument={isInDocument} />}
      {user ? (
        <UserMenu user={user} here={here} commands={commands} isInDocument={isInDocument} />
      ) : (
        <nav class="links" aria-label={t("base.menu.label")}>
          <MenuLink to="/help" label="base.menu.help" here={here} />
          {!isNarrow && <MenuLink to="/sign-in" label="base.menu.signIn" here={here} />}
        </nav>
      )}
    </header>
  );
};

/** Links to the documents, which have a search field of their own: narrower windows only have the link. */
const DocumentSearch: FC<{ isInDocument: boolean }> = ({ isInDocument }) => {
  const t = useTexts();
  return (
    <>
      <form role="search" class="search" action="/">
        <Icon name="search" />
        <input
          type="search"
          name="q"
          aria-label={isInDocument ? t("base.search.inDocument") : t("base.search.label")}
          aria-keyshortcuts="Control+K"
          placeholder={isInDocument ? t("base.search.placeholder.inDocument") : t("base.search.placeholder")}
          autocomplete="off"
          maxlength={200}
        />
      </form>
      <a
        class="button bare search-link"
        href="/"
        data-search
        aria-label={t("base.search.link")}
        title={t("base.search.link")}
      >
        <Icon name="search" />
      </a>
    </>
  );
};

interface UserMenuProps extends Pick<TopBarProps, "here" | "commands" | "isInDocument"> {
  user: UserActor;
}

/** Opens without a script. */
const UserMenu: FC<UserMenuProps> = ({ user, here, commands, isInDocument }) => {
  const t = useTexts();
  const name = user.name || user.email;
  return (
    <details class="menu">
      <summary title={t("base.menu.accountOf", { name })}>
        <span class="initials" aria-hidden="true" translate="no">
          {initialsOf(name)}
        </span>
        <span class="unseen name">{t.rich("base.menu.accountOf", { name: <Name text={name} /> })}</span>
        <Icon name="chevron-down" />
        <Icon name="ellipsis" />
      </summary>
      <nav aria-label={t("base.menu.account")}>
        <div class="phone-only">
          {/* Filled by the scripts of pages. */}
          <div id="page-commands"></div>
          {commands}
          {here !== "/" && (
            <a href="/" data-search>
              {isInDocument ? t("base.search.inDocument") : t("base.search.label")}
            </a>
          )}
        </div>
        <p class="who" translate="no">
          {name}
        </p>
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

/** Returns the first letters of the first and the last word: two at most. */
function initialsOf(name: string): string {
  const words = name.split(/[\s@]+/).filter((word) => word !== "");
  const ends = words.length > 1 ? [words[0], words.at(-1)] : words;
  return ends.map((word) => /^./u.exec(word ?? "")?.[0].toUpperCase() ?? "").join("");
}

/** The links of the user menu. Register new pages for all users here. */
const USER_MENU_LINKS: readonly { to: string; label: LabelKey; adminsOnly?: boolean }[] = [
  { to: "/", label: "base.menu.documents" },
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
