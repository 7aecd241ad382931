/** The menu of the button "New": documents, files, workspaces and sites. */
import { formDialog } from "../../../base/client/dialog.ts";
import { formText, selectField } from "../../../base/client/form-field.ts";
import type { MenuEntry } from "../../../base/client/menu.ts";
import { t } from "../../../base/client/texts.ts";
import { newSite, newWorkspace } from "./actions.ts";
import { importFromAddress, pickFiles } from "./imports.ts";
import { newDocument } from "./new-document.ts";
import { currentWorkspace, type WorkspaceSectionData, writableSites, writableWorkspaces } from "./page-data.ts";

export function newMenu(button: HTMLElement): MenuEntry[] {
  const canAddDocuments = writableWorkspaces().length > 0;
  const sites = writableSites();
  const documents: MenuEntry[] = [
    {
      label: t("home.newDocument"),
      icon: "file-text",
      run: () => void inWorkspace(t("home.newDocument"), (workspace) => void newDocument(workspace)),
    },
    {
      label: t("home.welcome.import"),
      icon: "upload",
      run: () => void inWorkspace(t("home.welcome.import"), ({ id }) => pickFiles(id)),
    },
    {
      label: t("import.menu.address"),
      icon: "link",
      run: () => void inWorkspace(t("import.menu.address"), ({ id }) => void importFromAddress(id)),
    },
  ];
  const places: MenuEntry[] = [
    ...(sites.length > 0
      ? [{ label: t("home.newWorkspace"), icon: "folder", run: () => void newWorkspace(sites) } as const]
      : []),
    ...("canAddSites" in button.dataset
      ? [{ label: t("home.newSite"), icon: "building-2", run: () => void newSite() } as const]
      : []),
  ];
  if (!canAddDocuments || places.length === 0) return canAddDocuments ? documents : places;
  return [...documents, "separator", ...places];
}

/** Runs a command in the workspace of the page, or the only one; else the user selects it. */
async function inWorkspace(title: string, run: (workspace: WorkspaceSectionData) => void): Promise<void> {
  const workspaces = writableWorkspaces();
  const [first, second] = workspaces;
  let target = currentWorkspace() ?? first;
  const isKnown = !second || currentWorkspace() !== null;
  const isChosen =
    isKnown ||
    (await formDialog({
      title,
      content: [
        selectField(
          t("home.copy.workspace"),
          { name: "workspace", translate: "no" },
          workspaces.map(({ id, name, siteName }) => ({
            value: id,
            label: t("home.workspaceInSite", { workspace: name, site: siteName }),
          })),
        ),
      ],
      action: t("home.continue"),
      submit: (form) => {
        target = workspaces.find(({ id }) => id === formText(form, "workspace"));
        return Promise.resolve();
      },
    }));
  // Opening a file picker works for some seconds after the user's action.
  if (isChosen && target) run(target);
}
