/** The sidebar of the documents: sites with their workspaces, and the trash. */
import type { FC } from "hono/jsx";
import { allows } from "../../../authorization.ts";
import type { ListedWorkspace } from "../../../wire/sites/workspaces.ts";
import { DisplayName } from "../document-table.tsx";
import { useSidebarState, useTexts } from "../page-texts.tsx";
import { canAddDocuments, type SiteListing } from "../site-listings.ts";
import { SidebarEntry, SidebarGroup } from "./sidebar.tsx";

interface HomeSidebarProps {
  sites: readonly Pick<SiteListing, "org" | "name" | "role" | "workspaces">[];
  /** The path of the current page. */
  here: string;
  /** Path prefix of links. */
  prefix: string;
}

export const HomeSidebar: FC<HomeSidebarProps> = ({ sites, here, prefix }) => {
  const t = useTexts();
  return (
    <SidebarGroup id="places" label={t("base.menu.documents")}>
      <SidebarEntry to={`${prefix}/`} icon="house" isCurrent={here === "/"} label={t("base.menu.documents")} />
      {sites.map((site) => (
        <SiteEntry site={site} here={here} prefix={prefix} />
      ))}
      <SidebarEntry to="/trash" icon="trash-2" isCurrent={here === "/trash"} label={t("base.menu.trash")} />
    </SidebarGroup>
  );
};

interface SiteEntryProps extends Omit<HomeSidebarProps, "sites"> {
  site: HomeSidebarProps["sites"][number];
}

const SiteEntry: FC<SiteEntryProps> = ({ site: { org, name, role, workspaces }, here, prefix }) => {
  const { foldedSites } = useSidebarState();
  const hasCurrent = workspaces.some(({ id }) => here === workspacePath(id));
  const isFolded = foldedSites.includes(String(org.id)) && !hasCurrent;
  return (
    <SidebarEntry
      to={`${prefix}/#site-${org.id}`}
      icon={org.owner === null ? "building-2" : "user"}
      isCurrent={here === `/sites/${org.id}`}
      label={<DisplayName name={name} />}
      data={{
        id: `site-entry-${org.id}`,
        "data-site-entry": String(org.id),
        "data-name": name,
        ...(allows(role, "editors") && { "data-may-add": "" }),
      }}
      {...(workspaces.length > 0 && { isFolded })}
    >
      {workspaces.length > 0 &&
        workspaces.map((workspace) => (
          <SidebarEntry
            to={`${prefix}${workspacePath(workspace.id)}`}
            icon="folder"
            isCurrent={here === workspacePath(workspace.id)}
            label={<DisplayName name={workspace.name} />}
            data={workspaceData(workspace, name)}
          />
        ))}
    </SidebarEntry>
  );
};

/** The path of the page that lists the documents of a workspace, below the prefix. */
export const workspacePath = (id: number): string => `/workspaces/${id}`;

/** Commands such as Move list the workspaces that documents can be added to. */
const workspaceData = (workspace: ListedWorkspace, siteName: string) => ({
  id: `workspace-entry-${workspace.id}`,
  "data-workspace-entry": String(workspace.id),
  "data-name": workspace.name,
  "data-site-name": siteName,
  "data-role": workspace.access ?? "",
  ...(canAddDocuments(workspace) && { "data-may-add": "" }),
});
