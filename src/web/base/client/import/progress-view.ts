import { announce } from "../announce.ts";
import { type Content, contentChildren, h, nameElement, replaceChildren } from "../dom.ts";
import { formatSize } from "../../sizes.ts";
import { t } from "../texts.ts";
import type { ServerProgress } from "./uploads.ts";

/** Shows how far a file is, and announces only the beginning of each step. */
export class ProgressView {
  readonly element: HTMLElement;
  readonly #bar = h("progress", { max: 1, "aria-label": t("import.progress") });
  readonly #text = h("p", {});
  readonly #name: string;

  constructor(name: string) {
    this.#name = name;
    this.element = h("div", { class: "import-progress" }, this.#text, this.#bar);
  }

  /** Shows the first step. @param sizeBytes of a file that is sent; null for one that the server fetches */
  start(sizeBytes: number | null): void {
    if (sizeBytes !== null) this.showSent(0, sizeBytes);
    else this.#show(t.rich("import.fetching", { file: this.#file() }), null);
    announce(this.#text);
  }

  showSent(sent: number, total: number): void {
    const parts = { file: this.#file(), sent: formatSize(t, sent), size: formatSize(t, total) };
    this.#show(t.rich("import.uploading", parts), total > 0 ? sent / total : 0);
  }

  /** The server reads the file. */
  showReading(): void {
    this.#show(t.rich("import.reading", { file: this.#file() }), null);
    announce(this.#text);
  }

  /** The server imports the file. */
  showWriting(): void {
    this.#show(t.rich("import.writing", { file: this.#file() }), null);
    announce(this.#text);
  }

  showServer({ step, done, total }: ServerProgress): void {
    const file = this.#file();
    const share = total === null || total === 0 ? null : done / total;
    const percent = new Intl.NumberFormat(t.locale, { style: "percent" }).format(share ?? 0);
    if (step === "writing") this.#show(t.rich("import.writingRows", { file, count: done }), share);
    else if (share === null) this.#show(t.rich("import.reading", { file }), null);
    else this.#show(t.rich("import.readingPercent", { file, percent }), share);
  }

  #file(): HTMLElement {
    return nameElement(this.#name);
  }

  #show(text: Content, share: number | null): void {
    replaceChildren(this.#text, ...contentChildren(text));
    if (share === null) this.#bar.removeAttribute("value");
    else this.#bar.value = share;
  }
}
