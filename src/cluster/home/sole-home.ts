import type { Log } from "../../lib/observability/log.ts";
import type { Timers } from "../../lib/time/timers.ts";
import { noLease } from "../log/refusals.ts";
import type { OwnedDocuments } from "../log/owned-documents.ts";
import { hasContent, publishHome, takeHome } from "../joining.ts";
import { HOME, type HomeConnection } from "../local-documents.ts";
import type { LogDatabase } from "../postgres/log-database.ts";
import type { HomeInLog } from "./home-in-log.ts";

export interface SoleHomeOptions {
  readonly database: LogDatabase;
  readonly owned: OwnedDocuments;
  readonly timers: Timers;
  readonly log: Log;
}

const RETRY_MS = 200;

/** The home database of the one server that writes to a log: it owns it from the start, and owns it again after a loss. */
export class SoleHome implements HomeInLog {
  readonly #options: SoleHomeOptions;
  /** True when the log had no content of home before `attach`. */
  readonly isNew: boolean;
  #connection: HomeConnection | null = null;
  #isOwning = false;
  #isClosed = false;
  term = 0;

  private constructor(options: SoleHomeOptions, { isNew }: { isNew: boolean }) {
    this.#options = options;
    this.isNew = isNew;
  }

  /** Gives the file of home the content of the log. @throws AppError when another server writes to the log */
  static async prepare(options: SoleHomeOptions): Promise<SoleHome> {
    const { owned, database } = options;
    const isNew = !(await hasContent(database, HOME));
    if (!isNew) await takeHome(owned, database);
    return new SoleHome(options, { isNew });
  }

  async attach(connection: HomeConnection): Promise<void> {
    const { owned, database } = this.#options;
    this.#connection = connection;
    const { count } = connection.log;
    if (this.isNew) await publishHome(owned, database, count);
    // Opening has migrated it.
    else if (count.seq !== owned.lastSeq(HOME)) await owned.replaced(HOME, count);
  }

  isOwner(): boolean {
    return true;
  }

  seq(): number {
    return this.#options.owned.ownershipOf(HOME)?.acknowledgedSeq ?? 0;
  }

  async fresh(): Promise<void> {}

  async own(): Promise<boolean> {
    return this.#options.owned.isOwned(HOME);
  }

  async giveUp(): Promise<boolean> {
    return false;
  }

  owner(): null {
    return null;
  }

  refusal() {
    return this.#options.owned.mayAnswer(HOME) ? null : noLease();
  }

  staleRefusal(): null {
    return null;
  }

  onChanged(): void {}
  onOwner(): void {}
  acknowledged(): void {}
  notified(): void {}
  identityChanged(): void {}

  use(): () => void {
    return () => {};
  }

  stopped(): void {
    this.term++;
  }

  registered(): void {
    void this.#ownAgain();
  }

  close(): void {
    this.#isClosed = true;
    this.#connection = null;
  }

  async #ownAgain(): Promise<void> {
    if (this.#isOwning || !this.#connection) return;
    this.#isOwning = true;
    const { owned, log, timers } = this.#options;
    while (!this.#isClosed && !owned.isOwned(HOME)) {
      try {
        // Commits that were not appended are not kept.
        this.#connection?.log.collect();
        await owned.own(HOME);
      } catch (error) {
        log.warn("cluster.home_not_owned", { error: String(error) });
        await new Promise<void>((resolve) => timers.after(RETRY_MS, resolve));
      }
    }
    this.#isOwning = false;
  }
}
