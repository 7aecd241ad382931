import { createHmac } from "node:crypto";
import type { DocumentGrant } from "../../authorization.ts";
import type { State } from "../../doc/history/states.ts";
import type { Log } from "../../lib/observability/log.ts";
import type { TemporarySpace } from "../../lib/temporary-space.ts";
import type { DocumentRuntime, RuntimeOptions } from "../document-runtime.ts";
import { pastFile } from "../files/document-files.ts";
import type { FileWorkerPool } from "../threads/file-worker-pool.ts";
import type { Rendered } from "../verbs/render.ts";
import type { VerbArgs } from "../verbs/verbs.ts";
import { shuttingDown } from "../shutting-down.ts";
import { type EarlierFiles, EarlierStates } from "./earlier-states.ts";
import { PastFiles, type PastSubject } from "./past-files.ts";
import { PastReaders } from "./past-readers.ts";

/** The verbs that can read past states. */
export type PastVerb =
  | "records.fetch"
  | "records.list"
  | "record.get"
  | "records.aggregate"
  | "data.fetch"
  | "export.delimited"
  | "export.schema"
  | "export.sheet"
  | "export.workbook";

/** A result, and the number of the state that it was read from. */
export interface PastResult<T> {
  readonly state: number;
  readonly result: T;
}

export interface PastStatesOptions {
  readonly runtime: Pick<DocumentRuntime, "call" | "released">;
  readonly runtimeOptions: RuntimeOptions;
  readonly log: Log;
  /** As `WorkerRuntimeOptions.hangMs`. */
  readonly hangMs: number;
  readonly fileWorkers: FileWorkerPool;
  readonly temporary?: TemporarySpace | undefined;
  /** Snapshots, for states that the history no longer has. */
  readonly snapshots: EarlierFiles;
  /** How long an unused file is kept; five minutes if omitted. */
  readonly keepMs?: number | undefined;
}

const KEEP_MS = 5 * 60_000;

/**
 * Reads documents as they were at earlier states: from temporary files, which file workers write from a snapshot of the
 * document and its history, in threads of their own. Each request is checked against the present document first.
 */
export class PastStates {
  readonly #options: PastStatesOptions;
  readonly #files: PastFiles;
  readonly #earlier: EarlierStates;
  #readers: PastReaders | null = null;
  #isClosed = false;

  constructor(options: PastStatesOptions) {
    const { runtimeOptions, keepMs = KEEP_MS, temporary } = options;
    const { folder } = runtimeOptions;
    this.#options = options;
    this.#files = new PastFiles({
      folder,
      keepMs,
      closeFile: async (name) => this.#readers?.closeFile(name),
    });
    this.#earlier = new EarlierStates({ ...options, folder });
    if (temporary) temporary.discardUnused = () => this.#files.discardUnused();
  }

  /** As `Documents.callAt`. */
  call<V extends PastVerb>(
    grant: DocumentGrant,
    at: string,
    { verb, args }: { verb: V; args: VerbArgs<V> },
  ): Promise<PastResult<Rendered>> {
    return this.#use(grant, at, async (name, state) => {
      if (this.#isClosed) throw shuttingDown();
      this.#readers ??= new PastReaders(this.#options);
      const boundArgs = withBoundCursor(args as { cursorKey?: Uint8Array }, state);
      const result = await this.#readers.call({ ...grant, uuid: name }, verb, boundArgs);
      return result as Rendered;
    });
  }

  /** As `Documents.withFileAt`. */
  withFile<T>(grant: DocumentGrant, at: string, use: (path: string) => Promise<T>): Promise<PastResult<T>> {
    return this.#use(grant, at, (name) => use(pastFile(this.#options.runtimeOptions.folder, name)));
  }

  /** The readers of a cursor; null for the cursor of the present document. */
  readersOf(cursor: string): PastReaders | null {
    return this.#readers?.has(cursor) ? this.#readers : null;
  }

  /** Deletes the files of a document that was replaced or removed. */
  forget(uuid: string): void {
    this.#files.forget(uuid);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#files.close();
    await this.#readers?.close();
  }

  async #use<T>(
    grant: DocumentGrant,
    at: string,
    use: (name: string, state: State) => Promise<T>,
  ): Promise<PastResult<T>> {
    const { runtime } = this.#options;
    // Checks access, before anything is looked up.
    const found = await runtime.call(grant, "states.at", { at });
    const { uuid } = grant;
    if (found.kind === "found") {
      const { state, version } = found;
      return this.#useFile({ uuid, state, version }, (to) => this.#write(grant, to, state), use);
    }
    const { state, snapshot } = await this.#earlier.find(uuid, found);
    return this.#useFile({ uuid, state }, (to) => this.#writeFromSnapshot(uuid, to, { state, snapshot }), use);
  }

  async #useFile<T>(
    subject: PastSubject,
    write: (to: string) => Promise<void>,
    use: (name: string, state: State) => Promise<T>,
  ): Promise<PastResult<T>> {
    const { state } = subject;
    const result = await this.#files.use(subject, write, (name) => use(name, state));
    return { state: state.n, result };
  }

  async #write(grant: DocumentGrant, to: string, state: State): Promise<void> {
    const { runtime, fileWorkers } = this.#options;
    const from = await runtime.call(grant, "document.file", null);
    await fileWorkers.run({ kind: "past", from, to, state });
    // The copy may have contained later commits.
    await runtime.released(grant);
  }

  async #writeFromSnapshot(
    uuid: string,
    to: string,
    { state, snapshot }: { state: State; snapshot: string },
  ): Promise<void> {
    await this.#earlier.withFile(uuid, snapshot, (from) =>
      this.#options.fileWorkers.run({ kind: "past", from, to, state }),
    );
  }
}

/** Cursors of pages are valid for one state. */
function withBoundCursor<A extends { cursorKey?: Uint8Array }>(args: A, { n, h }: State): A {
  const { cursorKey } = args;
  if (!cursorKey) return args;
  return { ...args, cursorKey: createHmac("sha256", cursorKey).update(`state ${n} ${h}`).digest() };
}
