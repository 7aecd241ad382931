import { api, ApiError } from "../../../base/client/api.ts";
import type { GuardedSnapshot } from "./all-rows/guarded-snapshot.ts";
import { shownView } from "./shown-view.ts";

export type UserAction = readonly [name: string, ...args: unknown[]];

/** The answer of a change. */
export interface Applied {
  readonly actionNum: number;
  readonly actionHash: string | null;
  readonly isModification: boolean;
}

interface SendOptions {
  /** Whether a snapshot is saved before the change, which its undo restores. */
  readonly savesFirst?: boolean | undefined;
  /** Whether it adds, renames or deletes a table: its undo leads to where it was made, or to the table. */
  readonly changesTables?: boolean | undefined;
}

interface ApplyOptions extends SendOptions {
  readonly asTyped?: boolean;
  readonly onApplied?: (results: readonly unknown[]) => void;
}

/** A change by the number of its state. */
interface Change {
  readonly state: number;
  readonly changesTables?: true;
  /** The view of the page of the document on which tables were changed. */
  readonly view?: number;
}

/** A change, or the snapshot of the state before it. */
type UndoEntry = number | Change | (Change & GuardedSnapshot);

interface UndoStacks {
  undo: UndoEntry[];
  redo: UndoEntry[];
}

const stateOf = (entry: UndoEntry | undefined): number | undefined => (typeof entry === "object" ? entry.state : entry);

const hasChangedTables = (entry: UndoEntry | undefined): boolean =>
  typeof entry === "object" && entry.changesTables === true;

const viewOf = (entry: UndoEntry | undefined): number | null =>
  typeof entry === "object" && "view" in entry ? (entry.view ?? null) : null;

/** Marks a change of tables. @param view where it was made; null elsewhere than on a page of the document */
const marked = (entry: number | GuardedSnapshot, view: number | null): UndoEntry => ({
  ...(typeof entry === "object" ? entry : { state: entry }),
  changesTables: true,
  ...(view !== null && { view }),
});

/** Maximum number of undoable changes. */
const MAX_UNDO = 100;

/**
 * The user's changes of a document and their undo: each change is identified by the number of the resulting state.
 * Stored in sessionStorage, so that it survives navigating to another table.
 */
export class UndoManager {
  readonly #docId: string;
  readonly #key: string;
  readonly #changeListeners = new Set<() => void>();
  #prepare: (actions: readonly UserAction[]) => readonly UserAction[] = (actions) => actions;
  #stacks: UndoStacks;
  /** Changes are sent one after another. */
  #queue: Promise<unknown> = Promise.resolve();
  #pending = 0;
  #startedCount = 0;
  #latestState: number | null = null;
  /** The table of the page; null in a document without tables. */
  readonly #table: string | null;
  readonly #listeners = new Set<() => void>();
  readonly #pendingListeners = new Set<(isPending: boolean) => void>();

  constructor({ docId, table }: { readonly docId: string; readonly table: string | null }) {
    this.#docId = docId;
    this.#table = table;
    this.#key = `quern.undo.${docId}`;
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

  /** Calls a function for the actions of each change when they are sent, after all previous changes. */
  prepareWith(prepare: (actions: readonly UserAction[]) => readonly UserAction[]): void {
    this.#prepare = prepare;
  }

  /** Subscribes to changes that are stored: also undo and redo. */
  onChange(listener: () => void): void {
    this.#changeListeners.add(listener);
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

  /** Number of changes, undos and redos that were started. */
  get startedCount(): number {
    return this.#startedCount;
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
  apply(actions: readonly UserAction[], options: ApplyOptions = {}): Promise<readonly unknown[]> {
    const { asTyped = true, onApplied, ...sending } = options;
    return this.#runExclusive(async () => {
      const query = asTyped ? {} : { noparse: true };
      const path = `/api/docs/${this.#docId}/apply`;
      const call = () =>
        api<Applied & { retValues: readonly unknown[] }>(path, { method: "POST", body: this.#prepare(actions), query });
      return (await this.#record(call, sending)).retValues;
    }, onApplied);
  }

  /**
   * Sends a change of another route, which answers with its state.
   * @throws Failure
   */
  send<T extends Applied>(path: string, body: unknown, options: SendOptions = {}): Promise<T> {
    return this.#runExclusive(() => this.#record(() => api<T>(path, { method: "POST", body }), options));
  }

  async #record<T extends Applied>(call: () => Promise<T>, options: SendOptions): Promise<T> {
    const { savesFirst = false, changesTables = false } = options;
    const { saveFirst } = savesFirst ? await import("./all-rows/guarded-snapshot.ts") : {};
    const { done, entry } = saveFirst
      ? await saveFirst(this.#docId, call)
      : await call().then((answer) => ({ done: answer, entry: answer.actionNum }));
    this.#latestState = done.isModification ? done.actionNum : null;
    const change = changesTables ? marked(entry, shownView()) : entry;
    if (done.isModification) this.#saveStacks({ undo: [...this.#stacks.undo, change], redo: [] });
    return done;
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
      const entry = this.#stacks[from].at(-1);
      const state = stateOf(entry);
      if (state === undefined || (only !== undefined && state !== only)) return false;
      const rest = this.#stacks[from].slice(0, -1);
      try {
        const revert = async () => {
          const actionNum = await this.#undoEntry(entry ?? state);
          const undone = actionNum !== null && hasChangedTables(entry) ? marked(actionNum, viewOf(entry)) : actionNum;
          const other = this.#stacks[to];
          this.#saveStacks({ ...this.#stacks, [from]: rest, [to]: undone === null ? other : [...other, undone] });
        };
        if (!hasChangedTables(entry)) await revert();
        else {
          const { followTables } = await import("./tables/follow-tables.ts");
          await followTables(this.#docId, { table: this.#table, view: viewOf(entry) }, revert);
        }
        return true;
      } catch (error) {
        if (error instanceof ApiError && error.kind === "refused") this.#saveStacks({ ...this.#stacks, [from]: rest });
        throw error;
      }
    });
  }

  /** Returns the state of the undo; null after the restore of a snapshot, which cannot be redone. */
  async #undoEntry(entry: UndoEntry): Promise<number | null> {
    const undo = async (state: number) => {
      const path = `/api/docs/${this.#docId}/states/${state}/undo`;
      return (await api<Applied>(path, { method: "POST" })).actionNum;
    };
    if (typeof entry === "number" || !("snapshot" in entry)) return undo(stateOf(entry) ?? 0);
    const { restoreGuarded } = await import("./all-rows/guarded-snapshot.ts");
    return restoreGuarded(this.#docId, entry, () => undo(entry.state));
  }

  async #runExclusive<T>(work: () => Promise<T>, onDone?: (answer: T) => void): Promise<T> {
    this.#startedCount++;
    for (const listener of this.#listeners) listener();
    this.#setPending(this.#pending + 1);
    const run = this.#queue.then(work).then((answer) => {
      for (const listener of this.#changeListeners) listener();
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
  const entries = (value: unknown): UndoEntry[] => (Array.isArray(value) ? (value as UndoEntry[]).filter(stateOf) : []);
  try {
    const stored = JSON.parse(sessionStorage.getItem(key) ?? "{}") as Record<string, unknown>;
    return { undo: entries(stored["undo"]), redo: entries(stored["redo"]) };
  } catch {
    return { undo: [], redo: [] };
  }
}
