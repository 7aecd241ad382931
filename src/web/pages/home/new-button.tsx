/** The button for new documents, workspaces and sites; its menu is made by the page's script. */
import type { FC } from "hono/jsx";
import { allows } from "../../../authorization.ts";
import { Icon } from "../../base/components.tsx";
import { useTexts } from "../../base/page-texts.tsx";
import { canAddDocuments, type SiteListing } from "../../base/site-listings.ts";

interface NewButtonProps {
  sites: readonly SiteListing[];
  /** Whether the user may create sites here. */
  canAddSites: boolean;
}

/** The only filled button of the page. Absent for users who may create nothing. */
export const NewButton: FC<NewButtonProps> = ({ sites, canAddSites }) => {
  const t = useTexts();
  const canAdd = sites.some(({ role, workspaces }) => allows(role, "editors") || workspaces.some(canAddDocuments));
  if (!canAdd && !canAddSites) return <></>;
  return (
    <button
      type="button"
      class="scripted"
      id="new"
      data-menu="new"
      aria-haspopup="menu"
      aria-expanded="false"
      {...(canAddSites && { "data-can-add-sites": "" })}
    >
      <Icon name="plus" />
      {t("home.new")}
      <Icon name="chevron-down" />
    </button>
  );
};
