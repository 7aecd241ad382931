/** The sidebar of the documents: sites with their workspaces, and the trash. */
import type { FC } from "hono/jsx";
import { DisplayName } from "../document-table.tsx";
import { useTexts } from "../page-texts.tsx";
import type { SiteListing } from "../site-listings.ts";
import { SidebarEntry, SidebarGroup } from "./sidebar.tsx";

interface HomeSidebarProps {
  sites: readonly Pick<SiteListing, "org" | "name" | "workspaces">[];
  /** The path of the current page. */
  here: string;
  /** Path prefix of links. */
  prefix: string;
}

export const HomeSidebar: FC<HomeSidebarProps> = ({ sites, here, prefix }) => {
  const t = useTexts();
  return (
    <SidebarGroup label={t("base.menu.documents")}>
      <SidebarEntry to={`${prefix}/`} icon="house" isCurrent={here === "/"} label={t("base.menu.documents")} />
      {sites.map(({ org, name, workspaces }) => (
        <SidebarEntry
          to={`${prefix}/#site-${org.id}`}
          icon={org.owner === null ? "building-2" : "user"}
          isCurrent={here === `/sites/${org.id}`}
          label={<DisplayName name={name} />}
        >
          {workspaces.length > 0 &&
            workspaces.map((workspace) => (
              <SidebarEntry
                to={`${prefix}/#workspace-${workspace.id}`}
                icon="folder"
                isCurrent={here === `/workspaces/${workspace.id}`}
                label={<DisplayName name={workspace.name} />}
              />
            ))}
        </SidebarEntry>
      ))}
      <SidebarEntry to="/trash" icon="trash-2" isCurrent={here === "/trash"} label={t("base.menu.trash")} />
    </SidebarGroup>
  );
};
