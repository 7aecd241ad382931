/** The texts of a page, in the language of its visitor. */
import { createContext, useContext, type Child } from "hono/jsx";
import { AppError } from "../../errors.ts";
import { preferredLanguage } from "../../services/accounts/profile.ts";
import { chooseLanguage, textsOf, type PageLanguage } from "../texts/languages.ts";
import type { Texts } from "../texts/texts.ts";
import { readChoice, signedInUser, type PageContext } from "./page-context.ts";

export type PageTexts = Texts<Child>;

const LanguageContext = createContext<PageLanguage>(chooseLanguage(null, null));

/** Returns the language of the page, within components. */
export const useLanguage = (): PageLanguage => useContext(LanguageContext);

/** How the visitor left the sidebar, from cookies that the page's script sets. */
export interface SidebarState {
  readonly isClosed: boolean;
  /** Ids of the sites whose workspaces are hidden. */
  readonly foldedSites: readonly string[];
  /** Whether documents with pages list their tables, too. */
  readonly showsTables: boolean;
}

const SidebarContext = createContext<SidebarState>({ isClosed: false, foldedSites: [], showsTables: false });

/** Returns how the visitor left the sidebar, within components. */
export const useSidebarState = (): SidebarState => useContext(SidebarContext);

/** Returns the texts of the page, within components: `const t = useTexts();`. Functions take them as an argument. */
export const useTexts = (): PageTexts => textsOf(useLanguage());

/** Returns the texts of the page, outside of components. */
export const pageTexts = (c: PageContext): PageTexts => textsOf(pageLanguage(c));

/** Returns the language of the page: the user's choice, else the browser's. */
export function pageLanguage(c: PageContext): PageLanguage {
  const known = c.get("language");
  if (known) return known;
  const language = chooseLanguage(chosenLanguage(c), c.req.header("accept-language") ?? null);
  c.set("language", language);
  return language;
}

function chosenLanguage(c: PageContext): string | null {
  try {
    const user = signedInUser(c);
    return user && preferredLanguage(c.env.call.ctx, user);
  } catch (error) {
    // The page is then the one that shows this error.
    if (error instanceof AppError) return null;
    throw error;
  }
}

type PageStatus = 200 | 400 | 403 | 404 | 413 | 429 | 500 | 503 | 507;

/** Renders a page in the language of its visitor. */
export function renderPage(c: PageContext, page: Child, status: PageStatus = 200): Response | Promise<Response> {
  // Other visitors, and the same one with another choice, get other texts.
  c.header("Vary", "Accept-Language, Cookie", { append: true });
  const sidebar = {
    isClosed: readChoice(c, "quern_sidebar") === "closed",
    foldedSites: readChoice(c, "quern_folded").split("."),
    showsTables: readChoice(c, "quern_tables") === "open",
  };
  return c.html(
    <LanguageContext.Provider value={pageLanguage(c)}>
      <SidebarContext.Provider value={sidebar}>{page}</SidebarContext.Provider>
    </LanguageContext.Provider>,
    status,
  );
}
