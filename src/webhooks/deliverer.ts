import type { DocumentGrant } from "../access.ts";
import type { Home } from "../home/home.ts";
import type { WebhookSecrets } from "../home/webhooks.ts";
import type { Batch, Documents } from "../hosts/documents.ts";
import type { Clock } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import { count, noteSince } from "../lib/measurements.ts";
import { nextTurn, soon, type Timers } from "../lib/timers.ts";
import type { AddressPolicy } from "./addresses.ts";
import { type RetrySettings, retryAfter } from "./retries.ts";
import { type Resolve, send, type Sent } from "./send.ts";
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
  readonly pauseMs: number;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  readonly resolve?: Resolve;
}

/** How long a document without anything to send stays noted as one that may have: most are written to again soon. */
const QUIET_MS = 10_000;
/** After how long something that went wrong here is tried again. */
const TROUBLE_MS = 5000;
/** How often documents are looked for that have something to send and nobody thinks of. */
const SWEEP_MS = 60_000;
/** Rows of a batch from which on more may be waiting already. */
const FULL_BATCH = 50;
/** How long deliveries under way may take when the server ends. */
const GRACE_MS = 2000;

/** A document that has something to send, or had lately. */
interface Active {
  readonly uuid: string;
  readonly documentId: number;
  /** Webhooks that are being called. */
  readonly busy: Set<string>;
  /** Events that waited when it was looked up last. */
  waiting: number;
  /** True while what is due is to be looked up. */
  isWoken: boolean;
  cancelTimer: () => void;
}

/** What goes to a receiver besides what a webhook itself says. */
export interface Message {
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
  readonly #active = new Map<string, Active>();
  readonly #underWay = new Set<Promise<void>>();
  readonly #ending = new AbortController();
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
  run(): void {
    if (this.#isRunning || this.#isStopped) return;
    this.#isRunning = true;
    const { home, documents } = this.#options;
    for (const uuid of home.webhooks.documents()) if (documents.wasCutOff(uuid)) this.wake(uuid);
    this.#sweep();
  }

  /** To be told that a document may have something to send. */
  wake(uuid: string): void {
    if (this.#isStopped) return;
    const active = this.#active.get(uuid) ?? this.#tryToActivate(uuid);
    if (!active || !this.#isRunning || active.isWoken) return;
    active.isWoken = true;
    // Not at once: what is just being written is answered first, and more may be written with it.
    soon(() => this.#track(this.#deliverDue(active)));
  }

  /** How much there is to do: documents with something to send, events that wait in them, webhooks being called. */
  load(): { documents: number; waiting: number; underWay: number } {
    const active = [...this.#active.values()];
    return {
      documents: active.length,
      waiting: active.reduce((sum, { waiting }) => sum + waiting, 0),
      underWay: active.reduce((sum, { busy }) => sum + busy.size, 0),
    };
  }

  /** Sends something to a webhook now, whatever waits for it. */
  send(secrets: WebhookSecrets, { id, kind, body }: Message): Promise<Sent> {
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
    const { signal } = this.#ending;
    return send({ url, headers, body }, { policy: this.policy, timeoutMs, now, signal, ...(resolve && { resolve }) });
  }

  /** Ends: deliveries under way have a moment to finish, and are made again later otherwise. Twice is fine. */
  async stop(): Promise<void> {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#cancelSweep();
    for (const { cancelTimer } of this.#active.values()) cancelTimer();
    const cancel = this.#options.timers.after(GRACE_MS, () => this.#ending.abort());
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
    cancel();
  }

  /** Waits for everything that is being sent just now; for tests. */
  async settled(): Promise<void> {
    await nextTurn();
    while (this.#underWay.size > 0) {
      await Promise.all(this.#underWay);
      await nextTurn();
    }
  }

  /** What wakes us was committed: it must not fail when the home database is busy. */
  #tryToActivate(uuid: string): Active | null {
    try {
      return this.#activate(uuid);
    } catch (error) {
      this.#options.log.error("document with deliveries not noted", { document: uuid, error: String(error) });
      this.#options.timers.after(TROUBLE_MS, () => this.wake(uuid));
      return null;
    }
  }

  #activate(uuid: string): Active | null {
    const { home, grantOf } = this.#options;
    const grant = grantOf(uuid);
    if (!grant) return null;
    const { documentId } = grant;
    home.webhooks.markDue(documentId);
    const active: Active = { uuid, documentId, busy: new Set(), waiting: 0, isWoken: false, cancelTimer: () => {} };
    this.#active.set(uuid, active);
    return active;
  }

  #track(work: Promise<void>): void {
    const tracked = work.finally(() => this.#underWay.delete(tracked));
    this.#underWay.add(tracked);
  }

  async #deliverDue(active: Active): Promise<void> {
    active.isWoken = false;
    active.cancelTimer();
    if (this.#isStopped) return;
    const { documents, grantOf, clock, log } = this.#options;
    const { uuid, busy } = active;
    try {
      const grant = grantOf(uuid);
      // What waits in a document in the trash is found by the sweep when it is taken out again.
      if (!grant) return void this.#active.delete(uuid);
      const due = await documents.call(grant, "webhooks.due", { busy: [...busy] });
      active.waiting = due.waiting;
      for (const batch of due.batches) {
        busy.add(batch.hook);
        this.#track(this.#deliver(active, grant, batch));
      }
      if (due.nextAt !== null) this.#wakeAfter(active, due.nextAt - clock.now());
      else if (due.waiting === 0 && busy.size === 0) this.#restAfter(active, QUIET_MS);
    } catch (error) {
      if (this.#isStopped) return;
      log.error("deliveries not found", { document: uuid, error: String(error) });
      this.#wakeAfter(active, TROUBLE_MS);
    }
  }

  async #deliver(active: Active, grant: DocumentGrant, batch: Batch): Promise<void> {
    const { home, documents, clock, log } = this.#options;
    const { uuid, busy } = active;
    const { hook, id, failures } = batch;
    try {
      const secrets = home.webhooks.find(grant.documentId, hook);
      const sent = secrets
        ? await this.#sendMeasured(secrets, batch)
        : notSent(clock.now(), { message: "The webhook has no address on this server", isForbidden: true });
      // Broken off by us: the receiver is not to blame.
      if (this.#ending.signal.aborted && !sent.isSuccess) return;
      count(sent.isSuccess ? "webhooksDelivered" : "webhooksFailed");
      const { askedMs, ...outcome } = sent;
      const { httpStatus: status, durationMs: ms } = sent;
      log.debug("delivery", { document: uuid, webhook: hook, batch: id, events: batch.size, status, ms, failures });
      const asked = { failures: failures + 1, nowMs: clock.now(), askedMs, random: Math.random() };
      const retry = sent.isSuccess ? null : retryAfter(this.#options, asked);
      await documents.call(grant, "webhooks.settle", { hook, batch: id, outcome, retry });
      const next = () => {
        busy.delete(hook);
        this.wake(uuid);
      };
      const { pauseMs, timers } = this.#options;
      if (pauseMs > 0 && sent.isSuccess && batch.size < FULL_BATCH) timers.after(pauseMs, next);
      else next();
    } catch (error) {
      busy.delete(hook);
      if (this.#isStopped) return;
      log.error("delivery not noted", { document: uuid, webhook: hook, error: String(error) });
      this.#wakeAfter(active, TROUBLE_MS);
    }
  }

  async #sendMeasured(secrets: WebhookSecrets, batch: Batch): Promise<Sent> {
    const start = performance.now();
    const sent = await this.send(secrets, batch);
    noteSince("webhookDelivery", start);
    return sent;
  }

  #wakeAfter(active: Active, ms: number): void {
    active.cancelTimer();
    active.cancelTimer = this.#options.timers.after(ms, () => this.wake(active.uuid));
  }

  /** Forgets a document when nothing happens for a while. */
  #restAfter(active: Active, ms: number): void {
    active.cancelTimer();
    active.cancelTimer = this.#options.timers.after(ms, () => {
      if (active.isWoken || active.busy.size > 0 || this.#isStopped) return;
      this.#active.delete(active.uuid);
      try {
        this.#options.home.webhooks.unmarkDue(active.documentId);
      } catch (error) {
        // The sweep comes by again.
        this.#options.log.warn("document without deliveries still noted", { error: String(error) });
      }
    });
  }

  #sweep(): void {
    const { home, log } = this.#options;
    try {
      for (const uuid of home.webhooks.due()) if (!this.#active.has(uuid)) this.wake(uuid);
    } catch (error) {
      log.error("documents with deliveries not found", { error: String(error) });
    }
    this.#cancelSweep = this.#options.timers.after(SWEEP_MS, () => this.#sweep());
  }
}

const notSent = (at: number, { message, isForbidden }: { message: string; isForbidden: boolean }): Sent => ({
  at,
  durationMs: 0,
  isSuccess: false,
  httpStatus: null,
  message,
  isForbidden,
  askedMs: null,
  answer: "",
});
