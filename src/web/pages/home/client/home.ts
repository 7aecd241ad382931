/** The home page: menus of documents, workspaces and sites, imports, search. */
import { findOptional } from "../../../base/client/dom.ts";
import { type MenuEntry, openMenu, type MenuItem } from "../../../base/client/menu.ts";
import { t } from "../../../base/client/texts.ts";
import * as changes from "./actions.ts";
import { enableFileDrop, importFromAddress, pickFiles } from "./imports.ts";
import { sortByHeader, viewMenu } from "./list-view.ts";
import { enableDocumentDrag, moveDocument } from "./move.ts";
import { newDocument } from "./new-document.ts";
import { newMenu } from "./new-menu.ts";
import { enableRowSearch } from "./row-search/row-search.ts";
import { enableSearch } from "./search.ts";
import {
  readDocumentRow,
  hasSharingPages,
  readSiteSection,
  readWorkspaceSection,
  writableWorkspaces,
} from "./page-data.ts";
import { SITE_PREFIX } from "../../../base/client/api.ts";

const MENUS: Record<string, (button: HTMLElement) => MenuEntry[]> = {
  new: newMenu,
  view: viewMenu,
  document: documentMenu,
  workspace: workspaceMenu,
  site: siteMenu,
};

const ACTIONS: Record<string, (button: HTMLElement) => unknown> = {
  sort: sortByHeader,
  "new-workspace": (button) => changes.newWorkspace([readSiteSection(button)]),
  "new-document": (button) => newDocument(readWorkspaceSection(button), button.dataset["template"]),
  "all-recent": showAllRecent,
  import: (button) => pickFiles(readWorkspaceSection(button).id),
};

// The page of a workspace has the search of the top bar.
const searchField = findOptional<HTMLInputElement>("#search");
if (searchField) {
  enableSearch(searchField);
  enableRowSearch(searchField);
}
enableFileDrop();
enableDocumentDrag();
// The list is replaced when it changes, so events are delegated to a parent.
document.addEventListener("click", ({ target }) => {
  const button = target instanceof Element ? target.closest<HTMLElement>("[data-menu], [data-do]") : null;
  if (!button) return;
  const { menu, do: action } = button.dataset;
  if (menu) openMenu(button, MENUS[menu]?.(button) ?? []);
  else if (action) void ACTIONS[action]?.(button);
});

/** Shows the recent documents that are hidden at first, and focuses the first of them. */
function showAllRecent(button: Element): void {
  const rows = [...document.querySelectorAll<HTMLElement>("#recent [data-doc][hidden]")];
  for (const row of rows) row.hidden = false;
  button.remove();
  rows[0]?.querySelector<HTMLElement>("a")?.focus();
}

function documentMenu(button: Element): MenuItem[] {
  const document = readDocumentRow(button);
  const canPin = document.siteRole === "owners" || document.siteRole === "editors";
  const isOwner = document.role === "owners";
  const canCopy = writableWorkspaces().length > 0;
  const canMove = writableWorkspaces().some(({ id }) => id !== document.workspaceId);
  const items: (MenuItem | false)[] = [
    isOwner && { label: t("home.rename"), icon: "pencil", run: () => void changes.renameDocument(document) },
    isOwner && canMove && { label: t("home.moveTo"), icon: "folder", run: () => void moveDocument(document) },
    canPin && {
      label: t(document.isPinned ? "home.unpin" : "home.pin"),
      icon: "pin",
      run: () => void changes.pinDocument(document),
    },
    canCopy && { label: t("home.duplicate"), icon: "copy", run: () => void changes.copyDocument(document) },
    { label: t("home.download"), icon: "download", href: `${SITE_PREFIX}${changes.documentPath(document)}/download` },
    hasSharingPages() && {
      label: t("home.sharing"),
      icon: "user",
      href: `${changes.documentPagePath(document.uuid)}/sharing`,
    },
    isOwner && {
      label: t("home.trash"),
      icon: "trash-2",
      isDangerous: true,
      run: () => void changes.removeDocument(document),
    },
  ];
  return items.filter((item) => item !== false);
}

function workspaceMenu(button: Element): MenuItem[] {
  const workspace = readWorkspaceSection(button);
  const isOwner = workspace.role === "owners";
  const items: (MenuItem | false)[] = [
    { label: t("home.newDocument"), icon: "plus", run: () => void newDocument(workspace) },
    { label: t("home.importFiles"), icon: "upload", run: () => pickFiles(workspace.id) },
    { label: t("import.menu.address"), icon: "upload", run: () => void importFromAddress(workspace.id) },
    isOwner && { label: t("home.rename"), icon: "pencil", run: () => void changes.renameWorkspace(workspace) },
    hasSharingPages() && {
      label: t("home.sharing"),
      icon: "user",
      href: `${SITE_PREFIX}/workspaces/${workspace.id}/sharing`,
    },
    isOwner && {
      label: t("home.trash"),
      icon: "trash-2",
      isDangerous: true,
      run: () => void changes.removeWorkspace(workspace),
    },
  ];
  return items.filter((item) => item !== false);
}

function siteMenu(button: Element): MenuItem[] {
  const site = readSiteSection(button);
  const items: (MenuItem | false)[] = [
    { label: t("home.newWorkspace"), icon: "plus", run: () => void changes.newWorkspace([site]) },
    { label: t("home.rename"), icon: "pencil", run: () => void changes.renameSite(site) },
    hasSharingPages() &&
      !site.isPersonal && {
        label: t("home.sharing"),
        icon: "user",
        href: `${SITE_PREFIX}/sites/${site.domain}/sharing`,
      },
  ];
  return items.filter((item) => item !== false);
}
