import type { ChangeSignal, LiveKeys } from "../../hosts/documents.ts";
import type { Context } from "../context.ts";
import type { LiveBuffers } from "./live-buffers.ts";
import { LiveGroup } from "./live-group.ts";
import type { LiveSubscription } from "./live-subscription.ts";

interface Described {
  readonly keys: Promise<LiveKeys>;
  /** The name of the group; null until it is known. */
  group: string | null;
}

/** All live queries of one document, grouped by what they can share. */
export class LiveFeed {
  readonly #ctx: Context;
  readonly #uuid: string;
  readonly #buffers: LiveBuffers;
  readonly #onEmpty: () => void;
  readonly #stopListening: () => void;
  readonly #groups = new Map<string, LiveGroup>();
  /** The keys of groups, by query and visibility key. */
  readonly #described = new Map<string, Described>();
  /** With their groups; null while that is being found out. */
  readonly #subscriptions = new Map<LiveSubscription, LiveGroup | null>();

  /**
   * @param onEmpty called when the last subscription has ended
   * @throws AppError `unavailable` if the server is shutting down
   */
  constructor(ctx: Context, { uuid, buffers }: { uuid: string; buffers: LiveBuffers }, onEmpty: () => void) {
    this.#ctx = ctx;
    this.#uuid = uuid;
    this.#buffers = buffers;
    this.#onEmpty = onEmpty;
    this.#stopListening = ctx.signals.subscribe(uuid, (signal) => this.#onSignal(signal));
  }

  /** Adds a subscription; resolves when it has got its first event. @throws AppError if the query is refused */
  async add(subscription: LiveSubscription): Promise<void> {
    this.#subscriptions.set(subscription, null);
    await this.#join(subscription);
    await subscription.started;
  }

  /** A subscription has ended. */
  remove(subscription: LiveSubscription): void {
    const group = this.#subscriptions.get(subscription);
    if (!this.#subscriptions.delete(subscription)) return;
    group?.remove(subscription);
    if (this.#subscriptions.size === 0) this.#onEmpty();
  }

  drained(subscription: LiveSubscription): void {
    if (subscription.drained()) this.#subscriptions.get(subscription)?.schedule();
  }

  /** Checks the access of subscriptions: of all, or of subscriptions that were not checked within half a second. */
  reauthorize({ isDue }: { isDue: boolean }): void {
    for (const [subscription, group] of this.#subscriptions) {
      const isAuthorized = isDue ? subscription.reauthorize() : subscription.isAuthorized();
      if (isAuthorized && group && !subscription.isInPlace) this.#rejoin(subscription, group);
    }
  }

  checkClock(): void {
    for (const group of this.#groups.values()) group.checkClock();
  }

  sendHeartbeats(): void {
    for (const group of this.#groups.values()) group.sendHeartbeats();
  }

  /** Stops listening to the document; there must be no subscriptions. */
  close(): void {
    this.#stopListening();
  }

  #onSignal(signal: ChangeSignal): void {
    switch (signal) {
      case "changed":
        for (const group of this.#groups.values()) group.schedule();
        return;
      case "replaced":
        for (const group of this.#groups.values()) group.replaced();
        return;
      case "removed":
      case "stopping":
        for (const subscription of this.#subscriptions.keys()) subscription.close(signal);
        return;
      default:
        return signal satisfies never;
    }
  }

  /** Finds out which group a subscription belongs to, and adds it there. */
  async #join(subscription: LiveSubscription): Promise<void> {
    const { visibilityKey } = subscription;
    try {
      const keys = await this.#describe(subscription);
      if (subscription.isEnded) return;
      const name = nameOf(keys);
      const group = this.#groups.get(name) ?? this.#createGroup(name, keys);
      this.#subscriptions.set(subscription, group);
      subscription.groupedBy = visibilityKey;
      group.add(subscription);
    } catch (error) {
      subscription.refuse(error);
    }
  }

  /**
   * Returns the keys of a subscription's group; those of an equal query of the same caller while their group exists. If
   * the rules have changed, the group finds out with its next read.
   */
  #describe({ grant, query, visibilityKey }: LiveSubscription): Promise<LiveKeys> {
    const key = JSON.stringify([query, visibilityKey]);
    const known = this.#described.get(key);
    if (known && (known.group === null || this.#groups.has(known.group))) return known.keys;
    const described: Described = { keys: this.#ctx.documents.call(grant, "live.describe", query), group: null };
    this.#described.set(key, described);
    described.keys.then(
      (keys) => (described.group = nameOf(keys)),
      () => this.#described.delete(key),
    );
    return described.keys;
  }

  #createGroup(name: string, keys: LiveKeys): LiveGroup {
    const group = new LiveGroup(this.#ctx, {
      uuid: this.#uuid,
      buffers: this.#buffers,
      keys,
      onEmpty: () => {
        if (this.#groups.get(name) === group) this.#groups.delete(name);
        for (const [key, described] of this.#described) {
          if (described.group !== null && !this.#groups.has(described.group)) this.#described.delete(key);
        }
      },
      onOutOfPlace: (subscription) => this.#rejoin(subscription, group),
      onRightsChanged: (subscriptions) => {
        for (const subscription of subscriptions) {
          this.#subscriptions.set(subscription, null);
          void this.#join(subscription);
        }
      },
    });
    this.#groups.set(name, group);
    return group;
  }

  /** The caller's role, name or link parameters have changed, and so may their rights. */
  #rejoin(subscription: LiveSubscription, group: LiveGroup): void {
    this.#subscriptions.set(subscription, null);
    group.remove(subscription);
    subscription.requestReset("access");
    void this.#join(subscription);
  }
}

const nameOf = ({ query, rights }: LiveKeys): string => `${query} ${rights}`;
