/** The sidebar of the help and of the API reference. */
import type { Child, FC } from "hono/jsx";
import { assetPath } from "../../assets.ts";
import { Icon } from "../components.tsx";
import { useTexts } from "../page-texts.tsx";
import { SECTIONS_ASSET } from "./help-content.ts";
import { MAX_QUERY_LENGTH, type HelpContents } from "./help-types.ts";

interface HelpSidebarProps {
  contents: HelpContents;
  /** The path of the current page. */
  here: string;
  /** The search of the current page. */
  query?: string;
  /** Below the link to the API reference: its groups. */
  children?: Child;
}

/** Search and chapters. */
export const HelpSidebar: FC<HelpSidebarProps> = ({ contents, here, query = "", children }) => {
  const t = useTexts();
  return (
    <div class="help-sidebar">
      <SearchForm query={query} />
      <nav class="help-chapters" aria-label={t("help.title")}>
        {contents.chapters.map(({ title, pages }, index) => (
          <div lang="en" translate="no">
            <p id={`help-chapter-${index}`}>{title}</p>
            <ul aria-labelledby={`help-chapter-${index}`}>
              {pages.map((page) => (
                <li>
                  <SidebarLink to={`/help/${page.name}`} here={here}>
                    {page.title}
                  </SidebarLink>
                </li>
              ))}
            </ul>
          </div>
        ))}
        <p id="help-chapter-api">{t("help.reference.chapter")}</p>
        <ul aria-labelledby="help-chapter-api">
          <li>
            <SidebarLink to="/reference" here={here}>
              {t("reference.title")}
            </SidebarLink>
            {children}
          </li>
        </ul>
      </nav>
    </div>
  );
};

/** Works without a script, which adds results while typing. */
const SearchForm: FC<{ query: string }> = ({ query }) => {
  const t = useTexts();
  return (
    <form
      role="search"
      class="search help-search"
      action="/help"
      aria-label={t("help.search.label")}
      data-sections={assetPath(SECTIONS_ASSET)}
    >
      <Icon name="search" />
      <input
        type="search"
        name="q"
        aria-label={t("help.search.label")}
        placeholder={t("help.search.label")}
        value={query}
        autocomplete="off"
        maxlength={MAX_QUERY_LENGTH}
      />
    </form>
  );
};

export const SidebarLink: FC<{ to: string; here: string; children?: Child }> = ({ to, here, children }) => (
  <a href={to} {...(to === here && { "aria-current": "page" })}>
    {children}
  </a>
);
