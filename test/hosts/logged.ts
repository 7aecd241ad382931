/** Documents in log mode, with a copy of one that follows its reported commits. */
import { closeSync, copyFileSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { HISTORY_LIMITS } from "../../src/doc/history.ts";
import { FORMULA_LIMITS } from "../../src/doc/document.ts";
import type {
  ClosedFile,
  DocumentRuntime,
  RuntimeCallbacks,
  RuntimeOptions,
} from "../../src/hosts/document-runtime.ts";
import { documentFile, documentFolder } from "../../src/hosts/files/document-files.ts";
import { createInProcessRuntime } from "../../src/hosts/in-process-runtime.ts";
import { WorkerRuntime } from "../../src/hosts/threads/worker-runtime.ts";
import { systemClock } from "../../src/lib/time/clock.ts";
import { newUuid } from "../../src/lib/ids.ts";
import { silentLog } from "../../src/lib/observability/log.ts";
import type { LoggedCommit } from "../../src/sqlite/wal/commit-log.ts";
import { applyPageSet, decodePageSet } from "../../src/sqlite/wal/page-set.ts";
import { grantOf } from "../doc/read/sample.ts";
import { tempFolder } from "../helpers/temp-folder.ts";
import { bytes } from "./hosted.ts";

export const RUNTIMES = ["in process", "in worker threads"] as const;

export class Logged implements AsyncDisposable {
  readonly folder = tempFolder();
  readonly runtime: DocumentRuntime;
  readonly commits: LoggedCommit[] = [];
  readonly closed: ClosedFile[] = [];
  readonly uuid = newUuid();
  readonly copy: string;

  constructor(kind: (typeof RUNTIMES)[number], options: Partial<RuntimeOptions> = {}) {
    const callbacks: RuntimeCallbacks = {
      onCommitted: (_uuid, commit) => void this.commits.push(commit),
      onClosed: (_uuid, file) => void this.closed.push(file),
    };
    const runtimeOptions: RuntimeOptions = {
      folder: this.folder,
      durability: "full",
      isLogged: true,
      maxOpen: 10,
      idleMs: 60_000,
      history: HISTORY_LIMITS,
      formulas: FORMULA_LIMITS,
      groupCommit: true,
      ...options,
    };
    this.runtime =
      kind === "in process"
        ? createInProcessRuntime({ ...runtimeOptions, ...callbacks, clock: systemClock, log: silentLog })
        : new WorkerRuntime({
            ...callbacks,
            runtimeOptions,
            log: silentLog,
            maxWorkers: 2,
            hangMs: 60_000,
            maxMemoryBytes: 0,
          });
    this.copy = `${this.folder}/copy.grist`;
  }

  get path(): string {
    return documentFile(this.folder, this.uuid);
  }

  /** Creates the document, and the copy that follows it. */
  async make(): Promise<void> {
    mkdirSync(documentFolder(this.folder, this.uuid), { recursive: true });
    await this.runtime.createFile(this.path);
    await this.copyBase();
  }

  /** Copies the held file, and forgets earlier commits; returns whether it stayed unchanged. */
  async copyBase(): Promise<boolean> {
    const base = await this.runtime.beginBase(this.uuid);
    this.commits.length = 0;
    copyFileSync(base.path, this.copy);
    return this.runtime.endBase(this.uuid);
  }

  /** Applies the reported commits to the copy. */
  follow(): void {
    const file = openSync(this.copy, "r+");
    for (const { bytes: encoded } of this.commits.splice(0)) {
      if (!encoded) throw new Error("a commit needs a base");
      applyPageSet(file, decodePageSet(encoded));
    }
    closeSync(file);
  }

  /** True when the copy has the bytes of the closed file. */
  isFollowed(): boolean {
    this.follow();
    return readFileSync(this.path).equals(readFileSync(this.copy));
  }

  add(fields: Record<string, unknown>, count = 1): Promise<unknown> {
    const records = Array.from({ length: count }, () => ({ fields }));
    const body = bytes({ records });
    return this.runtime.call(grantOf(this.uuid), "records.add", { table: "Table1", noparse: true, flat: false, body });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.runtime.close();
  }
}
