/** The page of a workspace: its documents. */
import type { UserGrant } from "../../../authorization.ts";
import { notFound } from "../../../errors.ts";
import { guardWorkspace } from "../../../services/access/guards.ts";
import { describeWorkspace } from "../../../services/sites/workspaces.ts";
import { ListChoiceContext } from "../../base/list-choice-context.ts";
import { displayName, DisplayName } from "../../base/document-table.tsx";
import { Page } from "../../base/layout.tsx";
import { sitePrefix, type PageContext } from "../../base/page-context.ts";
import { renderErrorPage } from "../../base/page-guards.tsx";
import { pageTexts, renderPage } from "../../base/page-texts.tsx";
import { HomeSidebar, workspacePath } from "../../base/shell/home-sidebar.tsx";
import { canAddDocuments, listSites, sortDocuments } from "../../base/site-listings.ts";
import { NewButton, ViewButton } from "./page-buttons.tsx";
import { homeData, readListChoice, siteData, WorkspaceSection } from "./sites.tsx";

/** Shows what the user can see of the workspace in the path. */
export function showWorkspace(c: PageContext, user: UserGrant): Response | Promise<Response> {
  const { ctx, config } = c.env.call;
  const t = pageTexts(c);
  try {
    const grant = guardWorkspace(ctx, user.actor, c.req.param("workspaceId") ?? "", "guests");
    const workspace = sortDocuments(describeWorkspace(ctx, grant, { showRemoved: false, sizes: true }));
    const sites = listSites(c, user, { showRemoved: false, sizes: false });
    // The address of a site has the workspaces of that site only.
    const site = sites.find(({ org }) => org.id === grant.orgId);
    if (!site) throw notFound("Workspace not found", "workspace.not_found");
    const prefix = sitePrefix(c);
    const showsWelcome = workspace.docs.length === 0 && canAddDocuments(workspace);
    const choice = readListChoice(c);
    return renderPage(
      c,
      <ListChoiceContext.Provider value={choice}>
        <Page
          title={displayName(t, workspace.name)}
          user={user.actor}
          here={workspacePath(workspace.id)}
          name={<DisplayName name={workspace.name} />}
          crumbs={[
            { to: `${prefix}/`, label: t("base.menu.documents") },
            { to: `${prefix}/#site-${site.org.id}`, label: <DisplayName name={site.name} /> },
          ]}
          bundle="home"
          heading={false}
          sidebar={<HomeSidebar sites={sites} here={workspacePath(workspace.id)} prefix={prefix} />}
          broad
        >
          <div id="home" {...homeData(config, choice)}>
            <div {...siteData(site)}>
              <WorkspaceSection
                workspace={workspace}
                siteRole={site.role}
                prefix={prefix}
                showsWelcome={showsWelcome}
                isWhole
                commands={
                  <>
                    <ViewButton />
                    <NewButton sites={sites} canAddSites={false} />
                  </>
                }
              />
            </div>
          </div>
        </Page>
      </ListChoiceContext.Provider>,
    );
  } catch (error) {
    return renderErrorPage(c, error, user.actor);
  }
}
