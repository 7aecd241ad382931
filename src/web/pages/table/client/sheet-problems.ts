/** The errors above the grid: that of the latest change, and that of loading rows. Neither replaces the other. */
import { h } from "../../../base/client/dom.ts";
import { clearError, showError } from "../../../base/client/problem.ts";

export class SheetProblems {
  readonly #change = h("div", { class: "problem-place" });
  readonly #load = h("div", { class: "problem-place" });

  constructor(host: HTMLElement) {
    host.append(this.#load, this.#change);
  }

  get hasLoadError(): boolean {
    return this.#load.hasChildNodes();
  }

  showChangeError(error: unknown, retry?: () => void): void {
    showError(this.#change, error, { ...(retry && { retry }), canClose: true });
  }

  clearChangeError(): void {
    clearError(this.#change);
  }

  /** Stays until rows are loaded. */
  showLoadError(error: unknown, retry: () => void): void {
    showError(this.#load, error, { retry });
  }

  clearLoadError(): void {
    clearError(this.#load);
  }
}
