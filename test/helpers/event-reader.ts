import type { Caller, TestApp } from "./app.ts";

/** A received event. */
export interface ReadEvent {
  readonly event: string;
  readonly id: string | null;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests access events freely
  readonly data: any;
}

export interface ReaderOptions {
  readonly query?: string;
  readonly headers?: Record<string, string>;
}

const WAIT_MS = 30_000;

/** Subscribes to a document's events as a program would. */
export class EventReader implements AsyncDisposable {
  readonly status: number;
  readonly headers: Headers;
  /** The Last-Event-ID that browsers send when they reconnect. */
  lastId: string | null = null;
  /** All received ids, including those without an event. */
  readonly ids: string[] = [];
  /** Number of received comments. */
  heartbeats = 0;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #decoder = new TextDecoder();
  #text = "";
  #isOver = false;

  constructor(response: Response) {
    this.status = response.status;
    this.headers = response.headers;
    if (!response.body) throw new Error("an answer without a body");
    this.#reader = response.body.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  }

  /** Returns the next event; null at the end. Fails after a timeout. */
  async next(): Promise<ReadEvent | null> {
    for (;;) {
      const event = this.#take();
      if (event) return event;
      if (this.#isOver) return null;
      await this.#read();
    }
  }

  /** Skips to the next event of a kind. */
  async until(kind: string): Promise<ReadEvent> {
    for (;;) {
      const event = await this.next();
      if (!event) throw new Error(`no ${kind} arrived before the end`);
      if (event.event === kind) return event;
    }
  }

  /** Returns the next change of a table. */
  async change(table: string): Promise<ReadEvent["data"]> {
    for (;;) {
      const { data } = await this.until("change");
      const found = data.tables.find((told: { table: string }) => told.table === table);
      if (found) return { ...data, found };
    }
  }

  async leave(): Promise<void> {
    await this.#reader.cancel();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.leave().catch(() => undefined);
  }

  async #read(): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error("no event arrived")), WAIT_MS);
    });
    try {
      const { done, value } = await Promise.race([this.#reader.read(), late]);
      if (done) this.#isOver = true;
      else this.#text += this.#decoder.decode(value, { stream: true });
    } finally {
      clearTimeout(timer);
    }
  }

  #take(): ReadEvent | null {
    for (;;) {
      const end = this.#text.indexOf("\n\n");
      if (end < 0) return null;
      const lines = this.#text.slice(0, end).split("\n");
      this.#text = this.#text.slice(end + 2);
      const fields = new Map<string, string>();
      for (const line of lines) {
        if (line.startsWith(":")) this.heartbeats++;
        else fields.set(line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trimStart());
      }
      const id = fields.get("id") ?? null;
      if (id !== null) {
        this.lastId = id;
        this.ids.push(id);
      }
      const data = fields.get("data");
      if (data !== undefined) return { event: fields.get("event") ?? "message", id, data: JSON.parse(data) };
    }
  }
}

/** Opens a stream of a document's events, with its URL. */
export async function subscribe(
  { app, keys }: TestApp,
  as: Exclude<Caller, "badkey">,
  doc: string,
  { query = "", headers = {} }: ReaderOptions = {},
): Promise<EventReader> {
  const key = as === "anon" ? null : keys[as];
  const request = new Request(`http://quern.test${doc}/events${query}`, {
    headers: { Host: "quern.test", ...(key && { Authorization: `Bearer ${key}` }), ...headers },
  });
  return new EventReader(await app.handle(request));
}

/** Like `subscribe`, but resolves once every later event is guaranteed to arrive. */
export async function subscribeNow(...args: Parameters<typeof subscribe>): Promise<EventReader> {
  const reader = await subscribe(...args);
  if (reader.status !== 200) throw new Error(`no stream: ${reader.status}`);
  await reader.until("ready");
  return reader;
}
