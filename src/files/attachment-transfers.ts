/** How far moving the contents of one document is. */
export interface AttachmentTransfer {
  /** Contents that are still to be moved. */
  pending: number;
  successes: number;
  failures: number;
  isRunning: boolean;
  completed: Promise<void>;
}

/** Attachments on their way from one store to another, by document; what was finished is told until the server ends. */
export class AttachmentTransfers {
  readonly #byDocument = new Map<string, AttachmentTransfer>();
  #isClosed = false;

  /** True when what is under way has to come to an end. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  find(uuid: string): AttachmentTransfer | undefined {
    return this.#byDocument.get(uuid);
  }

  /** Moves so many contents in the background by `work`; one move at a time for a document. */
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

  /** Waits until what is under way has stopped. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled([...this.#byDocument.values()].map(({ completed }) => completed));
  }
}
