/** What is done to documents, workspaces and sites from the home page. */
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

/** Makes an empty document and opens it. */
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
    title: "Rename the document",
    content: [inputField("Name", { ...NAME_ATTRIBUTES, value: document.name })],
    action: "Rename",
    async submit(form, signal) {
      await api(documentPath(document), { method: "PATCH", body: { name: formName(form) }, signal });
      await refresh();
    },
  });

/** The choice of a workspace, the one given left out. */
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
      workspaceSelect("To the workspace", document.workspaceId, ""),
      h(
        "p",
        { class: "hint" },
        "Roles given on the document itself stay; those of the workspace change to the new one's.",
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
    title: `Copy ${document.name}`,
    content: [
      inputField("Name of the copy", { ...NAME_ATTRIBUTES, value: `Copy of ${document.name}` }),
      workspaceSelect("In the workspace", null, document.workspaceId),
      h("label", {}, h("input", { type: "checkbox", name: "empty" }), "Without rows and history"),
    ],
    action: "Copy",
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

/** Into the trash without asking, since it can be taken back. */
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
    showToast(`“${document.name}” is in the trash.`, { action: { label: "Undo", run: undo } });
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
    title: "Rename the workspace",
    content: [inputField("Name", { ...NAME_ATTRIBUTES, value: workspace.name })],
    action: "Rename",
    async submit(form, signal) {
      await api(workspacePath(workspace), { method: "PATCH", body: { name: formName(form) }, signal });
      await refresh();
    },
  });

/** Takes documents of others along, so it is asked for. */
export const removeWorkspace = (workspace: WorkspaceSectionData) =>
  confirmDialog({
    title: `Move ${workspace.name} to the trash?`,
    text: "Its documents go along. From the trash all of it can be restored for 30 days.",
    action: "Move to the trash",
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
      h("p", { class: "quiet" }, "A site is for a team: it has people, workspaces and documents of its own."),
      inputField("Name", NAME_ATTRIBUTES),
      inputField("Domain", { name: "domain", maxlength: 63, pattern: "[a-z0-9][a-z0-9\\-]*", autocapitalize: "none" }),
      h(
        "p",
        { class: "hint" },
        "What the site's address says: lower-case letters, digits and dashes. It may be left empty.",
      ),
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
    title: "Rename the site",
    content: [inputField("Name", { ...NAME_ATTRIBUTES, value: site.name })],
    action: "Rename",
    async submit(form, signal) {
      const path = `/api/orgs/${encodeURIComponent(site.id)}`;
      await api(path, { method: "PATCH", body: { name: formName(form) }, signal });
      await refresh();
    },
  });
