import type { FC } from "hono/jsx";
import type { UserGrant } from "../../../authorization.ts";
import type { Org } from "../../../wire/sites/orgs.ts";
import { DOCUMENT_TABS } from "../../base/document-tabs.ts";
import { publicUrl, sitePrefix, type PageContext } from "../../base/page-context.ts";
import { withSignedInUser } from "../../base/page-guards.tsx";
import { listSites } from "../../base/site-listings.ts";
import { SiteSection } from "./sites.tsx";
import { Page } from "../../base/layout.tsx";
import type { PageRoutes } from "../../base/page-routes.ts";
import { EmptyState, Icon } from "../../base/components.tsx";
import { renderPage, useTexts } from "../../base/page-texts.tsx";

export const homeRoutes: PageRoutes = (app) => {
  app.get("/", (c) => withSignedInUser(c, (grant) => renderPage(c, <HomePage c={c} grant={grant} />)));
};

/** Everything that a user can see; actions are handled by the page's script. */
const HomePage: FC<{ c: PageContext; grant: UserGrant }> = ({ c, grant }) => {
  const t = useTexts();
  const { scope, config } = c.env.call;
  const sites = listSites(c, grant, { showRemoved: false, sizes: true });
  const isOneSite = scope.kind === "team";
  const search = c.req.query("q") ?? "";
  const heading = (
    <div class="home-top">
      <h1>{t("home.title")}</h1>
      <form role="search" class="search" action="">
        <Icon name="search" />
        <input
          type="search"
          name="q"
          id="search"
          value={search}
          aria-label={t("home.search")}
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
      {!isOneSite && config.singleOrg === null && (
        <button type="button" class="plain scripted" data-do="new-site">
          <Icon name="add" />
          {t("home.newSite")}
        </button>
      )}
    </div>
  );
  return (
    <Page title={t("home.title")} user={grant.actor} here="/" bundle="home" heading={heading} broad>
      <p class="unseen" id="found" role="status"></p>
      <div id="home" data-max-upload={config.maxUpload} {...(hasSharing && { "data-has-sharing": "" })}>
        {sites.map((site) => (
          <SiteSection site={site} address={siteUrl(c, site.org)} prefix={sitePrefix(c)} />
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

const hasSharing = DOCUMENT_TABS.some(({ name }) => name === "sharing");

/** The URL of a site: its own host where the settings define one, otherwise a path below `/o/`. */
function siteUrl(c: PageContext, { domain, owner }: Org): string {
  const { baseDomain } = c.env.call.config;
  if (owner !== null || baseDomain === null) return `/o/${encodeURIComponent(domain)}/`;
  const { protocol, port } = new URL(publicUrl(c));
  return `${protocol}//${domain}.${baseDomain}${port && `:${port}`}/`;
}
