/** Besides characters. Shortcuts of the browser are never held. */
const HELD_KEYS = new Set(["Enter", "Tab", "Escape", "Backspace", "Delete", "F2", "Home", "End"]);

/** Holds keys while the cell that they are meant for is being loaded, and replays them when it is active. */
export class HeldKeys {
  readonly #events: KeyboardEvent[] = [];
  #pending = 0;

  constructor() {
    document.addEventListener("keydown", (event) => this.#hold(event), true);
  }

  /** Holds keys until the promise settles; when it is rejected, they have no cell and are dropped. */
  async during<T>(ready: Promise<T>): Promise<T> {
    this.#pending++;
    try {
      return await ready;
    } catch (error) {
      this.#events.length = 0;
      throw error;
    } finally {
      this.#pending--;
      this.#replay();
    }
  }

  #hold(event: KeyboardEvent): void {
    if (this.#pending === 0 || !event.isTrusted || !isHeld(event)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    this.#events.push(event);
  }

  #replay(): void {
    // A replayed key may need another cell that is not loaded.
    while (this.#pending === 0) {
      const event = this.#events.shift();
      if (!event) return;
      replay(event);
    }
  }
}

function isHeld({ key, ctrlKey, metaKey, altKey, isComposing }: KeyboardEvent): boolean {
  if (isComposing) return false;
  if (ctrlKey || metaKey || altKey) return key === "Enter";
  return key.length === 1 || key.startsWith("Arrow") || HELD_KEYS.has(key);
}

function replay({ key, code, shiftKey, ctrlKey, metaKey, altKey }: KeyboardEvent): void {
  const target = document.activeElement ?? document.body;
  const init = { key, code, shiftKey, ctrlKey, metaKey, altKey, bubbles: true, cancelable: true };
  if (!target.dispatchEvent(new KeyboardEvent("keydown", init))) return;
  // Browsers do not perform the default actions of dispatched events.
  if (!(target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement)) return;
  const [start, end] = [target.selectionStart ?? 0, target.selectionEnd ?? 0];
  if (key.length === 1) target.setRangeText(key, start, end, "end");
  else if (key === "Backspace") target.setRangeText("", start === end ? Math.max(0, start - 1) : start, end, "end");
  else return;
  target.dispatchEvent(new InputEvent("input", { data: key.length === 1 ? key : null, bubbles: true }));
}
