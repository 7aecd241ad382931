import { AppError } from "../errors.ts";
import { guarded } from "../lib/callbacks.ts";

/** A change to a document as a whole; `stopping`: the server is shutting down. */
export type ChangeSignal = "changed" | "replaced" | "removed" | "stopping";

type ChangeListener = (signal: ChangeSignal) => void;

/**
 * Notifies subscribers that a committed change affected a document; they query the document for the details. Costs one
 * map lookup for documents without subscribers.
 */
export class ChangeNotifier {
  readonly #listeners = new Map<string, Set<ChangeListener>>();
  #isStopped = false;

  /**
   * Subscribes `listener` to a document; call the returned function to unsubscribe.
   * @throws AppError `unavailable` during shutdown
   */
  subscribe(uuid: string, listener: ChangeListener): () => void {
    if (this.#isStopped) throw new AppError("server.shutting_down", "The server is shutting down", { retryAfterS: 2 });
    const listeners = this.#listeners.get(uuid) ?? new Set();
    // The change is already committed: a listener that throws must not make the write fail.
    const guardedListener = guarded(listener);
    this.#listeners.set(uuid, listeners.add(guardedListener));
    return () => {
      listeners.delete(guardedListener);
      if (listeners.size === 0 && this.#listeners.get(uuid) === listeners) this.#listeners.delete(uuid);
    };
  }

  /** True while something follows a document. */
  hasSubscribers(uuid: string): boolean {
    return this.#listeners.has(uuid);
  }

  emit(uuid: string, signal: ChangeSignal): void {
    for (const listener of this.#listeners.get(uuid) ?? []) listener(signal);
  }

  /** Notifies all subscribers that the server is shutting down; later calls of `subscribe` throw. */
  stop(): void {
    this.#isStopped = true;
    for (const uuid of this.#listeners.keys()) this.emit(uuid, "stopping");
  }
}
