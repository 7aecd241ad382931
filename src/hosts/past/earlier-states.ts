import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { FoundState, WantedState } from "../../doc/history/past/find-state-at.ts";
import type { StateList, TimedState } from "../../doc/history/past/state-times.ts";
import type { State } from "../../doc/history/states.ts";
import { AppError } from "../../errors.ts";
import { temporaryName } from "../../lib/temporary-names.ts";
import type { TemporarySpace } from "../../lib/temporary-space.ts";
import type { FileWorkerPool } from "../threads/file-worker-pool.ts";

/** Snapshots of documents, which may have states that the history no longer has. */
export interface EarlierFiles {
  /** Newest first. */
  list(uuid: string): Promise<readonly { readonly id: string }[]>;
  /** Writes a snapshot to a new file. */
  decompress(uuid: string, id: string, to: string): Promise<void>;
}

export interface EarlierStatesOptions {
  /** The data folder. */
  readonly folder: string;
  readonly snapshots: EarlierFiles;
  readonly fileWorkers: FileWorkerPool;
  readonly temporary?: TemporarySpace | undefined;
}

/** A state, and the snapshot that has it in its history. */
export interface EarlierState {
  readonly state: State;
  readonly snapshot: string;
}

/** Number of snapshots whose states are cached; each takes some 100 KB. */
const MAX_CACHED = 50;

/** Finds states in the histories of snapshots. */
export class EarlierStates {
  readonly #options: EarlierStatesOptions;
  /** By document and snapshot, which never changes; null for a snapshot that cannot be read. */
  readonly #lists = new Map<string, StateList | null>();

  constructor(options: EarlierStatesOptions) {
    this.#options = options;
  }

  /**
   * Finds a state that was removed from the history of a document. Only snapshots count whose history meets that of the
   * document in a state with the same hash: a snapshot may be of other content, which was replaced.
   * @throws AppError `state.pruned`
   */
  async find(
    uuid: string,
    { wanted, states, parentHash }: Extract<FoundState, { kind: "pruned" }>,
  ): Promise<EarlierState> {
    const known = new Map(states.map(({ n, h }) => [n, h]));
    let oldest = states.at(-1)?.n ?? 0;
    if (parentHash !== null) known.set(oldest - 1, parentHash);
    for (const { id } of await this.#options.snapshots.list(uuid)) {
      const list = await this.#statesOf(uuid, id);
      const common = list?.states.findIndex(({ n, h }) => known.get(n) === h) ?? -1;
      if (!list || common < 0) continue;
      const shared = list.states.slice(common);
      const state = select(shared, wanted);
      if (state) return { state: { n: state.n, h: state.h }, snapshot: id };
      for (const { n, h } of shared) known.set(n, h);
      oldest = Math.min(oldest, shared.at(-1)?.n ?? oldest);
      if (list.parentHash !== null) known.set(oldest - 1, list.parentHash);
    }
    throw new AppError(
      "state.pruned",
      `The history does not reach back that far; the oldest state that can be read is ${oldest}`,
      { details: { oldestState: oldest } },
    );
  }

  /** Calls `use` with the path of a file with the content of a snapshot. */
  async withFile<T>(uuid: string, id: string, use: (path: string) => Promise<T>): Promise<T> {
    const { folder, snapshots, temporary } = this.#options;
    const path = join(folder, "tmp", temporaryName("snapshot"));
    using job = temporary?.startJob(0);
    try {
      await snapshots.decompress(uuid, id, path);
      job?.check();
      return await use(path);
    } finally {
      await rm(path, { force: true });
    }
  }

  async #statesOf(uuid: string, id: string): Promise<StateList | null> {
    const key = `${uuid} ${id}`;
    const cached = this.#lists.get(key);
    if (cached !== undefined) return cached;
    const list = await this.withFile(uuid, id, (to) => this.#options.fileWorkers.run({ kind: "states", to })).catch(
      (error: unknown) => {
        // A damaged snapshot must not prevent reading others.
        if (error instanceof AppError && (error.code === "damaged" || error.code === "notFound")) return null;
        throw error;
      },
    );
    for (const first of this.#lists.keys()) {
      if (this.#lists.size < MAX_CACHED) break;
      this.#lists.delete(first);
    }
    this.#lists.set(key, list);
    return list;
  }
}

const select = (states: readonly TimedState[], wanted: WantedState): TimedState | undefined =>
  states.find(({ n, time }) => (wanted.kind === "number" ? n === wanted.n : time !== null && time <= wanted.ms));
