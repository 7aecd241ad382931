import { api, Failure } from "../base/api.ts";

export type UserAction = readonly [name: string, ...args: unknown[]];

interface Applied {
  readonly actionNum: number;
  readonly retValues: readonly unknown[];
  readonly isModification: boolean;
}

interface Stacks {
  undo: number[];
  redo: number[];
}

/** How many changes can be taken back. */
const MAX_KEPT = 100;

/**
 * What this person changes in a document, and how it is taken back: each change is known by the number of the state it
 * led to. It is kept by the window, so that it outlasts going to another table.
 */
export class Changes {
  readonly #docId: string;
  readonly #key: string;
  readonly #changed: () => void;
  #stacks: Stacks;
  /** What is sent waits for what was sent before. */
  #turn: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  #latest: number | null = null;
  readonly #listeners = new Set<() => void>();

  /** @param changed called after each change */
  constructor(docId: string, changed: () => void) {
    this.#docId = docId;
    this.#key = `quern.undo.${docId}`;
    this.#changed = changed;
    this.#stacks = readStacks(this.#key);
  }

  get canUndo(): boolean {
    return this.#stacks.undo.length > 0;
  }

  get canRedo(): boolean {
    return this.#stacks.redo.length > 0;
  }

  /** The state that the latest `apply` led to; null when it changed nothing. */
  get latest(): number | null {
    return this.#latest;
  }

  /** Calls back when a change, an undo or a redo begins. Returns what ends that. */
  beforeEach(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** True while something was sent and not answered yet. */
  get isBusy(): boolean {
    return this.#waiting > 0;
  }

  /**
   * Does all of it, or nothing. Answers what each action gives.
   * @throws Failure
   */
  apply(actions: readonly UserAction[], { asTyped = true } = {}): Promise<readonly unknown[]> {
    return this.#inTurn(async () => {
      const query = asTyped ? {} : { noparse: true };
      const path = `/api/docs/${this.#docId}/apply`;
      const done = await api<Applied>(path, { method: "POST", body: actions, query });
      this.#latest = done.isModification ? done.actionNum : null;
      if (done.isModification) this.#put({ undo: [...this.#stacks.undo, done.actionNum], redo: [] });
      return done.retValues;
    });
  }

  /**
   * Takes the last change back; false when there is none.
   * @param only undo nothing unless this state is the last change
   * @throws Failure when others have changed things so that it cannot be; it is forgotten then
   */
  undo(only?: number): Promise<boolean> {
    return this.#turnBack("undo", "redo", only);
  }

  /** Does again what was taken back. */
  redo(): Promise<boolean> {
    return this.#turnBack("redo", "undo");
  }

  #turnBack(from: keyof Stacks, to: keyof Stacks, only?: number): Promise<boolean> {
    return this.#inTurn(async () => {
      const state = this.#stacks[from].at(-1);
      if (state === undefined || (only !== undefined && state !== only)) return false;
      const rest = this.#stacks[from].slice(0, -1);
      try {
        const path = `/api/docs/${this.#docId}/states/${state}/undo`;
        const { actionNum } = await api<Applied>(path, { method: "POST" });
        this.#put({ ...this.#stacks, [from]: rest, [to]: [...this.#stacks[to], actionNum] });
        return true;
      } catch (error) {
        if (error instanceof Failure && error.kind === "refused") this.#put({ ...this.#stacks, [from]: rest });
        throw error;
      }
    });
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    for (const listener of this.#listeners) listener();
    this.#waiting++;
    const run = this.#turn.then(work);
    this.#turn = run.catch(() => {});
    try {
      const answer = await run;
      this.#changed();
      return answer;
    } finally {
      this.#waiting--;
    }
  }

  #put({ undo, redo }: Stacks): void {
    this.#stacks = { undo: undo.slice(-MAX_KEPT), redo: redo.slice(-MAX_KEPT) };
    try {
      sessionStorage.setItem(this.#key, JSON.stringify(this.#stacks));
    } catch {
      // Without storage changes can be taken back until the page is left.
    }
  }
}

function readStacks(key: string): Stacks {
  const numbers = (value: unknown): number[] =>
    Array.isArray(value) ? value.filter((each): each is number => typeof each === "number") : [];
  try {
    const kept = JSON.parse(sessionStorage.getItem(key) ?? "{}") as Record<string, unknown>;
    return { undo: numbers(kept["undo"]), redo: numbers(kept["redo"]) };
  } catch {
    return { undo: [], redo: [] };
  }
}
