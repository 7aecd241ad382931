import { Folder } from "./folder.ts";
import { NodeProcess } from "./process.ts";
import { HOME } from "./statements.ts";
import type { World } from "./world.ts";

const ERA_MS = 3500;

const FAULTS = [
  "pause",
  "suspend",
  "kill",
  "cutPower",
  "cutOff",
  "lag",
  "lagAndKill",
  "slow",
  "stall",
  "failOver",
  "handOver",
  "copyFolder",
  "jumpClock",
] as const;
type Fault = (typeof FAULTS)[number];

/** What happens during some seconds. In between everything recovers, as a cluster that is down finds no errors. */
interface Era {
  /** Of a round of eras. */
  readonly count: number;
  readonly meanIntervalMs: number;
  readonly weights: Partial<Record<Fault, number>>;
}

const ERAS: readonly Era[] = [
  {
    count: 1,
    meanIntervalMs: 700,
    weights: {
      pause: 4,
      suspend: 1,
      kill: 4,
      cutPower: 2,
      cutOff: 2,
      lag: 2,
      lagAndKill: 2,
      slow: 2,
      stall: 2,
      failOver: 1,
      handOver: 4,
      copyFolder: 1,
      jumpClock: 1,
    },
  },
  { count: 7, meanIntervalMs: 700, weights: { lagAndKill: 6, lag: 1 } },
  { count: 5, meanIntervalMs: 500, weights: { stall: 4, slow: 2 } },
  { count: 2, meanIntervalMs: 700, weights: { failOver: 3, kill: 1, handOver: 1, lag: 1 } },
  { count: 2, meanIntervalMs: 300, weights: { handOver: 4, kill: 1 } },
];

/** Causes failures at random moments until it is stopped. */
export class Faults {
  readonly #world: World;
  #era: Era = { count: 0, meanIntervalMs: 500, weights: { handOver: 1 } };
  #eraEndsAtMs = ERA_MS / 2;
  /** The rest of a round, in which each era comes as often as its count. */
  #round: Era[] = [];
  isStopped = false;

  constructor(world: World, nodes: number) {
    this.#world = world;
    for (let index = 0; index < nodes; index++) {
      this.#start(new Folder(world.random, { bootId: world.newId("boot"), lockFile: world.newId("lock") }));
    }
    this.#wait();
  }

  /** Ends all failures that would not end otherwise. */
  stop(): void {
    this.isStopped = true;
    this.#recover();
  }

  #recover(): void {
    const { processes, database } = this.#world;
    database.slowUntilMs = 0;
    database.stalledUntilMs = 0;
    for (const process of processes) {
      process.cutOffUntilMs = 0;
      process.laggingUntilMs = 0;
    }
  }

  /** Starts a process; some take the documents of their folder at once, because deliveries are due. */
  #start(folder: Folder): void {
    const { random, processes, documents } = this.#world;
    const process = new NodeProcess(this.#world, folder);
    this.#world.processes = [...processes.filter((one) => one.folder !== folder), process];
    if (random.chance(0.2)) return;
    for (const document of [HOME, ...documents]) {
      if (!folder.read(document)) continue;
      const request = { document, token: 0, action: { kind: "read" }, answer: () => undefined } as const;
      process.post(random.next() * 100, () => process.request(request));
    }
  }

  #wait(): void {
    const { random, scheduler } = this.#world;
    scheduler.after(-Math.log(1 - random.next()) * this.#era.meanIntervalMs, () => {
      if (this.isStopped) return;
      if (scheduler.nowMs > this.#eraEndsAtMs) this.#change();
      else this.#cause(this.#pick(FAULTS, (fault) => this.#era.weights[fault] ?? 0));
      this.#wait();
    });
  }

  #change(): void {
    const { random, scheduler } = this.#world;
    this.#recover();
    this.#eraEndsAtMs = scheduler.nowMs + ERA_MS * (0.5 + random.next());
    if (this.#round.length === 0) this.#round = ERAS.flatMap((era) => Array.from({ length: era.count }, () => era));
    this.#era = random.pick(this.#round);
    this.#round.splice(this.#round.indexOf(this.#era), 1);
  }

  #pick<T>(values: readonly T[], weight: (value: T) => number): T {
    const { random } = this.#world;
    let at = random.next() * values.reduce((sum, value) => sum + weight(value), 0);
    return values.find((value) => (at -= weight(value)) < 0) ?? random.pick(values);
  }

  #cause(fault: Fault): void {
    const { random, processes, database, scheduler, checker } = this.#world;
    const process = random.chance(0.75) ? this.#busiest() : random.pick(processes);
    switch (fault) {
      case "pause":
      case "suspend":
        return process.pause(
          random.chance(0.4) ? random.next() * 1000 : 2500 + random.next() * 2500,
          fault === "suspend",
        );
      case "kill":
        return this.#kill(process, random.chance(0.7) ? 10 : random.next() * 3000);
      case "cutPower":
        process.folder.cutPower(this.#world.newId("boot"));
        return this.#kill(process, random.next() * 1500);
      case "cutOff":
        process.cutOffUntilMs = scheduler.nowMs + random.next() * 4000;
        return;
      case "lag":
        process.laggingUntilMs = scheduler.nowMs + 1000 + random.next() * 1800;
        return;
      case "lagAndKill":
        return this.#lagAndKill(process);
      case "slow":
        database.slowUntilMs = scheduler.nowMs + random.next() * 4000;
        return;
      case "stall":
        database.stalledUntilMs = scheduler.nowMs + random.next() * 4000;
        return;
      case "failOver":
        database.failOver(random.chance(0.2) ? 0 : random.below(40), random.next() * 500);
        return checker.failedOver();
      case "handOver":
        if (process.state === "running")
          for (const host of process.hosts.values()) if (random.chance(0.7)) host.close();
        return;
      case "copyFolder":
        return this.#copy(process);
      case "jumpClock":
        process.wallOffsetMs += random.pick([-3_600_000, -2000, 700, 2000, 3_600_000]);
    }
  }

  /** The process with most documents: a failure of another one changes little. */
  #busiest(): NodeProcess {
    const { random, processes } = this.#world;
    return processes.reduce((best, one) => (one.hosts.size > best.hosts.size ? one : best), random.pick(processes));
  }

  /** Statements are held up; the process that sent them is gone, or does not own its documents, when they arrive. */
  #lagAndKill(process: NodeProcess): void {
    const { random, scheduler } = this.#world;
    const ms = 500 + random.next() * 800;
    process.laggingUntilMs = scheduler.nowMs + ms;
    const isKilled = random.chance(0.9);
    scheduler.after(ms * (0.7 + random.next() * 0.3), () => {
      if (isKilled) this.#kill(process, random.next() * 50);
      else process.pause(2800 + random.next() * 1000, false);
    });
  }

  #kill(process: NodeProcess, downMs: number): void {
    if (process.state === "dead") return;
    process.kill();
    this.#world.scheduler.after(downMs, () => this.#start(process.folder));
  }

  /** A copy of the folder runs beside the original for a while, as after cloning a virtual machine. */
  #copy(process: NodeProcess): void {
    const world = this.#world;
    const copy = new NodeProcess(world, process.folder.copy(world.newId("lock")));
    world.processes = [...world.processes, copy];
    world.scheduler.after(world.random.next() * 5000, () => {
      copy.kill();
      world.processes = world.processes.filter(({ folder }) => folder !== copy.folder);
    });
  }
}
