import type { DocumentGrant } from "../authorization.ts";
import { AppError } from "../errors.ts";
import type { Home } from "../home/home.ts";
import type { WebhookSecrets } from "../home/webhooks.ts";
import type { Batch, Documents } from "../hosts/documents.ts";
import type { Clock } from "../lib/time/clock.ts";
import type { Log } from "../lib/observability/log.ts";
import { incrementCounter, recordDurationSince } from "../lib/observability/measurements.ts";
import { yieldToEventLoop, runSoon, type Timers } from "../lib/time/timers.ts";
import type { AddressPolicy } from "./address-policy.ts";
import { type RetrySettings, nextRetry } from "./retry-policy.ts";
import type { AddressResolver } from "../lib/network/pinned-addresses.ts";
import { sendDelivery, type SendResult } from "./send-delivery.ts";
import { signatureHeaders } from "./signature.ts";

export interface DelivererOptions extends RetrySettings {
  readonly home: Home;
  readonly documents: Documents;
  /** Returns the grant for a document's deliveries; null when it is deleted or in the trash. */
  readonly grantOf: (uuid: string) => DocumentGrant | null;
  readonly policy: AddressPolicy;
  /** Timeout for a delivery. */
  readonly timeoutMs: number;
  /** Pause after a batch that was not full: events that arrive meanwhile form the next batch. */
  readonly batchIntervalMs: number;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  readonly resolve?: AddressResolver;
  /** Called after each failed attempt of a webhook whose attempts have failed for a day. */
  readonly onFailing?: (failing: { uuid: string; webhook: string; since: number }) => unknown;
  /**
   * True on a node of a cluster: documents move between nodes, and the log knows which ones have deliveries due. Otherwise
   * the home database does.
   */
  readonly isShared?: boolean;
  /** Tells whether a document has unfinished jobs: it then stays marked in the home database, which finds those as well. */
  readonly hasJobs?: (uuid: string) => boolean;
}

/** How long an idle document stays marked as due: most are written to again soon. */
const ACTIVE_IDLE_MS = 10_000;
/** Retry interval after an internal error. */
const ERROR_RETRY_MS = 5000;
/** Interval for finding due documents that are not active. */
const SWEEP_INTERVAL_MS = 60_000;
/** A batch with this many rows is full: more may be waiting. */
const FULL_BATCH_ROWS = 50;
/** Owners are notified of a webhook that has failed for so long. */
const FAILING_MS = 24 * 3_600_000;
/** Grace period for deliveries in flight at shutdown. */
const SHUTDOWN_GRACE_MS = 2000;

/** A document with pending events, now or recently. */
interface ActiveDocument {
  readonly uuid: string;
  readonly documentId: number;
  /** Webhooks with a delivery in flight. */
  readonly inFlightHooks: Set<string>;
  /** Pending events at the last lookup. */
  waitingEvents: number;
  /** True while a lookup of due batches is scheduled. */
  isLookupScheduled: boolean;
  /** When the next batch is due, as of the last lookup; null for never. */
  nextAt: number | null;
  cancelTimer: () => void;
}

/** The message of a delivery. */
export interface DeliveryMessage {
  readonly id: string;
  readonly kind: Batch["kind"];
  readonly body: string;
}

/**
 * Delivers the events in documents' outboxes. Each webhook is called independently: one batch at a time, so that its
 * events arrive in order, and without blocking other webhooks however long it takes.
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

  /** Starts with the backlog: documents that are marked as due, and documents that may be unmarked because of a crash. */
  start(): void {
    if (this.#isRunning || this.#isStopped) return;
    this.#isRunning = true;
    const { home, documents, isShared } = this.#options;
    if (isShared) {
      for (const uuid of this.#active.keys()) this.wake(uuid);
      return;
    }
    for (const uuid of home.webhooks.documents()) if (documents.hasUncleanShutdown(uuid)) this.wake(uuid);
    this.#sweep();
  }

  /** Notifies the deliverer that a document may have pending events. */
  wake(uuid: string): void {
    if (this.#isStopped) return;
    const active = this.#active.get(uuid) ?? this.#tryToActivate(uuid);
    if (!active || !this.#isRunning || active.isLookupScheduled) return;
    active.isLookupScheduled = true;
    // Deferred: the current write is answered first, and concurrent writes join the batch.
    runSoon(() => this.#track(this.#deliverDue(active)));
  }

  /** True while a delivery of a document is in flight, or about to begin. */
  isDelivering(uuid: string): boolean {
    const active = this.#active.get(uuid);
    return active !== undefined && (active.isLookupScheduled || active.inFlightHooks.size > 0);
  }

  /**
   * Stops deliveries of a document that another server may get: its pending events are in the document. An attempt in
   * flight may be repeated there. Returns in how many milliseconds the next batch is due; null for never.
   */
  leave(uuid: string): number | null {
    const active = this.#active.get(uuid);
    if (!active) return null;
    const isDue = this.isDelivering(uuid);
    this.#forget(active);
    if (isDue) return 0;
    return active.nextAt === null ? null : Math.max(0, active.nextAt - this.#options.clock.now());
  }

  /** Returns the documents with pending events, or whose events were just delivered, and when the next batch is due. */
  activeDocuments(): { readonly uuid: string; readonly nextAt: number | null }[] {
    return [...this.#active.values()].map(({ uuid, nextAt }) => ({ uuid, nextAt }));
  }

  /** Returns the current load: active documents, their pending events, and webhooks with a delivery in flight. */
  load(): { documents: number; waiting: number; underWay: number } {
    const active = [...this.#active.values()];
    return {
      documents: active.length,
      waiting: active.reduce((sum, { waitingEvents }) => sum + waitingEvents, 0),
      underWay: active.reduce((sum, { inFlightHooks }) => sum + inFlightHooks.size, 0),
    };
  }

  /** Sends a message to a webhook immediately, bypassing its queue. */
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

  /** Stops. Deliveries in flight get a grace period; unfinished ones are repeated later. Idempotent. */
  async stop(): Promise<void> {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#cancelSweep();
    for (const { cancelTimer } of this.#active.values()) cancelTimer();
    const cancel = this.#options.timers.after(SHUTDOWN_GRACE_MS, () => this.#shutdown.abort());
    while (this.#inFlight.size > 0) await Promise.all(this.#inFlight);
    cancel();
  }

  /** Waits for all deliveries in flight; for tests. */
  async whenIdle(): Promise<void> {
    await yieldToEventLoop();
    while (this.#inFlight.size > 0) {
      await Promise.all(this.#inFlight);
      await yieldToEventLoop();
    }
  }

  /** The caller's change is already committed: waking must not fail when the home database is busy. */
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
    if (!this.#options.isShared) home.webhooks.markDue(documentId);
    const active: ActiveDocument = {
      uuid,
      documentId,
      inFlightHooks: new Set(),
      waitingEvents: 0,
      isLookupScheduled: false,
      nextAt: null,
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
    if (this.#isStopped || this.#active.get(active.uuid) !== active) return;
    const { documents, grantOf, clock, log } = this.#options;
    const { uuid, inFlightHooks } = active;
    try {
      const grant = grantOf(uuid);
      // The sweep finds the document again when it is restored from the trash.
      if (!grant) return void this.#active.delete(uuid);
      const due = await documents.call(grant, "webhooks.due", { busy: [...inFlightHooks] });
      active.waitingEvents = due.waitingEvents;
      active.nextAt = due.nextAt;
      for (const batch of due.batches) {
        // Another lookup, which began before this one ended, may have returned the same batch.
        if (inFlightHooks.has(batch.hook)) continue;
        inFlightHooks.add(batch.hook);
        this.#track(this.#deliver(active, grant, batch));
      }
      if (due.nextAt !== null) this.#wakeAfter(active, due.nextAt - clock.now());
      else if (due.waitingEvents === 0 && inFlightHooks.size === 0) this.#deactivateAfter(active, ACTIVE_IDLE_MS);
    } catch (error) {
      if (this.#isStopped || this.#hasMoved(active, error)) return;
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
        : notSent(clock.now(), { message: "The webhook has no url on this server", isForbidden: true });
      // Aborted by the server: not the receiver's fault.
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
      await documents.call(grant, "webhooks.recordOutcome", { hook, batch: id, outcome, retry });
      this.#notifyFailing(uuid, batch, sent);
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
      if (this.#isStopped || this.#hasMoved(active, error)) return;
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

  #notifyFailing(uuid: string, { hook: webhook, failingSince: since }: Batch, { isSuccess }: SendResult): void {
    const { clock, onFailing, log } = this.#options;
    if (isSuccess || since === null || clock.now() < since + FAILING_MS) return;
    try {
      onFailing?.({ uuid, webhook, since });
    } catch (error) {
      // The next failed attempt tries again.
      log.warn("webhook.failure_not_reported", { document: uuid, webhook, error: String(error) });
    }
  }

  /** Another server has the document, and delivers its events. */
  #hasMoved(active: ActiveDocument, error: unknown): boolean {
    const hasMoved = error instanceof AppError && error.reason === "document.elsewhere";
    if (hasMoved) this.#forget(active);
    return hasMoved;
  }

  #forget(active: ActiveDocument): void {
    active.cancelTimer();
    if (this.#active.get(active.uuid) === active) this.#active.delete(active.uuid);
  }

  #wakeAfter(active: ActiveDocument, ms: number): void {
    active.cancelTimer();
    active.cancelTimer = this.#options.timers.after(ms, () => this.wake(active.uuid));
  }

  /** Deactivates a document that stays idle. */
  #deactivateAfter(active: ActiveDocument, ms: number): void {
    active.cancelTimer();
    active.cancelTimer = this.#options.timers.after(ms, () => {
      if (active.isLookupScheduled || active.inFlightHooks.size > 0 || this.#isStopped) return;
      this.#active.delete(active.uuid);
      if (this.#options.isShared || this.#options.hasJobs?.(active.uuid)) return;
      try {
        this.#options.home.webhooks.unmarkDue(active.documentId);
      } catch (error) {
        // The next sweep retries.
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
