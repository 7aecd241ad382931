import { AppError } from "../errors.ts";
import { guarded } from "../lib/callbacks.ts";

/** What happened to a document as a whole; `stopping`: the server ends. */
export type ChangeSignal = "changed" | "replaced" | "removed" | "stopping";

type Ear = (signal: ChangeSignal) => void;

/**
 * Tells whoever follows a document that something happened to it, after it was committed; what, he asks the document.
 * Costs a look-up where nobody follows.
 */
export class ChangeSignals {
  readonly #ears = new Map<string, Set<Ear>>();
  #isStopped = false;

  /**
   * Has `ear` called until the function that this gives is called.
   * @throws AppError `unavailable` when the server ends
   */
  hear(uuid: string, ear: Ear): () => void {
    if (this.#isStopped) throw new AppError("server.shutting_down", "The server is shutting down", { retryAfterS: 2 });
    const ears = this.#ears.get(uuid) ?? new Set();
    // What happened was committed: a listener that fails must not make it look as if it was not.
    const listener = guarded(ear);
    this.#ears.set(uuid, ears.add(listener));
    return () => {
      ears.delete(listener);
      if (ears.size === 0 && this.#ears.get(uuid) === ears) this.#ears.delete(uuid);
    };
  }

  tell(uuid: string, signal: ChangeSignal): void {
    for (const ear of this.#ears.get(uuid) ?? []) ear(signal);
  }

  /** Tells everybody that the server ends; nobody can follow anything from then on. */
  stop(): void {
    this.#isStopped = true;
    for (const uuid of this.#ears.keys()) this.tell(uuid, "stopping");
  }
}
