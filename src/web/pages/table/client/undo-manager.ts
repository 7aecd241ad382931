import { api, ApiError } from "../../../base/client/api.ts";

export type UserAction = readonly [name: string, ...args: unknown[]];

interface Applied {
  readonly actionNum: number;
  readonly retValues: readonly unknown[];
  readonly isModification: boolean;
}

interface ApplyOptions {
  readonly asTyped?: boolean;
  readonly onApplied?: (results: readonly unknown[]) => void;
}

interface UndoStacks {
  undo: number[];
  redo: number[];
}

/** Maximum number of undoable changes. */
const MAX_UNDO = 100;

/**
 * The user's changes of a document and their undo: each change is identified by the number of the resulting state.
 * Stored in sessionStorage, so that it survives navigating to another table.
 */
export class UndoManager {
  readonly #docId: string;
  readonly #key: string;
  readonly #onChange: () => void;
  readonly #prepare: (actions: readonly UserAction[]) => readonly UserAction[];
  #stacks: UndoStacks;
  /** Changes are sent one after another. */
  #queue: Promise<unknown> = Promise.resolve();
  #pending = 0;
  #latestState: number | null = null;
  readonly #listeners = new Set<() => void>();
  readonly #pendingListeners = new Set<(isPending: boolean) => void>();

  /**
   * @param onChange called after each change
   * @param prepare called when the actions are sent, after all previous changes
   */
  constructor(
    docId: string,
    onChange: () => void,
    prepare: (actions: readonly UserAction[]) => readonly UserAction[] = (actions) => actions,
  ) {
    this.#docId = docId;
    this.#prepare = prepare;
    this.#key = `quern.undo.${docId}`;
    this.#onChange = onChange;
    this.#stacks = readStacks(this.#key);
  }

  get canUndo(): boolean {
    return this.#stacks.undo.length > 0;
  }

  get canRedo(): boolean {
    return this.#stacks.redo.length > 0;
  }

  /** The resulting state of the latest `apply`; null when it changed nothing. */
  get latestState(): number | null {
    return this.#latestState;
  }

  /** Subscribes to the start of a change, an undo or a redo. Returns a function that unsubscribes. */
  onBeforeChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Subscribes to the start of a first request, and to the end of the last one. */
  onPending(listener: (isPending: boolean) => void): void {
    this.#pendingListeners.add(listener);
  }

  /** True while a request is in flight. */
  get isBusy(): boolean {
    return this.#pending > 0;
  }

  /**
   * Applies all actions or none. Returns the result of each action.
   * @param onApplied called with it before the next change is sent
   * @throws Failure
   */
  apply(actions: readonly UserAction[], { asTyped = true, onApplied }: ApplyOptions = {}): Promise<readonly unknown[]> {
    return this.#runExclusive(async () => {
      const query = asTyped ? {} : { noparse: true };
      const path = `/api/docs/${this.#docId}/apply`;
      const done = await api<Applied>(path, { method: "POST", body: this.#prepare(actions), query });
      this.#latestState = done.isModification ? done.actionNum : null;
      if (done.isModification) this.#saveStacks({ undo: [...this.#stacks.undo, done.actionNum], redo: [] });
      return done.retValues;
    }, onApplied);
  }

  /**
   * Undoes the last change; false when there is none.
   * @param only undo only if this state is the last change
   * @throws Failure when changes by others prevent it; the change is dropped then
   */
  undo(only?: number): Promise<boolean> {
    return this.#revert("undo", "redo", only);
  }

  /** Redoes an undone change. */
  redo(): Promise<boolean> {
    return this.#revert("redo", "undo");
  }

  #revert(from: keyof UndoStacks, to: keyof UndoStacks, only?: number): Promise<boolean> {
    return this.#runExclusive(async () => {
      const state = this.#stacks[from].at(-1);
      if (state === undefined || (only !== undefined && state !== only)) return false;
      const rest = this.#stacks[from].slice(0, -1);
      try {
        const path = `/api/docs/${this.#docId}/states/${state}/undo`;
        const { actionNum } = await api<Applied>(path, { method: "POST" });
        this.#saveStacks({ ...this.#stacks, [from]: rest, [to]: [...this.#stacks[to], actionNum] });
        return true;
      } catch (error) {
        if (error instanceof ApiError && error.kind === "refused") this.#saveStacks({ ...this.#stacks, [from]: rest });
        throw error;
      }
    });
  }

  async #runExclusive<T>(work: () => Promise<T>, onDone?: (answer: T) => void): Promise<T> {
    for (const listener of this.#listeners) listener();
    this.#setPending(this.#pending + 1);
    const run = this.#queue.then(work).then((answer) => {
      this.#onChange();
      onDone?.(answer);
      return answer;
    });
    this.#queue = run.catch(() => {});
    try {
      return await run;
    } finally {
      this.#setPending(this.#pending - 1);
    }
  }

  #setPending(pending: number): void {
    const wasBusy = this.isBusy;
    this.#pending = pending;
    if (wasBusy !== this.isBusy) for (const listener of this.#pendingListeners) listener(this.isBusy);
  }

  #saveStacks({ undo, redo }: UndoStacks): void {
    this.#stacks = { undo: undo.slice(-MAX_UNDO), redo: redo.slice(-MAX_UNDO) };
    try {
      sessionStorage.setItem(this.#key, JSON.stringify(this.#stacks));
    } catch {
      // Without storage, changes can be undone until the page is left.
    }
  }
}

function readStacks(key: string): UndoStacks {
  const numbers = (value: unknown): number[] =>
    Array.isArray(value) ? value.filter((each): each is number => typeof each === "number") : [];
  try {
    const stored = JSON.parse(sessionStorage.getItem(key) ?? "{}") as Record<string, unknown>;
    return { undo: numbers(stored["undo"]), redo: numbers(stored["redo"]) };
  } catch {
    return { undo: [], redo: [] };
  }
}
