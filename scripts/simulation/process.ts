import { mayReleasePredecessor, timelineWaitMs } from "../../src/cluster/protocol/acquisition.ts";
import { type DatabaseIdentity, sameIdentity, TICK_MS } from "../../src/cluster/protocol/log-types.ts";
import { type Clocks, type LeaseEffect, NodeLease } from "../../src/cluster/protocol/node-lease.ts";
import type { Body } from "./database.ts";
import { DocumentHost } from "./document-host.ts";
import type { Folder } from "./folder.ts";
import { type Answer, type Request, UNKNOWN } from "./requests.ts";
import { registerNode, releaseNode, renewLease, settleIdentity } from "./statements.ts";
import type { World } from "./world.ts";

interface CallOptions {
  readonly deadlineMs?: number;
  readonly everyAnswer?: boolean;
  /** Waits for others: often seconds. */
  readonly isBackground?: boolean;
}

interface Call {
  readonly deadlineMs: number;
  readonly giveUp: () => void;
}

/** One process of the server: its connections to PostgreSQL, its lease and its documents. */
export class NodeProcess {
  readonly world: World;
  readonly folder: Folder;
  readonly hosts = new Map<string, DocumentHost>();
  /** The highest epoch of each document under which this process has begun. */
  readonly begunEpochs = new Map<string, number>();
  state: "running" | "paused" | "dead" = "running";
  /** Until then messages between this process and PostgreSQL are lost. */
  cutOffUntilMs = 0;
  /** Until then most statements of this process are held up in the network. */
  laggingUntilMs = 0;
  nodeId = "";
  lease: NodeLease | null = null;
  identity: DatabaseIdentity | null = null;
  #incarnation = 0;
  #identitySeenAtMs = 0;
  #isConnecting = false;
  #backlog: (() => void)[] = [];
  #calls = new Set<Call>();
  /** Speed and offsets of this machine's clocks. */
  readonly #speed: number;
  #suspendedMs = 0;
  wallOffsetMs: number;

  constructor(world: World, folder: Folder) {
    this.world = world;
    this.folder = folder;
    const { random } = world;
    this.#speed = 1 + (random.next() - 0.5) / 50;
    this.wallOffsetMs = random.chance(0.3) ? (random.next() - 0.5) * 200 : (random.next() - 0.5) * 20_000;
    this.#connect();
    this.#tick();
  }

  clocks(): Clocks {
    const { nowMs } = this.world.scheduler;
    return {
      monotonicMs: (nowMs - this.#suspendedMs) * this.#speed,
      wallMs: nowMs * this.#speed + this.wallOffsetMs,
      uptimeMs: nowMs * this.#speed,
    };
  }

  get isLeaseValid(): boolean {
    return this.lease?.isValid(this.clocks()) ?? false;
  }

  /** Whether a read of the document would be answered now. */
  mayRead(document: string): boolean {
    return this.state !== "dead" && this.isLeaseValid && (this.hosts.get(document)?.mayRead ?? false);
  }

  get timelineWaitMs(): number {
    if (!this.identity) return Number.POSITIVE_INFINITY;
    const settled = this.world.database.get("installation")?.settled ?? null;
    const seenForMs = this.clocks().monotonicMs - this.#identitySeenAtMs;
    return timelineWaitMs({ settled, current: this.identity, seenForMs });
  }

  /** Runs a callback in this process later: after its pause, or never when it is dead. */
  post(delayMs: number, run: () => void): void {
    this.world.scheduler.after(delayMs, () => this.receive(run));
  }

  pause(ms: number, isSuspended: boolean): void {
    if (this.state !== "running") return;
    this.state = "paused";
    this.world.scheduler.after(ms, () => {
      if (this.state !== "paused") return;
      this.state = "running";
      if (isSuspended) this.#suspendedMs += ms;
      const backlog = this.#backlog;
      this.#backlog = [];
      // The order in which a resumed process handles what has arrived is not known.
      if (this.world.random.chance(0.5)) backlog.reverse();
      for (const [index, run] of backlog.entries()) this.post(index / 1000, run);
    });
  }

  kill(): void {
    this.state = "dead";
    this.#backlog = [];
    this.hosts.clear();
  }

  request(request: Request): void {
    let host = this.hosts.get(request.document);
    if (!host) {
      if (!this.isLeaseValid) return request.answer({ kind: "refused" });
      host = new DocumentHost(this, request.document);
      this.hosts.set(request.document, host);
    }
    host.request(request);
  }

  /**
   * Sends a statement. `answer` is called once; with `everyAnswer` also for answers that come late or twice, and the
   * statement may be executed twice.
   */
  call<Result>(
    body: Body<Result>,
    answer: (result: Answer<Result>) => void,
    { deadlineMs = 700, everyAnswer = false, isBackground = false }: CallOptions = {},
  ): void {
    const { database, scheduler, random } = this.world;
    const incarnation = this.#incarnation;
    let isAnswered = false;
    const take = (result: Answer<Result>) => {
      this.#calls.delete(call);
      if (isAnswered && !everyAnswer) return;
      isAnswered = true;
      answer(result);
    };
    const call = { deadlineMs: scheduler.nowMs + deadlineMs, giveUp: () => take(UNKNOWN) };
    this.#calls.add(call);
    const breakDown = () => {
      if (this.#incarnation === incarnation) this.#disconnect();
      take(UNKNOWN);
    };
    const isReachable = () =>
      database.isUp && database.incarnation === incarnation && this.cutOffUntilMs <= scheduler.nowMs;
    const send = (delayMs: number, isCopy: boolean) =>
      scheduler.after(delayMs, () => {
        if (!isReachable()) return isCopy ? undefined : this.#enterLater(breakDown);
        const lagMs = this.laggingUntilMs - scheduler.nowMs;
        if (lagMs > 0 && random.chance(0.95)) return send(lagMs + random.next() * 400, isCopy);
        database.run(
          body,
          () => this.#connection(),
          (result) => {
            // The answer is lost after the commit.
            if (isCopy || !isReachable() || random.chance(0.01))
              return isCopy ? undefined : this.#enterLater(breakDown);
            this.post(delay(random), () => take(result));
            if (everyAnswer && random.chance(0.02)) this.post(random.next() * 2000, () => take(result));
          },
        );
      });
    if (random.chance(0.02)) {
      // The connection breaks before the statement arrives, or after.
      if (random.chance(0.5)) send(random.next() ** 3 * 3000, true);
      this.#enterLater(breakDown);
    } else {
      send(isBackground && random.chance(0.9) ? random.next() * 5000 : delay(random), false);
      if (everyAnswer && random.chance(0.05)) send(delay(random), true);
    }
  }

  #enterLater(run: () => void): void {
    this.post(1 + this.world.random.next() * 20, run);
  }

  /** Runs a callback in this process now, or after its pause. */
  receive(run: () => void): void {
    if (this.state === "paused") this.#backlog.push(run);
    else if (this.state === "running") run();
  }

  #connection(): "yes" | "paused" | "no" {
    if (this.state === "running") return this.cutOffUntilMs > this.world.scheduler.nowMs ? "no" : "yes";
    return this.state === "paused" ? "paused" : "no";
  }

  #disconnect(): void {
    if (this.#isConnecting) return;
    this.#isConnecting = true;
    this.post(10 + this.world.random.next() * 100, () => this.#connect());
  }

  /** Connects, and compares the identity of the database before anything else. */
  #connect(): void {
    const { database, scheduler } = this.world;
    this.#isConnecting = true;
    if (!database.isUp || this.cutOffUntilMs > scheduler.nowMs) return this.post(100, () => this.#connect());
    const { identity, incarnation } = database;
    this.post(1, () => {
      this.#isConnecting = false;
      const before = this.identity;
      this.#incarnation = incarnation;
      this.identity = identity;
      if (!before || !sameIdentity(before, identity)) this.#identitySeenAtMs = this.clocks().monotonicMs;
      if (!before) return this.#register();
      if (!sameIdentity(before, identity)) for (const host of this.hosts.values()) host.identityChanged();
    });
  }

  /** Takes a new node id, and releases the lease of the former process in this folder if that is certainly dead. */
  #register(): void {
    const { world, folder } = this;
    const former = folder.node;
    this.nodeId = world.newId("n");
    const { nodeId } = this;
    const isReleased =
      former !== null && (mayReleasePredecessor(former.place, folder.place) || world.variant === "release-by-copy");
    folder.node = { id: nodeId, place: folder.place };
    const before = this.clocks();
    if (isReleased) this.call(releaseNode(former.id), () => undefined);
    this.call(registerNode(nodeId), (result) => {
      if (nodeId !== this.nodeId) return;
      if (result === UNKNOWN) return this.post(200, () => this.#register());
      this.lease = new NodeLease(before);
    });
  }

  #tick(): void {
    // Timers are late on a loaded machine.
    this.post(TICK_MS * (1.5 + this.world.random.next()), () => this.#tick());
    const { nowMs } = this.world.scheduler;
    for (const call of this.#calls) {
      if (call.deadlineMs > nowMs) continue;
      this.#calls.delete(call);
      call.giveUp();
    }
    for (const effect of this.lease?.handle({ kind: "tick", clocks: this.clocks() }) ?? []) this.#perform(effect);
    this.#settle();
    for (const host of this.hosts.values()) host.tick();
  }

  /** Notes the identity in the database once all nodes could have noticed it for one lease. */
  #settle(): void {
    const { database, random } = this.world;
    if (!this.identity || !random.chance(0.05) || this.timelineWaitMs > 0) return;
    const { settled } = database.get("installation") ?? { settled: null };
    if (settled && sameIdentity(settled, this.identity)) return;
    this.call(settleIdentity(this.identity), () => undefined);
  }

  #perform(effect: LeaseEffect): void {
    const { lease, nodeId } = this;
    switch (effect.kind) {
      case "renew": {
        const { renewal } = effect;
        const settle = (result: Answer<boolean>) => {
          if (this.lease !== lease || !lease) return;
          const kind = result === UNKNOWN ? "unknown" : result ? "renewed" : "refused";
          for (const next of lease.handle({ kind, renewal })) this.#perform(next);
        };
        return this.call(renewLease(nodeId), settle, { deadlineMs: 2500 });
      }
      case "valid":
        for (const host of this.hosts.values()) host.handle({ kind: "leaseValid" });
        return;
      case "expired":
        for (const host of this.hosts.values()) host.handle({ kind: "leaseExpired" });
        return;
      case "lost":
        this.lease = null;
        for (const host of this.hosts.values()) host.leaseLost();
        this.#register();
    }
  }
}

/** One way over the network: mostly milliseconds, sometimes seconds. */
export function delay(random: World["random"]): number {
  const ms = 0.2 + random.next() * 2;
  return random.chance(0.01) ? ms + random.next() * 3000 : ms;
}
