/** Actions on documents, workspaces and sites of the home page. */
import { api, SITE_PREFIX } from "../../../base/client/api.ts";
import { confirmDialog, formDialog } from "../../../base/client/dialog.ts";
import { formText, inputField, selectField } from "../../../base/client/form-field.ts";
import { h, nameElement } from "../../../base/client/dom.ts";
import { t } from "../../../base/client/texts.ts";
import { showToast } from "../../../base/client/toast.ts";
import { refresh, runWithErrorToast } from "./refresh-home.ts";
import {
  type DocumentRowData,
  type SiteSectionData,
  type WorkspaceSectionData,
  writableWorkspaces,
} from "./page-data.ts";

const NAME_ATTRIBUTES = { name: "name", required: true, maxlength: 500 } as const;

const formName = (form: FormData): string => formText(form, "name");

export const documentPath = ({ uuid }: Pick<DocumentRowData, "uuid">): string =>
  `/api/docs/${encodeURIComponent(uuid)}`;
const workspacePath = ({ id }: WorkspaceSectionData): string => `/api/workspaces/${encodeURIComponent(id)}`;
export const documentPagePath = (uuid: string): string => `${SITE_PREFIX}/docs/${encodeURIComponent(uuid)}`;

export const renameDocument = (document: DocumentRowData) =>
  formDialog({
    title: t("home.renameDocument.title"),
    content: [inputField(t("home.name"), { ...NAME_ATTRIBUTES, value: document.name })],
    action: t("home.rename"),
    async submit(form, signal) {
      await api(documentPath(document), { method: "PATCH", body: { name: formName(form) }, signal });
      await refresh();
    },
  });

/** A select of workspaces, except the given one. */
export const workspaceSelect = (label: string, excluded: string | null, value: string) =>
  selectField(
    label,
    { name: "workspace", value, translate: "no" },
    writableWorkspaces()
      .filter(({ id }) => id !== excluded)
      .map(({ id, name, siteName }) => ({
        value: id,
        label: t("home.workspaceInSite", { workspace: name, site: siteName }),
      })),
  );

export const copyDocument = (document: DocumentRowData) =>
  formDialog({
    title: t.rich("home.copy.title", { name: nameElement(document.name) }),
    content: [
      inputField(t("home.copy.name"), {
        ...NAME_ATTRIBUTES,
        value: t("home.copy.defaultName", { name: document.name }),
      }),
      workspaceSelect(t("home.copy.workspace"), null, document.workspaceId),
      h("label", {}, h("input", { type: "checkbox", name: "empty" }), t("home.copy.empty")),
    ],
    action: t("home.duplicate"),
    async submit(form, signal) {
      const body = {
        workspaceId: Number(formText(form, "workspace")),
        documentName: formName(form),
        asTemplate: form.get("empty") !== null,
      };
      const uuid = await api<string>(`${documentPath(document)}/copy`, { method: "POST", body, signal });
      await refresh();
      showToast(t.rich("home.copied", { name: nameElement(body.documentName) }), {
        action: { label: t("home.import.open"), run: () => location.assign(documentPagePath(uuid)) },
      });
    },
  });

export const pinDocument = (document: DocumentRowData) =>
  runWithErrorToast(async () => {
    await api(`${documentPath(document)}/${document.isPinned ? "unpin" : "pin"}`, { method: "PATCH", body: {} });
    await refresh();
  });

/** Moves to the trash without confirmation, since Undo restores it. */
export const removeDocument = (document: DocumentRowData) =>
  runWithErrorToast(async () => {
    const path = documentPath(document);
    await api(`${path}/remove`, { method: "POST", body: {} });
    await refresh();
    const undo = () =>
      void runWithErrorToast(async () => {
        await api(`${path}/unremove`, { method: "POST", body: {} });
        await refresh();
      });
    showToast(t.rich("home.documentRemoved", { name: nameElement(document.name) }), {
      action: { label: t("home.undo"), run: undo },
    });
  });

/** @param sites the site, or several of which the user selects one */
export const newWorkspace = (sites: readonly Pick<SiteSectionData, "id" | "name">[]) => {
  const [site, second] = sites;
  return formDialog({
    title:
      site && !second ? t.rich("home.newWorkspace.title", { site: nameElement(site.name) }) : t("home.newWorkspace"),
    content: [
      inputField(t("home.name"), NAME_ATTRIBUTES),
      second &&
        selectField(
          t("home.newWorkspace.site"),
          { name: "site", translate: "no" },
          sites.map(({ id, name }) => ({ value: id, label: name })),
        ),
    ],
    action: t("home.create"),
    async submit(form, signal) {
      const id = second ? formText(form, "site") : (site?.id ?? "");
      await api(`/api/orgs/${encodeURIComponent(id)}/workspaces`, {
        method: "POST",
        body: { name: formName(form) },
        signal,
      });
      await refresh();
    },
  });
};

export const renameWorkspace = (workspace: WorkspaceSectionData) =>
  formDialog({
    title: t("home.renameWorkspace.title"),
    content: [inputField(t("home.name"), { ...NAME_ATTRIBUTES, value: workspace.name })],
    action: t("home.rename"),
    async submit(form, signal) {
      await api(workspacePath(workspace), { method: "PATCH", body: { name: formName(form) }, signal });
      await refresh();
    },
  });

/** Affects documents of other users, so it needs confirmation. */
export const removeWorkspace = (workspace: WorkspaceSectionData) =>
  confirmDialog({
    title: t.rich("home.removeWorkspace.title", { name: nameElement(workspace.name) }),
    text: t("home.removeWorkspace.text"),
    action: t("home.trash"),
    isDangerous: true,
    async submit(signal) {
      await api(`${workspacePath(workspace)}/remove`, { method: "POST", body: {}, signal });
      await refresh();
    },
  });

export const newSite = () =>
  formDialog({
    title: t("home.newSite"),
    content: [
      h("p", { class: "quiet" }, t("home.newSite.text")),
      inputField(t("home.name"), NAME_ATTRIBUTES),
      inputField(t("home.newSite.domain"), {
        name: "domain",
        maxlength: 63,
        pattern: "[a-z0-9][a-z0-9\\-]*",
        autocapitalize: "none",
      }),
      h("p", { class: "hint" }, t("home.newSite.hint")),
    ],
    action: t("home.create"),
    async submit(form, signal) {
      const domain = formText(form, "domain");
      const body = { name: formName(form), ...(domain && { domain }) };
      await api<number>("/api/orgs", { method: "POST", body, signal });
      await refresh();
    },
  });

export const renameSite = (site: SiteSectionData) =>
  formDialog({
    title: t("home.renameSite.title"),
    content: [inputField(t("home.name"), { ...NAME_ATTRIBUTES, value: site.name })],
    action: t("home.rename"),
    async submit(form, signal) {
      const path = `/api/orgs/${encodeURIComponent(site.id)}`;
      await api(path, { method: "PATCH", body: { name: formName(form) }, signal });
      await refresh();
    },
  });
