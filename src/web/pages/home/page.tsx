import type { FC } from "hono/jsx";
import type { UserGrant } from "../../../authorization.ts";
import { listRecentDocuments } from "../../../services/documents/recent-documents.ts";
import type { Org } from "../../../wire/sites/orgs.ts";
import { ListChoiceContext, useListChoice } from "../../base/list-choice-context.ts";
import { publicUrl, sitePrefix, type PageContext } from "../../base/page-context.ts";
import { withSignedInUser } from "../../base/page-guards.tsx";
import { listSites } from "../../base/site-listings.ts";
import { NewButton, ViewButton } from "./page-buttons.tsx";
import { Shortcuts } from "./shortcuts.tsx";
import { homeData, readListChoice, SiteSection } from "./sites.tsx";
import { showWorkspace } from "./workspace-page.tsx";
import { Page } from "../../base/layout.tsx";
import { displayName } from "../../base/document-table.tsx";
import { HomeSidebar } from "../../base/shell/home-sidebar.tsx";
import type { PageRoutes } from "../../base/page-routes.ts";
import { EmptyState, Icon } from "../../base/components.tsx";
import { renderPage, useTexts } from "../../base/page-texts.tsx";

export const homeRoutes: PageRoutes = (app) => {
  app.get("/", (c) => withSignedInUser(c, (grant) => showDocuments(c, grant)));
  app.get("/workspaces/:workspaceId", (c) => withSignedInUser(c, (grant) => showWorkspace(c, grant)));
};

const showDocuments = (c: PageContext, grant: UserGrant) =>
  renderPage(
    c,
    <ListChoiceContext.Provider value={readListChoice(c)}>
      <HomePage c={c} grant={grant} />
    </ListChoiceContext.Provider>,
  );

/** Everything that a user can see; actions are handled by the page's script. */
const HomePage: FC<{ c: PageContext; grant: UserGrant }> = ({ c, grant }) => {
  const t = useTexts();
  const { ctx, scope, config } = c.env.call;
  const sites = listSites(c, grant, { showRemoved: false, sizes: true });
  const recent = listRecentDocuments(ctx, grant).filter(
    ({ site }) => scope.kind === "personal" || site.domain === scope.domain,
  );
  const isOneSite = scope.kind === "team";
  const search = c.req.query("q") ?? "";
  const heading = (
    <div class="home-top">
      <h1 class="in-bar">{t("home.title")}</h1>
      <form role="search" class="search" action="">
        <Icon name="search" />
        <input
          type="search"
          name="q"
          id="search"
          value={search}
          aria-label={t("home.search")}
          aria-keyshortcuts="Control+K"
          placeholder={t("home.search")}
          autocomplete="off"
          maxlength={200}
        />
      </form>
      {isOneSite && (
        <a class="button plain" href={config.baseDomain || config.singleOrg ? "/o/docs/" : "/"}>
          {t("home.allSites")}
        </a>
      )}
      <ViewButton />
      <NewButton sites={sites} canAddSites={!isOneSite && config.singleOrg === null} />
    </div>
  );
  const [site] = sites;
  const place = isOneSite && site ? t("home.siteTitle", { site: displayName(t, site.name) }) : t("home.title");
  return (
    <Page
      title={search === "" ? place : t("home.searchTitle", { query: search })}
      user={grant.actor}
      here="/"
      name={t("home.title")}
      bundle="home"
      heading={heading}
      sidebar={<HomeSidebar sites={sites} here="/" prefix={sitePrefix(c)} />}
      broad
    >
      <div id="home" {...homeData(config, useListChoice())}>
        <Shortcuts sites={sites} recent={recent} prefix={sitePrefix(c)} isHidden={search.trim() !== ""} />
        {sites.map((site) => (
          <SiteSection
            site={site}
            address={siteUrl(c, site.org)}
            prefix={sitePrefix(c)}
            isOneOfSeveral={sites.length > 1}
          />
        ))}
        {sites.length === 0 && (
          <EmptyState title={t("home.nothing.title")} icon="lock">
            <p>{t("home.nothing.text")}</p>
          </EmptyState>
        )}
      </div>
      <div id="no-match" hidden>
        <EmptyState title={t("home.noResults.title")} icon="search">
          <p>{t("home.noResults.text")}</p>
        </EmptyState>
      </div>
    </Page>
  );
};

/** The URL of a site: its own host where the settings define one, otherwise a path below `/o/`. */
function siteUrl(c: PageContext, { domain, owner }: Org): string {
  const { baseDomain } = c.env.call.config;
  if (owner !== null || baseDomain === null) return `/o/${encodeURIComponent(domain)}/`;
  const { protocol, port } = new URL(publicUrl(c));
  return `${protocol}//${domain}.${baseDomain}${port && `:${port}`}/`;
}
