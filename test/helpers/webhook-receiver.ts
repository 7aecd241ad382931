/** A request that a receiver of webhooks got. */
export interface ReceivedRequest {
  readonly path: string;
  readonly method: string;
  readonly headers: Headers;
  /** As sent. */
  readonly text: string;
  readonly rows: Readonly<Record<string, unknown>>[];
}

/** A receiver's response: a status, or any response. */
export type Reply = number | ((received: ReceivedRequest) => Response | Promise<Response>);

/** A receiver of webhooks on the loopback address. */
export class WebhookReceiver implements Disposable {
  readonly received: ReceivedRequest[] = [];
  /** The next responses, in order; then 200. */
  readonly replies: Reply[] = [];
  readonly #server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    fetch: async (request) => {
      const text = await request.text();
      const { pathname, search } = new URL(request.url);
      const rows = JSON.parse(text) as ReceivedRequest["rows"];
      const received = { path: pathname + search, method: request.method, headers: request.headers, text, rows };
      this.received.push(received);
      for (const look of this.#watchers) look();
      const reply = this.replies.shift() ?? 200;
      return typeof reply === "number" ? new Response("ok", { status: reply }) : reply(received);
    },
  });
  readonly #watchers = new Set<() => void>();
  #consumed = 0;

  /** `127.0.0.1:port` */
  get host(): string {
    return `127.0.0.1:${this.#server.port}`;
  }

  get url(): string {
    return `http://${this.host}`;
  }

  /** Waits until `done` accepts the received requests. */
  until(done: (received: readonly ReceivedRequest[]) => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (!done(this.received)) return;
        this.#watchers.delete(look);
        resolve();
      };
      this.#watchers.add(look);
      look();
    });
  }

  /** Returns the next `count` requests, beginning after the previous call's. */
  async next(count = 1): Promise<ReceivedRequest[]> {
    await this.until((received) => received.length >= this.#consumed + count);
    const next = this.received.slice(this.#consumed, this.#consumed + count);
    this.#consumed += count;
    return next;
  }

  [Symbol.dispose](): void {
    void this.#server.stop(true);
  }
}
