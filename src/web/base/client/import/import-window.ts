/** The import window: a file, its preview, its import with progress. Loaded on first use. */
import { announce } from "../announce.ts";
import { ApiError, isAborted } from "../api.ts";
import { confirmDialog, type OpenDialog, openDialog } from "../dialog.ts";
import { h, type Child, nameElement, replaceChildren } from "../dom.ts";
import { showError } from "../problem.ts";
import { t } from "../texts.ts";
import { showToast } from "../toast.ts";
import { watchUnsaved } from "../unsaved.ts";
import { chooseSource, takeFiles } from "./choose-source.ts";
import { ImportPreview } from "./import-preview.ts";
import type { ImportDone, ImportSource, ImportTarget, PlannedImport } from "./import-target.ts";
import { ProgressView } from "./progress-view.ts";
import { keepFile, type KeptFile, removeFile, watchProgress } from "./uploads.ts";

/** Opens the window, with a file or its address if the user has chosen one. */
export function openImportWindow(target: ImportTarget, source?: ImportSource): void {
  const opened = new ImportWindow(target);
  if (source) void opened.read(source);
  else opened.choose();
}

type Stage = "choose" | "sending" | "preview" | "importing" | "done";

const sourceName = (source: ImportSource): string => ("file" in source ? source.file.name : source.url);

class ImportWindow {
  readonly #target: ImportTarget;
  readonly #dialog: OpenDialog;
  readonly #body = h("div", { class: "import-body" });
  #stage: Stage = "choose";
  #abort = new AbortController();
  #file: KeptFile | null = null;
  #preview: ImportPreview | null = null;
  #stopWatching: () => void = () => {};
  #isAsking = false;
  readonly #left = new AbortController();

  constructor(target: ImportTarget) {
    this.#target = target;
    this.#dialog = openDialog({
      title: t("import.title"),
      wide: true,
      content: [this.#body],
      leave: () => void this.#leave(),
      onClose: () => this.#end(),
    });
    this.#dialog.element.classList.add("import-window");
    const { signal } = this.#left;
    addEventListener("pagehide", () => this.#discard(), { signal });
    // The browser can show a page again as it was left; its file is gone.
    const showAgain = ({ persisted }: PageTransitionEvent) => {
      if (persisted) this.choose();
    };
    addEventListener("pageshow", showAgain, { signal });
    takeFiles(this.#dialog.element, (source) => {
      if (this.#stage === "choose" || this.#stage === "preview") void this.read(source);
    });
  }

  /** Offers the ways to name a file. */
  choose(error: unknown = null): void {
    this.#discard();
    const problem = this.#showChoice();
    if (error !== null) showError(problem, error);
  }

  /** Shows the ways to name a file. Returns the place of an error. */
  #showChoice(): HTMLElement {
    const problem = h("div", { class: "problem-place" });
    this.#show(
      "choose",
      problem,
      chooseSource((source) => void this.read(source)),
    );
    return problem;
  }

  /** Sends a file to the server, and shows its preview. */
  async read(source: ImportSource): Promise<void> {
    this.#discard();
    const abort = new AbortController();
    const { signal } = abort;
    this.#abort = abort;
    const progress = new ProgressView(sourceName(source));
    this.#show("sending", progress.element, this.#cancelFooter());
    this.#stopWatching = watchUnsaved(() => true);
    progress.start("file" in source ? source.file.size : null);
    try {
      const file = await keepFile(this.#target, source, {
        signal,
        onProgress: (sent, total) => {
          if (total !== null && sent >= total) progress.showReading();
          else progress.showSent(sent, total ?? 0);
        },
      });
      if (signal.aborted) return void removeFile(this.#target, file);
      this.#file = file;
      this.#openPreview(file, progress);
    } catch (error) {
      if (!signal.aborted && !isAborted(error)) this.#fail(error, source);
    }
  }

  #openPreview(file: KeptFile, progress: ProgressView): void {
    this.#follow(file, progress);
    const preview = new ImportPreview({
      target: this.#target,
      file,
      replace: () => this.choose(),
      cancel: () => this.#cancel(),
      start: (planned) => void this.#import(planned, file),
      ready: () => this.#showPreview(),
    });
    this.#preview = preview;
  }

  /** Shows the progress of the server, in addition to what is watched. */
  #follow(file: KeptFile, progress: ProgressView): void {
    const stopUnsaved = this.#stopWatching;
    const stop = watchProgress(this.#target, file, (done) => progress.showServer(done));
    this.#stopWatching = () => {
      stop();
      stopUnsaved();
    };
  }

  #showPreview(): void {
    const preview = this.#preview;
    if (!preview) return;
    this.#stopWatching();
    if (preview.firstError !== null) return this.choose(preview.firstError);
    this.#show("preview", preview.element, preview.footer);
  }

  async #import(planned: PlannedImport, file: KeptFile): Promise<void> {
    const { signal } = this.#abort;
    const progress = new ProgressView(file.name);
    this.#show("importing", progress.element, this.#cancelFooter());
    progress.showWriting();
    this.#stopWatching = watchUnsaved(() => true);
    this.#follow(file, progress);
    try {
      const body = { ...planned.body, uploadId: file.uploadId };
      const done = await this.#target.run({ ...planned, body, saved: () => this.#stopWatching() });
      this.#stopWatching();
      if (done === false) return this.#showPreview();
      void removeFile(this.#target, file);
      this.#file = null;
      if (done === null) this.#dialog.close();
      else this.#showDone(done);
    } catch (error) {
      this.#stopWatching();
      if (signal.aborted || isCancelled(error)) return;
      this.#showPreview();
      this.#preview?.showFailure(error);
    }
  }

  #showDone({ name, href }: ImportDone): void {
    const text = h("p", {}, ...t.rich("import.done", { name: nameElement(name) }));
    const close = h("button", { type: "button", class: "plain", onclick: () => this.#dialog.close() }, t("base.close"));
    const open = h("a", { href, class: "button", "data-autofocus": "" }, t("import.open"));
    this.#show("done", text, h("footer", {}, close, open));
    announce(text);
  }

  /** A file that cannot be read leads back to the choice of one. */
  #fail(error: unknown, source: ImportSource): void {
    this.#stopWatching();
    showError(this.#showChoice(), error, { retry: () => void this.read(source) });
  }

  #cancelFooter(): HTMLElement {
    const button = h(
      "button",
      { type: "button", class: "plain", "data-autofocus": "", onclick: () => this.#cancel() },
      t("base.cancel"),
    );
    return h("footer", {}, button);
  }

  /** Closes the window, and stops what it does. */
  #cancel(): void {
    const wasRunning = this.#stage === "sending" || this.#stage === "importing";
    this.#dialog.close();
    if (wasRunning) showToast(t("import.cancelled"));
  }

  /** The close button and Escape ask first where something would be lost. */
  async #leave(): Promise<void> {
    if (this.#isAsking) return;
    const stage = this.#stage;
    const isLost = stage === "importing" || (stage === "preview" && this.#preview?.isDirty === true);
    if (!isLost) return this.#cancel();
    this.#isAsking = true;
    const isConfirmed = await (stage === "importing" ? confirmStop() : confirmClose());
    this.#isAsking = false;
    // The import may have ended meanwhile.
    if (isConfirmed && this.#stage === stage) this.#cancel();
  }

  /** Removes the present file. */
  #discard(): void {
    this.#stopWatching();
    this.#stopWatching = () => {};
    this.#abort.abort();
    this.#preview?.close();
    this.#preview = null;
    if (this.#file) void removeFile(this.#target, this.#file);
    this.#file = null;
  }

  #end(): void {
    this.#stage = "done";
    this.#left.abort();
    this.#discard();
  }

  #show(stage: Stage, ...content: readonly Child[]): void {
    this.#stage = stage;
    replaceChildren(this.#body, ...content);
    const focus = this.#body.querySelector<HTMLElement>("[data-autofocus]") ?? firstField(this.#body);
    focus?.focus({ preventScroll: true });
  }
}

const firstField = (within: HTMLElement): HTMLElement | undefined =>
  [...within.querySelectorAll<HTMLElement>("select, input")].find((each) => each.checkVisibility());

const isCancelled = (error: unknown): boolean =>
  error instanceof ApiError && error.details["code"] === "import.cancelled";

const confirmStop = (): Promise<boolean> =>
  confirmDialog({
    title: t("import.stop.title"),
    text: t("import.stop.text"),
    action: t("import.stop.action"),
    cancel: t("import.stop.keep"),
    isDangerous: true,
    submit: async () => {},
  });

const confirmClose = (): Promise<boolean> =>
  confirmDialog({
    title: t("import.discard.title"),
    text: t("import.discard.text"),
    action: t("import.discard.action"),
    cancel: t("import.discard.cancel"),
    isDangerous: true,
    submit: async () => {},
  });
