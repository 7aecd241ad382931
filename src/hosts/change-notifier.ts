import { AppError } from "../errors.ts";
import { guarded } from "../lib/callbacks.ts";

/** What happened to a document as a whole; `stopping`: the server ends. */
export type ChangeSignal = "changed" | "replaced" | "removed" | "stopping";

type ChangeListener = (signal: ChangeSignal) => void;

/**
 * Tells whoever follows a document that something happened to it, after it was committed; what, he asks the document.
 * Costs a look-up where nobody follows.
 */
export class ChangeNotifier {
  readonly #listeners = new Map<string, Set<ChangeListener>>();
  #isStopped = false;

  /**
   * Has `ear` called until the function that this gives is called.
   * @throws AppError `unavailable` when the server ends
   */
  subscribe(uuid: string, listener: ChangeListener): () => void {
    if (this.#isStopped) throw new AppError("server.shutting_down", "The server is shutting down", { retryAfterS: 2 });
    const listeners = this.#listeners.get(uuid) ?? new Set();
    // What happened was committed: a listener that fails must not make it look as if it was not.
    const guardedListener = guarded(listener);
    this.#listeners.set(uuid, listeners.add(guardedListener));
    return () => {
      listeners.delete(guardedListener);
      if (listeners.size === 0 && this.#listeners.get(uuid) === listeners) this.#listeners.delete(uuid);
    };
  }

  emit(uuid: string, signal: ChangeSignal): void {
    for (const listener of this.#listeners.get(uuid) ?? []) listener(signal);
  }

  /** Tells everybody that the server ends; nobody can follow anything from then on. */
  stop(): void {
    this.#isStopped = true;
    for (const uuid of this.#listeners.keys()) this.emit(uuid, "stopping");
  }
}
