import type { Caller, TestApp } from "./app.ts";
import { EventReader, type ReadEvent } from "./event-reader.ts";

export interface LiveRecord {
  readonly id: number;
  readonly fields: Record<string, unknown>;
}

/** Follows a live query as a client would, with a copy of its result. */
export class LiveReader implements AsyncDisposable {
  readonly reader: EventReader;
  /** The copy, by row id. */
  readonly records = new Map<number, LiveRecord>();
  /** All received events, oldest first. */
  readonly events: ReadEvent[] = [];

  constructor(response: Response) {
    this.reader = new EventReader(response);
  }

  get status(): number {
    return this.reader.status;
  }

  get lastId(): string | null {
    return this.reader.lastId;
  }

  /** Applies the next event; null at the end. */
  async next(): Promise<ReadEvent | null> {
    const event = await this.reader.next();
    if (!event) return null;
    this.events.push(event);
    const { records, added = [], updated = [], removed = [] } = event.data;
    if (event.event === "reset") this.records.clear();
    for (const id of removed) this.records.delete(id);
    for (const record of [...(records ?? []), ...added, ...updated]) this.records.set(record.id, record);
    return event;
  }

  /** Applies events up to one of a kind. */
  async until(kind: string): Promise<ReadEvent> {
    for (;;) {
      const event = await this.next();
      if (!event) throw new Error(`no ${kind} arrived before the end`);
      if (event.event === kind) return event;
    }
  }

  /** Applies events until the copy has this number of records, or fulfils a condition. */
  async untilCopy(condition: (records: ReadonlyMap<number, LiveRecord>) => boolean): Promise<void> {
    while (!condition(this.records)) if (!(await this.next())) throw new Error("the stream ended before");
  }

  /** The copy as a read returns it. */
  sorted(): LiveRecord[] {
    return [...this.records.values()].toSorted((a, b) => a.id - b.id);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.reader[Symbol.asyncDispose]();
  }
}

/** Opens a live query, given by its parameters, of the records with a path. */
export async function openLive(
  { app, keys }: TestApp,
  as: Exclude<Caller, "badkey">,
  records: string,
  { query = {}, headers = {} }: { query?: Record<string, string>; headers?: Record<string, string> } = {},
): Promise<LiveReader> {
  const key = as === "anon" ? null : keys[as];
  const request = new Request(`http://quern.test${records}/live?${new URLSearchParams(query).toString()}`, {
    headers: { Host: "quern.test", ...(key && { Authorization: `Bearer ${key}` }), ...headers },
  });
  return new LiveReader(await app.handle(request));
}
