/** A receiver of webhooks that records which rows have arrived. */
export class DeliveryLog implements Disposable {
  /** Rows that arrived in earlier rounds. */
  readonly #checkpointed = new Set<string>();
  /** Position in the disk recording when a row first arrived during the load. */
  readonly #recorded = new Map<string, number>();
  /** Rows that arrived since the server was restarted. */
  readonly #since = new Set<string>();
  #position: (() => number) | undefined;

  readonly #server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      for (const { Key } of (await request.json()) as { Key: string }[]) this.#record(Key);
      return new Response();
    },
  });

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}/`;
  }

  /** Attributes deliveries from now on to the load. */
  record(position: () => number): void {
    this.#position = position;
  }

  /** Attributes deliveries from now on to a server that was started on the recovered data. */
  onServerRestart(): void {
    this.#position = undefined;
    this.#since.clear();
  }

  /**
   * Accepts the rows that arrived before that position in the recording, or since the restart: they need not arrive
   * again.
   */
  checkpoint(position: number): void {
    for (const [key, at] of this.#recorded) if (at <= position) this.#checkpointed.add(key);
    for (const key of this.#since) this.#checkpointed.add(key);
    this.#recorded.clear();
  }

  /**
   * Waits until all of these rows have arrived: now, or before that position in the recording.
   * @throws Error if some do not
   */
  async expect(keys: Iterable<string>, { position, withinMs }: { position: number; withinMs: number }): Promise<void> {
    const until = performance.now() + withinMs;
    const hasCome = (key: string) =>
      this.#checkpointed.has(key) || this.#since.has(key) || (this.#recorded.get(key) ?? Number.NaN) <= position;
    let missing = [...keys];
    for (;;) {
      missing = missing.filter((key) => !hasCome(key));
      if (missing.length === 0) return;
      if (performance.now() > until) break;
      await Bun.sleep(20);
    }
    throw new Error(`${missing.length} rows were never delivered to the webhook: ${missing.slice(0, 5).join(", ")}`);
  }

  [Symbol.dispose](): void {
    void this.#server.stop(true);
  }

  #record(key: string): void {
    if (!this.#position) this.#since.add(key);
    else if (!this.#recorded.has(key)) this.#recorded.set(key, this.#position());
  }
}
