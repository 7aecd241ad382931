/** A receiver of webhooks that notes which rows have come. */
export class DeliveryLog implements Disposable {
  /** Rows that came in earlier rounds. */
  readonly #checkpointed = new Set<string>();
  /** How far the record of the disk was when a row came first, while there was load. */
  readonly #recorded = new Map<string, number>();
  /** Rows that came since the server was started again. */
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

  /** From now on what comes belongs to the load. */
  record(position: () => number): void {
    this.#position = position;
  }

  /** From now on what comes is sent by a server that was started on what was left. */
  onServerRestart(): void {
    this.#position = undefined;
    this.#since.clear();
  }

  /** What has come until that position of the record, and since the last start, does not have to come again. */
  checkpoint(position: number): void {
    for (const [key, at] of this.#recorded) if (at <= position) this.#checkpointed.add(key);
    for (const key of this.#since) this.#checkpointed.add(key);
    this.#recorded.clear();
  }

  /**
   * Waits until all of these rows have come: now, or before that position of the record.
   * @throws Error when they do not
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
