/** Actions on documents, workspaces and sites of the home page. */
import { api, SITE_PREFIX } from "../../../base/client/api.ts";
import { selectField, confirmDialog, inputField, formDialog, formText } from "../../../base/client/dialog.ts";
import { h } from "../../../base/client/dom.ts";
import { showToast } from "../../../base/client/toast.ts";
import { refresh, runWithErrorToast } from "./search.ts";
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

/** Creates an empty document and opens it. */
export const newDocument = (workspace: WorkspaceSectionData) =>
  formDialog({
    title: `New document in ${workspace.name}`,
    content: [inputField("Name", { ...NAME_ATTRIBUTES, value: "Untitled document" })],
    action: "Create",
    async submit(form, signal) {
      const body = { name: formName(form) };
      const uuid = await api<string>(`${workspacePath(workspace)}/docs`, { method: "POST", body, signal });
      location.assign(documentPagePath(uuid));
    },
  });

export const renameDocument = (document: DocumentRowData) =>
  formDialog({
    title: "Rename document",
    content: [inputField("Name", { ...NAME_ATTRIBUTES, value: document.name })],
    action: "Rename",
    async submit(form, signal) {
      await api(documentPath(document), { method: "PATCH", body: { name: formName(form) }, signal });
      await refresh();
    },
  });

/** A select of workspaces, except the given one. */
const workspaceSelect = (label: string, excluded: string | null, value: string) =>
  selectField(
    label,
    { name: "workspace", value },
    writableWorkspaces()
      .filter(({ id }) => id !== excluded)
      .map(({ id, name, siteName }) => ({ value: id, label: `${name} – ${siteName}` })),
  );

export const moveDocument = (document: DocumentRowData) =>
  formDialog({
    title: `Move ${document.name}`,
    content: [
      workspaceSelect("Target workspace", document.workspaceId, ""),
      h(
        "p",
        { class: "hint" },
        "Roles on the document itself are kept; inherited roles change to those of the new workspace.",
      ),
    ],
    action: "Move",
    async submit(form, signal) {
      const body = { workspace: Number(formText(form, "workspace")) };
      await api(`${documentPath(document)}/move`, { method: "PATCH", body, signal });
      await refresh();
    },
  });

export const copyDocument = (document: DocumentRowData) =>
  formDialog({
    title: `Duplicate ${document.name}`,
    content: [
      inputField("Name of the copy", { ...NAME_ATTRIBUTES, value: `Copy of ${document.name}` }),
      workspaceSelect("Workspace", null, document.workspaceId),
      h("label", {}, h("input", { type: "checkbox", name: "empty" }), "Without rows and history"),
    ],
    action: "Duplicate",
    async submit(form, signal) {
      const body = {
        workspaceId: Number(formText(form, "workspace")),
        documentName: formName(form),
        asTemplate: form.get("empty") !== null,
      };
      await api<string>(`${documentPath(document)}/copy`, { method: "POST", body, signal });
      await refresh();
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
    showToast(`“${document.name}” moved to trash.`, { action: { label: "Undo", run: undo } });
  });

export const newWorkspace = (site: SiteSectionData) =>
  formDialog({
    title: `New workspace in ${site.name}`,
    content: [inputField("Name", NAME_ATTRIBUTES)],
    action: "Create",
    async submit(form, signal) {
      await api(`/api/orgs/${encodeURIComponent(site.id)}/workspaces`, {
        method: "POST",
        body: { name: formName(form) },
        signal,
      });
      await refresh();
    },
  });

export const renameWorkspace = (workspace: WorkspaceSectionData) =>
  formDialog({
    title: "Rename workspace",
    content: [inputField("Name", { ...NAME_ATTRIBUTES, value: workspace.name })],
    action: "Rename",
    async submit(form, signal) {
      await api(workspacePath(workspace), { method: "PATCH", body: { name: formName(form) }, signal });
      await refresh();
    },
  });

/** Affects documents of other users, so it needs confirmation. */
export const removeWorkspace = (workspace: WorkspaceSectionData) =>
  confirmDialog({
    title: `Move ${workspace.name} to trash?`,
    text: "Its documents move to the trash too. You can restore them for 30 days.",
    action: "Move to trash",
    isDangerous: true,
    async submit(signal) {
      await api(`${workspacePath(workspace)}/remove`, { method: "POST", body: {}, signal });
      await refresh();
    },
  });

export const newSite = () =>
  formDialog({
    title: "New site",
    content: [
      h("p", { class: "quiet" }, "A site belongs to a team and has its own members, workspaces and documents."),
      inputField("Name", NAME_ATTRIBUTES),
      inputField("Domain", { name: "domain", maxlength: 63, pattern: "[a-z0-9][a-z0-9\\-]*", autocapitalize: "none" }),
      h("p", { class: "hint" }, "Optional. Part of the site's URL: lower-case letters, digits and dashes."),
    ],
    action: "Create",
    async submit(form, signal) {
      const domain = formText(form, "domain");
      const body = { name: formName(form), ...(domain && { domain }) };
      await api<number>("/api/orgs", { method: "POST", body, signal });
      await refresh();
    },
  });

export const renameSite = (site: SiteSectionData) =>
  formDialog({
    title: "Rename site",
    content: [inputField("Name", { ...NAME_ATTRIBUTES, value: site.name })],
    action: "Rename",
    async submit(form, signal) {
      const path = `/api/orgs/${encodeURIComponent(site.id)}`;
      await api(path, { method: "PATCH", body: { name: formName(form) }, signal });
      await refresh();
    },
  });
