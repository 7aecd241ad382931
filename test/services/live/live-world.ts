import type { DocumentGrant } from "../../../src/authorization.ts";
import { AppError } from "../../../src/errors.ts";
import type { LiveQueryArgs } from "../../../src/hosts/documents.ts";
import type { Timers } from "../../../src/lib/time/timers.ts";
import { guardDocument } from "../../../src/services/access/guards.ts";
import { actorForCommand } from "../../../src/services/accounts/actors.ts";
import type { Context } from "../../../src/services/context.ts";
import type { SubscriptionHandle } from "../../../src/services/events/events.ts";
import { type LiveSubscriber, subscribeToRecords } from "../../../src/services/live/live-queries.ts";
import { type TestApp, USERS, type UserName } from "../../helpers/app.ts";

/** Timers that fire on demand, in any order, whatever their delay. */
export class ManualTimers implements Timers {
  readonly #waiting = new Set<() => unknown>();

  after(_ms: number, work: () => unknown): () => void {
    this.#waiting.add(work);
    return () => this.#waiting.delete(work);
  }

  get waiting(): readonly (() => unknown)[] {
    return [...this.#waiting];
  }

  fire(work: () => unknown): unknown {
    return this.#waiting.delete(work) ? work() : undefined;
  }
}

export const settle = async (turns = 3): Promise<void> => {
  for (let i = 0; i < turns; i++) await new Promise(setImmediate);
};

interface LiveRecord {
  readonly id: number;
}

/** What a read of the query would give: records in the order of their ids as JSON, or the code of the refusal. */
export async function freshRead(ctx: Context, grant: () => DocumentGrant, query: LiveQueryArgs): Promise<string> {
  try {
    const read = await ctx.documents.call(grant(), "records.fetch", { ...query, typed: false });
    if (read.kind !== "bytes") throw new Error(`an answer of kind ${read.kind}`);
    const { records } = JSON.parse(new TextDecoder().decode(read.bytes)) as { records: LiveRecord[] };
    return JSON.stringify(records.toSorted((a, b) => a.id - b.id));
  } catch (error) {
    if (error instanceof AppError) return `refused: ${error.code}`;
    throw error;
  }
}

/** A client of a live query: its copy, and its checks of every event. */
export class LiveClient {
  readonly records = new Map<number, unknown>();
  isOpen = false;
  isLagging = false;
  /** Whether this connection has got an event. Before, nothing could fill its buffer. */
  hasBegun = false;
  lastId: string | null = null;
  /** The names of events and their reasons. */
  readonly log: string[] = [];
  /** Mistakes that were found in events. */
  readonly mistakes: string[] = [];
  /** What reads have given, oldest first, from the one that the copy equals on. */
  states: string[] = [];
  readonly user: UserName;
  readonly query: LiveQueryArgs;
  readonly #ctx: Context;
  readonly #doc: string;
  #handle: SubscriptionHandle | null = null;
  readonly #bufferedBytes: number;
  #connection = 0;
  /** The last bytes of an event that is not complete. */
  #partial = "";
  #untaken: (() => void)[] = [];

  constructor(
    { app }: TestApp,
    {
      ctx = app.ctx,
      doc,
      user,
      query,
      bufferedBytes = 1e9,
    }: { ctx?: Context; doc: string; user: UserName; query: LiveQueryArgs; bufferedBytes?: number },
  ) {
    this.#bufferedBytes = bufferedBytes;
    this.#ctx = ctx;
    this.#doc = doc;
    this.user = user;
    this.query = query;
  }

  grant(): DocumentGrant {
    const actor = actorForCommand(this.#ctx, USERS[this.user].email);
    return guardDocument(this.#ctx, actor, { kind: "personal" }, this.#doc, "viewers");
  }

  /** Notes what a read gives now; the copy must reach it. */
  async look(): Promise<void> {
    const state = await freshRead(this.#ctx, () => this.grant(), this.query);
    if (this.states.at(-1) !== state) this.states.push(state);
  }

  /** The caller's rights were reduced: earlier states must not arrive any more. */
  forgetStates(): void {
    this.states = this.states.slice(-1);
  }

  get copy(): string {
    return JSON.stringify([...this.records].toSorted(([a], [b]) => a - b).map(([, record]) => record));
  }

  async open({ resumes, isLagging: lags = false }: { resumes: boolean; isLagging?: boolean }): Promise<void> {
    if (!resumes) {
      this.records.clear();
      // The next connection may begin before this one has got an event.
      this.lastId = null;
    }
    const connection = ++this.#connection;
    const isCurrent = (): boolean => connection === this.#connection;
    this.isOpen = true;
    this.hasBegun = false;
    this.isLagging = lags;
    this.#partial = "";
    const isLagging = (): boolean => this.isLagging;
    const subscriber: LiveSubscriber = {
      reauthorize: () => this.grant(),
      send: (bytes, onTaken) => {
        if (!isCurrent()) return onTaken?.();
        this.#read(bytes);
        if (!this.isLagging) onTaken?.();
        else if (onTaken) this.#untaken.push(onTaken);
      },
      get isLagging() {
        return isLagging();
      },
      partsTaken: 0,
      maxLagBytes: 300,
      end: () => {
        if (!isCurrent()) return;
        this.isOpen = false;
        this.#take();
      },
    };
    try {
      const handle = await subscribeToRecords(this.#ctx, this.grant(), {
        subscriber,
        query: this.query,
        after: resumes ? this.lastId : null,
        limits: { perDocument: 0, total: 0, bufferedBytes: this.#bufferedBytes },
      });
      // A later connection may have begun before this one.
      if (isCurrent()) this.#handle = handle;
      else handle.unsubscribe();
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      if (isCurrent()) this.isOpen = false;
      this.log.push(`refused ${error.reason}`);
    }
  }

  drain(): void {
    this.isLagging = false;
    this.#take();
    this.#handle?.onDrained();
  }

  leave(): void {
    this.#connection++;
    this.isOpen = false;
    this.#take();
    this.#handle?.unsubscribe();
  }

  /** The connection no longer holds bytes. */
  #take(): void {
    for (const onTaken of this.#untaken.splice(0)) onTaken();
  }

  #read(bytes: Uint8Array): void {
    const text = this.#partial + new TextDecoder().decode(bytes);
    const frames = text.split("\n\n");
    this.#partial = frames.pop() ?? "";
    for (const frame of frames) this.#receive(`${frame}\n\n`);
  }

  #receive(frame: string): void {
    const id = /^id: (.*)$/m.exec(frame)?.[1];
    if (id !== undefined) this.lastId = id;
    const event = /^event: (.*)$/m.exec(frame)?.[1];
    if (event === undefined) return;
    this.hasBegun = true;
    const data = JSON.parse(/^data: (.*)$/m.exec(frame)?.[1] ?? "{}") as {
      reason?: string;
      records?: LiveRecord[];
      added?: LiveRecord[];
      updated?: LiveRecord[];
      removed?: number[];
    };
    this.log.push(`${event}${data.reason === undefined ? "" : ` ${data.reason}`}`);
    if (event === "closed") {
      if (data.reason === "query" || data.reason === "access")
        this.#reach((state) => state.startsWith("refused"), event);
      return;
    }
    const { records = [], added = [], updated = [], removed = [] } = data;
    if (event === "reset") this.records.clear();
    for (const rowId of removed) {
      if (!this.records.delete(rowId) && id?.startsWith("~")) this.mistakes.push(`got the unknown id ${rowId}`);
    }
    for (const record of [...records, ...added, ...updated]) this.records.set(record.id, record);
    const { copy } = this;
    this.#reach((state) => state === copy, `${frame.slice(0, 300)}\ncopy ${copy}`);
  }

  #reach(isState: (state: string) => boolean, what: string): void {
    const at = this.states.findIndex(isState);
    if (at < 0) this.mistakes.push(`no state of these after ${what}:\n${this.states.join("\n")}`);
    else this.states.splice(0, at);
  }
}
