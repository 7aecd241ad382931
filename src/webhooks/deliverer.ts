import type { DocumentGrant } from "../authorization.ts";
import type { Home } from "../home/home.ts";
import type { WebhookSecrets } from "../home/webhooks.ts";
import type { Batch, Documents } from "../hosts/documents.ts";
import type { Clock } from "../lib/time/clock.ts";
import type { Log } from "../lib/observability/log.ts";
import { incrementCounter, recordDurationSince } from "../lib/observability/measurements.ts";
import { yieldToEventLoop, runSoon, type Timers } from "../lib/time/timers.ts";
import type { AddressPolicy } from "./address-policy.ts";
import { type RetrySettings, nextRetry } from "./retry-policy.ts";
import { type AddressResolver, sendDelivery, type SendResult } from "./send-delivery.ts";
import { signatureHeaders } from "./signature.ts";

export interface DelivererOptions extends RetrySettings {
  readonly home: Home;
  readonly documents: Documents;
  /** The right to a document's deliveries; null when it is gone or in the trash. */
  readonly grantOf: (uuid: string) => DocumentGrant | null;
  readonly policy: AddressPolicy;
  /** For a receiver to answer. */
  readonly timeoutMs: number;
  /** After a batch that was not full, until the next one: what comes meanwhile goes together. */
  readonly batchIntervalMs: number;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  readonly resolve?: AddressResolver;
}

/** How long a document without anything to send stays noted as one that may have: most are written to again soon. */
const ACTIVE_IDLE_MS = 10_000;
/** After how long something that went wrong here is tried again. */
const ERROR_RETRY_MS = 5000;
/** How often documents are looked for that have something to send and nobody thinks of. */
const SWEEP_INTERVAL_MS = 60_000;
/** Rows of a batch from which on more may be waiting already. */
const FULL_BATCH_ROWS = 50;
/** How long deliveries under way may take when the server ends. */
const SHUTDOWN_GRACE_MS = 2000;

/** A document that has something to send, or had lately. */
interface ActiveDocument {
  readonly uuid: string;
  readonly documentId: number;
  /** Webhooks that are being called. */
  readonly inFlightHooks: Set<string>;
  /** Events that waited when it was looked up last. */
  waitingEvents: number;
  /** True while what is due is to be looked up. */
  isLookupScheduled: boolean;
  cancelTimer: () => void;
}

/** What goes to a receiver besides what a webhook itself says. */
export interface DeliveryMessage {
  readonly id: string;
  readonly kind: Batch["kind"];
  readonly body: string;
}

/**
 * Sends what documents have in their outboxes. Each webhook is called by itself: one batch after the other, so that
 * its events arrive in order, and however long it takes, without any other waiting for it.
 */
export class Deliverer {
  readonly policy: AddressPolicy;
  readonly #options: DelivererOptions;
  readonly #active = new Map<string, ActiveDocument>();
  readonly #inFlight = new Set<Promise<void>>();
  readonly #shutdown = new AbortController();
  #isRunning = false;
  #isStopped = false;
  #cancelSweep = (): void => {};

  constructor(options: DelivererOptions) {
    this.#options = options;
    this.policy = options.policy;
  }

  /**
   * Begins, with what was left over from before: documents that are noted as having something to send, and those that
   * a crash may have kept from being noted.
   */
  start(): void {
    if (this.#isRunning || this.#isStopped) return;
    this.#isRunning = true;
    const { home, documents } = this.#options;
    for (const uuid of home.webhooks.documents()) if (documents.hasUncleanShutdown(uuid)) this.wake(uuid);
    this.#sweep();
  }

  /** To be told that a document may have something to send. */
  wake(uuid: string): void {
    if (this.#isStopped) return;
    const active = this.#active.get(uuid) ?? this.#tryToActivate(uuid);
    if (!active || !this.#isRunning || active.isLookupScheduled) return;
    active.isLookupScheduled = true;
    // Not at once: what is just being written is answered first, and more may be written with it.
    runSoon(() => this.#track(this.#deliverDue(active)));
  }

  /** How much there is to do: documents with something to send, events that wait in them, webhooks being called. */
  load(): { documents: number; waiting: number; underWay: number } {
    const active = [...this.#active.values()];
    return {
      documents: active.length,
      waiting: active.reduce((sum, { waitingEvents }) => sum + waitingEvents, 0),
      underWay: active.reduce((sum, { inFlightHooks }) => sum + inFlightHooks.size, 0),
    };
  }

  /** Sends something to a webhook now, whatever waits for it. */
  send(secrets: WebhookSecrets, { id, kind, body }: DeliveryMessage): Promise<SendResult> {
    const { clock, timeoutMs, resolve } = this.#options;
    const now = () => clock.now();
    let url: URL;
    try {
      url = this.policy.checkUrl(secrets.url);
    } catch (error) {
      return Promise.resolve(notSent(now(), { message: (error as Error).message, isForbidden: true }));
    }
    const headers = {
      ...secrets.headers,
      "Content-Type": "application/json",
      "User-Agent": "Quern",
      ...(secrets.authorization && { Authorization: secrets.authorization }),
      ...(kind === "removed" && { "X-Quern-Event": "remove" }),
      ...signatureHeaders(secrets.signingSecret, { id, at: now(), body }),
    };
    const { signal } = this.#shutdown;
    return sendDelivery(
      { url, headers, body },
      { policy: this.policy, timeoutMs, now, signal, ...(resolve && { resolve }) },
    );
  }

  /** Ends: deliveries under way have a moment to finish, and are made again later otherwise. Twice is fine. */
  async stop(): Promise<void> {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#cancelSweep();
    for (const { cancelTimer } of this.#active.values()) cancelTimer();
    const cancel = this.#options.timers.after(SHUTDOWN_GRACE_MS, () => this.#shutdown.abort());
    while (this.#inFlight.size > 0) await Promise.all(this.#inFlight);
    cancel();
  }

  /** Waits for everything that is being sent just now; for tests. */
  async whenIdle(): Promise<void> {
    await yieldToEventLoop();
    while (this.#inFlight.size > 0) {
      await Promise.all(this.#inFlight);
      await yieldToEventLoop();
    }
  }

  /** What wakes us was committed: it must not fail when the home database is busy. */
  #tryToActivate(uuid: string): ActiveDocument | null {
    try {
      return this.#activate(uuid);
    } catch (error) {
      this.#options.log.error("webhook.document_not_marked", { document: uuid, error: String(error) });
      this.#options.timers.after(ERROR_RETRY_MS, () => this.wake(uuid));
      return null;
    }
  }

  #activate(uuid: string): ActiveDocument | null {
    const { home, grantOf } = this.#options;
    const grant = grantOf(uuid);
    if (!grant) return null;
    const { documentId } = grant;
    home.webhooks.markDue(documentId);
    const active: ActiveDocument = {
      uuid,
      documentId,
      inFlightHooks: new Set(),
      waitingEvents: 0,
      isLookupScheduled: false,
      cancelTimer: () => {},
    };
    this.#active.set(uuid, active);
    return active;
  }

  #track(work: Promise<void>): void {
    const tracked = work.finally(() => this.#inFlight.delete(tracked));
    this.#inFlight.add(tracked);
  }

  async #deliverDue(active: ActiveDocument): Promise<void> {
    active.isLookupScheduled = false;
    active.cancelTimer();
    if (this.#isStopped) return;
    const { documents, grantOf, clock, log } = this.#options;
    const { uuid, inFlightHooks } = active;
    try {
      const grant = grantOf(uuid);
      // What waits in a document in the trash is found by the sweep when it is taken out again.
      if (!grant) return void this.#active.delete(uuid);
      const due = await documents.call(grant, "webhooks.due", { busy: [...inFlightHooks] });
      active.waitingEvents = due.waitingEvents;
      for (const batch of due.batches) {
        inFlightHooks.add(batch.hook);
        this.#track(this.#deliver(active, grant, batch));
      }
      if (due.nextAt !== null) this.#wakeAfter(active, due.nextAt - clock.now());
      else if (due.waitingEvents === 0 && inFlightHooks.size === 0) this.#deactivateAfter(active, ACTIVE_IDLE_MS);
    } catch (error) {
      if (this.#isStopped) return;
      log.error("webhook.deliveries_not_read", { document: uuid, error: String(error) });
      this.#wakeAfter(active, ERROR_RETRY_MS);
    }
  }

  async #deliver(active: ActiveDocument, grant: DocumentGrant, batch: Batch): Promise<void> {
    const { home, documents, clock, log } = this.#options;
    const { uuid, inFlightHooks } = active;
    const { hook, id, failures } = batch;
    try {
      const secrets = home.webhooks.find(grant.documentId, hook);
      const sent = secrets
        ? await this.#sendMeasured(secrets, batch)
        : notSent(clock.now(), { message: "The webhook has no address on this server", isForbidden: true });
      // Broken off by us: the receiver is not to blame.
      if (this.#shutdown.signal.aborted && !sent.isSuccess) return;
      incrementCounter(sent.isSuccess ? "webhooksDelivered" : "webhooksFailed");
      const { retryAfterMs, ...outcome } = sent;
      const { httpStatus: status, durationMs: ms } = sent;
      log.debug("webhook.delivery", {
        document: uuid,
        webhook: hook,
        batch: id,
        events: batch.size,
        status,
        ms,
        failures,
      });
      const retryContext = { failures: failures + 1, nowMs: clock.now(), retryAfterMs, random: Math.random() };
      const retry = sent.isSuccess ? null : nextRetry(this.#options, retryContext);
      await documents.call(grant, "webhooks.settle", { hook, batch: id, outcome, retry });
      const releaseHook = () => {
        inFlightHooks.delete(hook);
        this.wake(uuid);
      };
      const { batchIntervalMs, timers } = this.#options;
      if (batchIntervalMs > 0 && sent.isSuccess && batch.size < FULL_BATCH_ROWS)
        timers.after(batchIntervalMs, releaseHook);
      else releaseHook();
    } catch (error) {
      inFlightHooks.delete(hook);
      if (this.#isStopped) return;
      log.error("webhook.delivery_not_recorded", { document: uuid, webhook: hook, error: String(error) });
      this.#wakeAfter(active, ERROR_RETRY_MS);
    }
  }

  async #sendMeasured(secrets: WebhookSecrets, batch: Batch): Promise<SendResult> {
    const start = performance.now();
    const sent = await this.send(secrets, batch);
    recordDurationSince("webhookDelivery", start);
    return sent;
  }

  #wakeAfter(active: ActiveDocument, ms: number): void {
    active.cancelTimer();
    active.cancelTimer = this.#options.timers.after(ms, () => this.wake(active.uuid));
  }

  /** Forgets a document when nothing happens for a while. */
  #deactivateAfter(active: ActiveDocument, ms: number): void {
    active.cancelTimer();
    active.cancelTimer = this.#options.timers.after(ms, () => {
      if (active.isLookupScheduled || active.inFlightHooks.size > 0 || this.#isStopped) return;
      this.#active.delete(active.uuid);
      try {
        this.#options.home.webhooks.unmarkDue(active.documentId);
      } catch (error) {
        // The sweep comes by again.
        this.#options.log.warn("webhook.document_not_unmarked", { error: String(error) });
      }
    });
  }

  #sweep(): void {
    const { home, log } = this.#options;
    try {
      for (const uuid of home.webhooks.due()) if (!this.#active.has(uuid)) this.wake(uuid);
    } catch (error) {
      log.error("webhook.documents_not_listed", { error: String(error) });
    }
    this.#cancelSweep = this.#options.timers.after(SWEEP_INTERVAL_MS, () => this.#sweep());
  }
}

const notSent = (at: number, { message, isForbidden }: { message: string; isForbidden: boolean }): SendResult => ({
  at,
  durationMs: 0,
  isSuccess: false,
  httpStatus: null,
  message,
  isForbidden,
  retryAfterMs: null,
  answer: "",
});
