/** Progress of a transfer of one document's contents. */
export interface AttachmentTransfer {
  /** Number of contents still to transfer. */
  pending: number;
  successes: number;
  failures: number;
  isRunning: boolean;
  completed: Promise<void>;
}

/** Attachment transfers between stores, by document. Finished ones are reported until the server stops. */
export class AttachmentTransfers {
  readonly #byDocument = new Map<string, AttachmentTransfer>();
  #isClosed = false;

  /** True when transfers in progress have to stop. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  find(uuid: string): AttachmentTransfer | undefined {
    return this.#byDocument.get(uuid);
  }

  /** Returns the transfers in progress, by document. */
  running(): { readonly uuid: string; readonly transfer: Readonly<AttachmentTransfer> }[] {
    return [...this.#byDocument].flatMap(([uuid, transfer]) => (transfer.isRunning ? [{ uuid, transfer }] : []));
  }

  /** Starts to transfer this number of contents in the background with `work`; one transfer at a time per document. */
  start(uuid: string, pending: number, work: (transfer: AttachmentTransfer) => Promise<void>): void {
    if (pending === 0 || this.#byDocument.get(uuid)?.isRunning || this.#isClosed) return;
    const transfer: AttachmentTransfer = {
      pending,
      successes: 0,
      failures: 0,
      isRunning: true,
      completed: Promise.resolve(),
    };
    this.#byDocument.set(uuid, transfer);
    transfer.completed = work(transfer).finally(() => {
      transfer.isRunning = false;
      transfer.pending = 0;
    });
  }

  /** Waits until the transfers in progress have stopped. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled([...this.#byDocument.values()].map(({ completed }) => completed));
  }
}
