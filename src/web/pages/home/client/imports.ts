/** Imports files as documents: dropped on a workspace or selected, uploaded one after another with progress. */
import { announce } from "../../../base/client/announce.ts";
import type { ImportSource } from "../../../base/client/import/import-target.ts";
import { find, h, icon, findOptional, nameElement } from "../../../base/client/dom.ts";
import { showError } from "../../../base/client/problem.ts";
import { t } from "../../../base/client/texts.ts";
import { uploadFile } from "../../../base/client/upload.ts";
import { watchUnsaved } from "../../../base/client/unsaved.ts";
import { formatSize } from "../../../base/sizes.ts";
import type { ImportedDocument } from "../../../../wire/documents/documents.ts";
import { markDropTarget } from "./drop-target.ts";
import { documentPagePath } from "./actions.ts";
import { refresh, runWithErrorToast } from "./refresh-home.ts";

export const ACCEPTED_EXTENSIONS = ".grist,.csv,.tsv,.txt,.json,.ndjson,.jsonl,.xlsx,.xlsm,.gz";

let importQueue: Promise<void> = Promise.resolve();
let pendingImports = 0;
let stopWatchingUnsaved: (() => void) | null = null;

/** Leaving the page cancels imports in progress. */
function trackPending(change: 1 | -1): void {
  pendingImports += change;
  if (pendingImports > 0) stopWatchingUnsaved ??= watchUnsaved(() => true);
  else {
    stopWatchingUnsaved?.();
    stopWatchingUnsaved = null;
  }
}

/** Opens the file picker and imports the selected files into a workspace. */
export function pickFiles(workspaceId: string): void {
  const input = h("input", { type: "file", multiple: true, accept: ACCEPTED_EXTENSIONS });
  input.addEventListener("change", () => importFiles(workspaceId, [...(input.files ?? [])]));
  input.click();
}

/** Document files are imported as they are. */
const DOCUMENT_FILE = /\.(grist|sqlite3?|db)$/i;

/** Imports files into a workspace: a single one with tables by its preview, others at once. */
export function importFiles(workspaceId: string, files: readonly File[]): void {
  const [file, second] = files;
  if (file && !second && !DOCUMENT_FILE.test(file.name))
    return void runWithErrorToast(() => openWindow(workspaceId, { file }));
  for (const file of files) startImport(workspaceId, file, { opens: !second });
}

/** Opens the import window for an address. */
export const importFromAddress = (workspaceId: string): Promise<void> =>
  runWithErrorToast(() => openWindow(workspaceId));

async function openWindow(workspaceId: string, source?: ImportSource): Promise<void> {
  const { openWorkspaceImport } = await import("./workspace-import.ts");
  openWorkspaceImport(workspaceId, { source, maxBytes: maxUploadBytes() });
}

const maxUploadBytes = (): number => Number(findOptional("#home")?.dataset["maxUpload"] ?? Number.POSITIVE_INFINITY);

interface ImportOptions {
  /** Opens the new document. */
  readonly opens: boolean;
}

function startImport(workspaceId: string, file: File, options: ImportOptions): void {
  const abort = new AbortController();
  const progress = h("progress", { max: 1, value: 0, "aria-label": t("home.import.progress", { name: file.name }) });
  const state = h("small", {}, t("home.import.queued", { size: formatSize(t, file.size) }));
  const cancelButton = h(
    "button",
    { type: "button", class: "bare", "aria-label": t("home.import.cancel", { name: file.name }) },
    icon("x"),
  );
  const problem = h("div", { class: "problem-place" });
  const row = h(
    "div",
    { class: "line" },
    h("span", { class: "name", translate: "no" }, file.name),
    state,
    cancelButton,
  );
  const box = h("div", { class: "import" }, row, progress, problem);
  cancelButton.addEventListener("click", () => {
    abort.abort();
    box.remove();
  });
  // The page of another workspace has only its own place.
  (findOptional(`#imports-${CSS.escape(workspaceId)}`) ?? find("#home .imports")).append(box);
  trackPending(1);
  const retry = () => {
    box.remove();
    startImport(workspaceId, file, options);
  };
  const run = async () => {
    let imported: string | null = null;
    try {
      if (abort.signal.aborted) return;
      const { id } = await uploadImport(workspaceId, file, { progress, state, signal: abort.signal });
      imported = id;
      showImported(box, { uuid: id, name: file.name });
      if (!options.opens) await runWithErrorToast(() => refresh());
    } catch (error) {
      progress.remove();
      state.textContent = t("home.import.failed");
      cancelButton.setAttribute("aria-label", t("home.import.dismiss", { name: file.name }));
      showError(problem, error, { retry });
    } finally {
      trackPending(-1);
    }
    if (imported !== null && options.opens && pendingImports === 0) location.assign(documentPagePath(imported));
  };
  // Sequentially, because the server processes one file at a time anyway.
  importQueue = runAfter(importQueue, run);
}

async function runAfter(earlier: Promise<void>, work: () => Promise<void>): Promise<void> {
  await earlier;
  await work();
}

interface ImportProgress {
  readonly progress: HTMLProgressElement;
  readonly state: HTMLElement;
  readonly signal: AbortSignal;
}

function uploadImport(
  workspaceId: string,
  file: File,
  { progress, state, signal }: ImportProgress,
): Promise<ImportedDocument> {
  const onProgress = (sent: number, total: number | null) => {
    const isSent = total !== null && sent >= total;
    if (isSent) progress.removeAttribute("value");
    else progress.value = total === null ? 0 : sent / total;
    state.textContent = isSent
      ? t("home.import.processing")
      : t("home.import.sent", { sent: formatSize(t, sent), size: formatSize(t, total ?? file.size) });
  };
  const path = `/api/workspaces/${encodeURIComponent(workspaceId)}/import`;
  return uploadFile(path, file, { maxBytes: maxUploadBytes(), onProgress, signal });
}

function showImported(box: HTMLElement, { uuid, name }: { uuid: string; name: string }): void {
  const dismiss = () => box.remove();
  const text = h("span", { class: "name" }, ...t.rich("home.import.done", { name: nameElement(name) }));
  box.replaceChildren(
    h(
      "div",
      { class: "line good" },
      icon("check"),
      text,
      h("a", { href: documentPagePath(uuid), class: "button plain small" }, t("home.import.open")),
      h(
        "button",
        { type: "button", class: "bare", "aria-label": t("home.import.dismiss", { name }), onclick: dismiss },
        icon("x"),
      ),
    ),
  );
  announce(text);
}

/** Accepts files dropped on a workspace; elsewhere prevents the browser from opening them. */
export function enableFileDrop(): void {
  const targetOf = (event: DragEvent): HTMLElement | null =>
    event.target instanceof Element ? event.target.closest<HTMLElement>("[data-workspace][data-may-add]") : null;
  addEventListener("dragover", (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    const target = targetOf(event);
    event.dataTransfer.dropEffect = target ? "copy" : "none";
    markDropTarget(target);
  });
  addEventListener("dragleave", ({ relatedTarget }) => {
    if (relatedTarget === null) markDropTarget(null);
  });
  addEventListener("drop", (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    markDropTarget(null);
    const workspaceId = targetOf(event)?.dataset["workspace"];
    if (workspaceId !== undefined) importFiles(workspaceId, [...event.dataTransfer.files]);
  });
}
