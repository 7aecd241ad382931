/** What is done to documents, workspaces and sites from the home page. */
import { api, SITE_PREFIX } from "../base/api.ts";
import { choice, confirmDialog, field, formDialog, textIn } from "../base/dialog.ts";
import { h } from "../base/dom.ts";
import { toast } from "../base/toast.ts";
import { refresh, tryTo } from "./listing.ts";
import { type ShownDocument, type ShownSite, type ShownWorkspace, writableWorkspaces } from "./places.ts";

const NAME = { name: "name", required: true, maxlength: 500 } as const;

const nameIn = (form: FormData): string => textIn(form, "name");

export const documentPath = ({ uuid }: Pick<ShownDocument, "uuid">): string => `/api/docs/${encodeURIComponent(uuid)}`;
const workspacePath = ({ id }: ShownWorkspace): string => `/api/workspaces/${encodeURIComponent(id)}`;
export const pageOf = (uuid: string): string => `${SITE_PREFIX}/docs/${encodeURIComponent(uuid)}`;

/** Makes an empty document and opens it. */
export const newDocument = (workspace: ShownWorkspace) =>
  formDialog({
    title: `New document in ${workspace.name}`,
    content: [field("Name", { ...NAME, value: "Untitled document" })],
    action: "Create",
    async submit(form, signal) {
      const body = { name: nameIn(form) };
      const uuid = await api<string>(`${workspacePath(workspace)}/docs`, { method: "POST", body, signal });
      location.assign(pageOf(uuid));
    },
  });

export const renameDocument = (document: ShownDocument) =>
  formDialog({
    title: "Rename the document",
    content: [field("Name", { ...NAME, value: document.name })],
    action: "Rename",
    async submit(form, signal) {
      await api(documentPath(document), { method: "PATCH", body: { name: nameIn(form) }, signal });
      await refresh();
    },
  });

/** The choice of a workspace, the one given left out. */
const workspaceChoice = (label: string, without: string | null, value: string) =>
  choice(
    label,
    { name: "workspace", value },
    writableWorkspaces()
      .filter(({ id }) => id !== without)
      .map(({ id, name, siteName }) => ({ value: id, label: `${name} – ${siteName}` })),
  );

export const moveDocument = (document: ShownDocument) =>
  formDialog({
    title: `Move ${document.name}`,
    content: [
      workspaceChoice("To the workspace", document.workspaceId, ""),
      h(
        "p",
        { class: "hint" },
        "Roles given on the document itself stay; those of the workspace change to the new one's.",
      ),
    ],
    action: "Move",
    async submit(form, signal) {
      const body = { workspace: Number(textIn(form, "workspace")) };
      await api(`${documentPath(document)}/move`, { method: "PATCH", body, signal });
      await refresh();
    },
  });

export const copyDocument = (document: ShownDocument) =>
  formDialog({
    title: `Copy ${document.name}`,
    content: [
      field("Name of the copy", { ...NAME, value: `Copy of ${document.name}` }),
      workspaceChoice("In the workspace", null, document.workspaceId),
      h("label", {}, h("input", { type: "checkbox", name: "empty" }), "Without rows and history"),
    ],
    action: "Copy",
    async submit(form, signal) {
      const body = {
        workspaceId: Number(textIn(form, "workspace")),
        documentName: nameIn(form),
        asTemplate: form.get("empty") !== null,
      };
      await api<string>(`${documentPath(document)}/copy`, { method: "POST", body, signal });
      await refresh();
    },
  });

export const pinDocument = (document: ShownDocument) =>
  tryTo(async () => {
    await api(`${documentPath(document)}/${document.isPinned ? "unpin" : "pin"}`, { method: "PATCH", body: {} });
    await refresh();
  });

/** Into the trash without asking, since it can be taken back. */
export const removeDocument = (document: ShownDocument) =>
  tryTo(async () => {
    const path = documentPath(document);
    await api(`${path}/remove`, { method: "POST", body: {} });
    await refresh();
    const undo = () =>
      void tryTo(async () => {
        await api(`${path}/unremove`, { method: "POST", body: {} });
        await refresh();
      });
    toast(`“${document.name}” is in the trash.`, { action: { label: "Undo", run: undo } });
  });

export const newWorkspace = (site: ShownSite) =>
  formDialog({
    title: `New workspace in ${site.name}`,
    content: [field("Name", NAME)],
    action: "Create",
    async submit(form, signal) {
      await api(`/api/orgs/${encodeURIComponent(site.id)}/workspaces`, {
        method: "POST",
        body: { name: nameIn(form) },
        signal,
      });
      await refresh();
    },
  });

export const renameWorkspace = (workspace: ShownWorkspace) =>
  formDialog({
    title: "Rename the workspace",
    content: [field("Name", { ...NAME, value: workspace.name })],
    action: "Rename",
    async submit(form, signal) {
      await api(workspacePath(workspace), { method: "PATCH", body: { name: nameIn(form) }, signal });
      await refresh();
    },
  });

/** Takes documents of others along, so it is asked for. */
export const removeWorkspace = (workspace: ShownWorkspace) =>
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
      field("Name", NAME),
      field("Domain", { name: "domain", maxlength: 63, pattern: "[a-z0-9][a-z0-9\\-]*", autocapitalize: "none" }),
      h(
        "p",
        { class: "hint" },
        "What the site's address says: lower-case letters, digits and dashes. It may be left empty.",
      ),
    ],
    action: "Create",
    async submit(form, signal) {
      const domain = textIn(form, "domain");
      const body = { name: nameIn(form), ...(domain && { domain }) };
      await api<number>("/api/orgs", { method: "POST", body, signal });
      await refresh();
    },
  });

export const renameSite = (site: ShownSite) =>
  formDialog({
    title: "Rename the site",
    content: [field("Name", { ...NAME, value: site.name })],
    action: "Rename",
    async submit(form, signal) {
      const path = `/api/orgs/${encodeURIComponent(site.id)}`;
      await api(path, { method: "PATCH", body: { name: nameIn(form) }, signal });
      await refresh();
    },
  });
