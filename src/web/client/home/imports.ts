/** Files that become documents: dropped on a workspace or chosen, sent one after another, each with its progress. */
import { Failure } from "../base/api.ts";
import { find, h, icon, maybe } from "../base/dom.ts";
import { showProblem } from "../base/problem.ts";
import { upload } from "../base/upload.ts";
import { watchUnsaved } from "../base/unsaved.ts";
import { sizeText } from "../../../lib/sizes.ts";
import type { ImportedDocument } from "../../../wire/documents.ts";
import { pageOf } from "./changes.ts";
import { refresh, tryTo } from "./listing.ts";

export const TAKEN = ".grist,.csv,.tsv,.txt,.json,.ndjson,.jsonl,.xlsx,.xlsm,.gz";

let waiting: Promise<void> = Promise.resolve();
let unfinished = 0;
let unwatch: (() => void) | null = null;

/** Leaving the page would end imports that are under way. */
function countUnfinished(change: 1 | -1): void {
  unfinished += change;
  if (unfinished > 0) unwatch ??= watchUnsaved(() => true);
  else {
    unwatch?.();
    unwatch = null;
  }
}

/** Asks for files and imports them into a workspace. */
export function chooseFiles(workspaceId: string): void {
  const input = h("input", { type: "file", multiple: true, accept: TAKEN });
  input.addEventListener("change", () => importFiles(workspaceId, [...(input.files ?? [])]));
  input.click();
}

/** Imports files into a workspace, in its place on the page. */
export function importFiles(workspaceId: string, files: readonly File[]): void {
  for (const file of files) startImport(workspaceId, file);
}

function startImport(workspaceId: string, file: File): void {
  const work = new AbortController();
  const progress = h("progress", { max: 1, value: 0, "aria-label": `Import of ${file.name}` });
  const state = h("small", {}, `${sizeText(file.size)}, waiting`);
  const end = h(
    "button",
    { type: "button", class: "bare", "aria-label": `Cancel the import of ${file.name}` },
    icon("close"),
  );
  const problem = h("div", { class: "problem-place" });
  const line = h("div", { class: "line" }, h("span", { class: "name" }, file.name), state, end);
  const box = h("div", { class: "import" }, line, progress, problem);
  end.addEventListener("click", () => {
    work.abort();
    box.remove();
  });
  find(`#imports-${CSS.escape(workspaceId)}`).append(box);
  countUnfinished(1);
  const retry = () => {
    box.remove();
    startImport(workspaceId, file);
  };
  const run = async () => {
    try {
      if (work.signal.aborted) return;
      const { id } = await send(workspaceId, file, { progress, state, signal: work.signal });
      showImported(box, { uuid: id, name: file.name });
      await tryTo(refresh);
    } catch (error) {
      progress.remove();
      state.textContent = "not imported";
      end.setAttribute("aria-label", `Dismiss ${file.name}`);
      showProblem(problem, error, { retry });
    } finally {
      countUnfinished(-1);
    }
  };
  // One after another: the server reads one file at a time anyway.
  waiting = after(waiting, run);
}

async function after(earlier: Promise<void>, work: () => Promise<void>): Promise<void> {
  await earlier;
  await work();
}

interface Shown {
  readonly progress: HTMLProgressElement;
  readonly state: HTMLElement;
  readonly signal: AbortSignal;
}

function send(workspaceId: string, file: File, { progress, state, signal }: Shown): Promise<ImportedDocument> {
  const maxBytes = Number(maybe("#home")?.dataset["maxUpload"] ?? Number.POSITIVE_INFINITY);
  // The server would end the connection in the middle of it, which browsers cannot tell from a failure.
  if (file.size > maxBytes) {
    const text = `The file is larger than this server takes: ${sizeText(file.size)}, at most ${sizeText(maxBytes)}.`;
    throw new Failure("refused", text, { status: 413 });
  }
  const form = new FormData();
  form.set("upload", file);
  const onProgress = (sent: number, total: number | null) => {
    const isSent = total !== null && sent >= total;
    if (isSent) progress.removeAttribute("value");
    else progress.value = total === null ? 0 : sent / total;
    state.textContent = isSent ? "reading the file" : `${sizeText(sent)} of ${sizeText(total ?? file.size)} sent`;
  };
  return upload(`/api/workspaces/${encodeURIComponent(workspaceId)}/import`, form, { onProgress, signal });
}

function showImported(box: HTMLElement, { uuid, name }: { uuid: string; name: string }): void {
  const dismiss = () => box.remove();
  box.replaceChildren(
    h(
      "div",
      { class: "line good" },
      icon("check"),
      h("span", { class: "name" }, `Imported ${name}`),
      h("a", { href: pageOf(uuid), class: "button plain small" }, "Open"),
      h("button", { type: "button", class: "bare", "aria-label": `Dismiss ${name}`, onclick: dismiss }, icon("close")),
    ),
  );
}

/** Takes files that are dropped on a workspace; elsewhere a drop does not make the browser leave the page. */
export function startDropping(): void {
  const targetOf = (event: DragEvent): HTMLElement | null =>
    event.target instanceof Element ? event.target.closest<HTMLElement>("[data-workspace][data-may-add]") : null;
  const mark = (target: HTMLElement | null) => {
    for (const each of document.querySelectorAll(".dropping")) if (each !== target) each.classList.remove("dropping");
    target?.classList.add("dropping");
  };
  addEventListener("dragover", (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    const target = targetOf(event);
    event.dataTransfer.dropEffect = target ? "copy" : "none";
    mark(target);
  });
  addEventListener("dragleave", ({ relatedTarget }) => {
    if (relatedTarget === null) mark(null);
  });
  addEventListener("drop", (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    mark(null);
    const workspaceId = targetOf(event)?.dataset["workspace"];
    if (workspaceId !== undefined) importFiles(workspaceId, [...event.dataTransfer.files]);
  });
}
