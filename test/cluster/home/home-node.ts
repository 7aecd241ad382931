/** Nodes of a cluster in this process: a home database and its replication each, without documents and HTTP. */
import { join } from "node:path";
import { Replication } from "../../../src/cluster/replication.ts";
import { AnswerGate } from "../../../src/hosts/answer-gate.ts";
import { HOME_FILE } from "../../../src/home/home-upgrade.ts";
import { readInstallationIdOf } from "../../../src/home/installation-id.ts";
import { type Home, type HomeOptions, openHome } from "../../../src/home/home.ts";
import { createLog } from "../../../src/lib/observability/log.ts";
import { systemTimers } from "../../../src/lib/time/timers.ts";
import { acquireLock } from "../../../src/sqlite/lock.ts";
import { recoverFile } from "../../../src/sqlite/wal/commit-count.ts";
import { tempFolder } from "../../helpers/temp-folder.ts";

export interface HomeNodeOptions {
  readonly url: string;
  readonly folder?: string;
  readonly isStrict?: boolean;
  readonly version?: string;
  readonly adopts?: boolean;
  /** Of the schema of home. */
  readonly schema?: Pick<HomeOptions, "migrations" | "oldestUsable">;
}

export class HomeNode implements AsyncDisposable {
  readonly folder: string;
  readonly home: Home;
  readonly replication: Replication;
  /** Names of the events that were logged. */
  readonly events: string[];
  readonly #lock: Disposable;
  /** Called when the closed file of home has been changed, before the server knows that it is done. */
  duringReplacement: (() => void) | null = null;
  /** Lets changes of the closed file fail. */
  isDiskBroken = false;

  private constructor(parts: Pick<HomeNode, "folder" | "home" | "replication" | "events"> & { lock: Disposable }) {
    ({ folder: this.folder, home: this.home, replication: this.replication, events: this.events } = parts);
    this.#lock = parts.lock;
  }

  static async start(options: HomeNodeOptions): Promise<HomeNode> {
    const { url, folder = tempFolder(), isStrict = false, version = "1.0.0", adopts = false, schema = {} } = options;
    const events: string[] = [];
    const write = (text: string) => {
      for (const line of text.trim().split("\n")) events.push((JSON.parse(line) as { event: string }).event);
    };
    const lock = acquireLock(join(folder, "lock"));
    try {
      const replication = await Replication.start({
        url,
        folder,
        retentionMs: 86_400_000,
        adopts,
        node: { address: "http://127.0.0.1:1", idleMs: 60_000, isStrict },
        version,
        log: createLog({ level: "info", format: "json", write }),
        timers: systemTimers,
        homeFile: join(folder, HOME_FILE),
        installationOfHome: () => readInstallationIdOf(join(folder, HOME_FILE)),
        fileOf: (uuid) => join(folder, "docs", uuid, "document.grist"),
        gate: new AnswerGate(),
        recover: recoverFile,
        prepare: () => {
          throw new Error("no documents in this test");
        },
      });
      const home = openHome(folder, { isLogged: true, isReplica: replication.opensReplica, ...schema });
      const node = new HomeNode({ folder, home, replication, events, lock });
      try {
        await node.#attach();
      } catch (error) {
        await node.stop();
        throw error;
      }
      return node;
    } catch (error) {
      lock[Symbol.dispose]();
      throw error;
    }
  }

  async #attach(): Promise<void> {
    const { log, ...home } = this.home;
    if (!log) throw new Error("not in log mode");
    const replaceContent = (work: (path: string) => void) =>
      home.replaceContent((path) => {
        work(this.isDiskBroken ? join(path, "missing") : path);
        this.duringReplacement?.();
      });
    const runtime = {
      beginBase: () => Promise.reject(new Error("no documents in this test")),
      endBase: async () => false,
      whileClosed: async <T>(_: string, work: () => T) => work(),
    };
    await this.replication.attach({ log, ...home, replaceContent }, runtime, {
      uuids: () => [],
      services: {
        open: async () => {},
        warmUp: async () => {},
        isInUse: () => false,
        isStreaming: () => false,
        deliveries: { dueAtMs: () => null, acquired() {}, leaving: () => null },
      },
    });
  }

  /** Changes home as a request does: resolves when the change may be answered. */
  async change(work: (home: Home) => void): Promise<void> {
    const term = this.replication.homeTerm();
    work(this.home);
    await this.replication.settled(term);
  }

  /** Adds a session, whose hash is a text. */
  addSession(hash: string): Promise<void> {
    return this.change(({ users, sessions }) => {
      const [user] = users.list();
      const expiresAt = Date.now() + 86_400_000;
      sessions.add({ hash, userId: user?.id ?? 0, expiresAt, publicId: hash, userAgent: "", address: "" });
    });
  }

  hasSession(hash: string): boolean {
    return this.home.callers.bySession(hash) !== null;
  }

  async stop(): Promise<void> {
    this.home.close();
    await this.replication.close();
    this.#lock[Symbol.dispose]();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}
