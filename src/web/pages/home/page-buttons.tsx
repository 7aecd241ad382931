/** The buttons of the page: how lists look, and new documents, workspaces and sites. The page's script makes their menus. */
import type { FC } from "hono/jsx";
import { allows } from "../../../authorization.ts";
import { Icon } from "../../base/components.tsx";
import { useListChoice } from "../../base/list-choice-context.ts";
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

/** Opens the menu of list or grid, and of the order. */
export const ViewButton: FC = () => {
  const t = useTexts();
  const { isGrid } = useListChoice();
  return (
    <button
      type="button"
      class="plain scripted"
      id="view"
      data-menu="view"
      aria-haspopup="menu"
      aria-expanded="false"
      title={t("home.view")}
    >
      <Icon name={isGrid ? "layout-grid" : "list"} />
      <span class="phone-unseen">{t("home.view")}</span>
    </button>
  );
};
