/** Moves documents to another workspace: by a dialog, or by dragging their rows. */
import { api } from "../../../base/client/api.ts";
import { formDialog } from "../../../base/client/dialog.ts";
import { h, nameElement } from "../../../base/client/dom.ts";
import { formText } from "../../../base/client/form-field.ts";
import { t } from "../../../base/client/texts.ts";
import { showToast } from "../../../base/client/toast.ts";
import { markDropTarget } from "./drop-target.ts";
import { documentPath, workspaceSelect } from "./actions.ts";
import { type DocumentRowData, readDocumentRow, writableWorkspaces } from "./page-data.ts";
import { refresh, runWithErrorToast } from "./refresh-home.ts";

type MovedDocument = Pick<DocumentRowData, "uuid" | "name" | "workspaceId">;

/** Moves a document to the workspace that the user selects. */
export const moveDocument = (document: DocumentRowData) =>
  formDialog({
    title: t.rich("home.moveDocument.title", { name: nameElement(document.name) }),
    content: [
      workspaceSelect(t("home.moveDocument.target"), document.workspaceId, ""),
      h("p", { class: "hint" }, t("home.moveDocument.hint")),
    ],
    action: t("home.move"),
    submit: (form, signal) => move(document, formText(form, "workspace"), signal),
  });

async function move(document: MovedDocument, target: string, signal?: AbortSignal): Promise<void> {
  const { uuid, name, workspaceId } = document;
  await api(`${documentPath(document)}/move`, { method: "PATCH", body: { workspace: Number(target) }, signal });
  const known = writableWorkspaces();
  const workspace = known.find(({ id }) => id === target)?.name ?? "";
  await refresh();
  // Only into a workspace that the user can add documents to.
  const canUndo = known.some(({ id }) => id === workspaceId);
  const undo = () => void runWithErrorToast(() => move({ uuid, name, workspaceId: target }, workspaceId));
  showToast(
    t.rich("home.documentMoved", { name: nameElement(name), workspace: nameElement(workspace) }),
    canUndo ? { action: { label: t("home.undo"), run: undo } } : {},
  );
}

/** Places that take documents: workspaces in the sidebar and in the list. */
const TARGETS = "[data-workspace-entry][data-may-add], #home [data-workspace][data-may-add]";

/** Accepts rows of documents that are dropped on another workspace. */
export function enableDocumentDrag(): void {
  let dragged: DocumentRowData | null = null;
  const targetOf = ({ target }: DragEvent): HTMLElement | null => {
    const found = target instanceof Element ? target.closest<HTMLElement>(TARGETS) : null;
    return dragged && found && workspaceOf(found) !== dragged.workspaceId ? found : null;
  };
  const end = () => {
    dragged = null;
    markDropTarget(null);
  };
  addEventListener("dragstart", ({ target, dataTransfer }) => {
    const row = target instanceof Element ? target.closest<HTMLElement>("[data-doc][draggable=true]") : null;
    if (!row || !dataTransfer) return;
    dragged = readDocumentRow(row);
    dataTransfer.setData("text/plain", dragged.name);
    dataTransfer.effectAllowed = "move";
  });
  addEventListener("dragover", (event) => {
    if (!dragged) return;
    const target = targetOf(event);
    markDropTarget(target);
    if (!target || !event.dataTransfer) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "move";
  });
  addEventListener("drop", (event) => {
    const target = targetOf(event);
    const row = dragged;
    if (!row) return;
    event.preventDefault();
    end();
    if (target) void runWithErrorToast(() => move(row, workspaceOf(target)));
  });
  addEventListener("dragend", end);
}

const workspaceOf = ({ dataset }: HTMLElement): string => dataset["workspaceEntry"] ?? dataset["workspace"] ?? "";
