import { HASHES } from "./host-attachments.ts";
import { delay, type NodeProcess } from "./process.ts";
import type { Action, Outcome, Request } from "./requests.ts";
import { HOME } from "./statements.ts";
import type { World } from "./world.ts";

const MAX_DOCUMENTS = 3;
const TIMEOUT_MS = 700;

/** A client sends one request at a time, to any process, and follows one redirection. It never retries a write. */
export class Client {
  readonly #world: World;
  /** The processes that answered last, by document. */
  readonly #owners = new Map<string, NodeProcess>();
  #current: { readonly token: number; readonly deadlineMs: number } | null = null;
  /** Readers mostly read, and stay with a process that answers; writers roam. */
  readonly #isReader: boolean;

  constructor(world: World, isReader: boolean) {
    this.#world = world;
    this.#isReader = isReader;
    this.#think();
  }

  /** Gives up a request without an answer. */
  tick(): void {
    if (!this.#current || this.#current.deadlineMs > this.#world.scheduler.nowMs) return;
    this.#current = null;
    this.#think();
  }

  #think(isFailing = false): void {
    const { random } = this.#world;
    const ms = isFailing ? 100 + random.next() * 200 : random.chance(0.1) ? random.next() * 1000 : random.next() * 60;
    this.#world.scheduler.after(ms, () => this.#send());
  }

  #send(): void {
    const world = this.#world;
    const { random, checker } = world;
    const token = world.newToken();
    const document = random.chance(0.1) || world.documents.length === 0 ? HOME : this.#document();
    const action = document === HOME ? this.#homeAction() : this.#documentAction();
    if (action.kind === "delete") world.documents = world.documents.filter((one) => one !== action.target);
    const invoked = checker.invoked(document);
    this.#current = { token, deadlineMs: world.scheduler.nowMs + TIMEOUT_MS };
    let redirections = 0;
    let receiver = this.#processFor(document);
    const finish = (outcome: Outcome) => {
      // Answers count even when the client no longer waits for them.
      if (outcome.kind === "done") {
        this.#owners.set(document, receiver);
        world.answeredAtMs.set(document, world.scheduler.nowMs);
        checker.completed(document, outcome.content, invoked);
        if (action.kind === "create") world.documents.push(`d${token}`);
      } else if (outcome.kind === "moved" && redirections++ === 0) {
        const owner = world.processes.find(({ nodeId, state }) => nodeId === outcome.node && state !== "dead");
        if (owner) {
          receiver = owner;
          return owner.post(delay(random), () => owner.request(request));
        }
      }
      if (outcome.kind !== "done" && outcome.kind !== "unknown" && action.kind !== "read") checker.refused(token);
      if (this.#current?.token !== token) return;
      this.#current = null;
      this.#think(outcome.kind !== "done");
    };
    const answer = (outcome: Outcome) => {
      if (outcome.kind === "refused") finish(outcome);
      else world.scheduler.after(delay(random), () => finish(outcome));
    };
    const request: Request = { document, token, action, answer };
    receiver.receive(() => receiver.request(request));
  }

  /** Mostly the owner, as far as known; else mostly a process that answers. */
  #processFor(document: string): NodeProcess {
    const { random, processes, database, scheduler } = this.#world;
    const isStalled = scheduler.nowMs < database.stalledUntilMs;
    const running = processes.filter(({ state }) => state === "running");
    const owner = this.#owners.get(document);
    if (owner && running.includes(owner) && random.chance(this.#isReader ? 0.95 : isStalled ? 0.4 : 0.8)) return owner;
    return random.pick(running.length > 0 && random.chance(0.95) ? running : processes);
  }

  /** Every second another document is in demand. */
  #document(): string {
    const { random, documents, scheduler } = this.#world;
    const hot = documents[Math.floor(scheduler.nowMs / 1000) % documents.length];
    return hot !== undefined && random.chance(0.4) ? hot : random.pick(documents);
  }

  #homeAction(): Action {
    const { random, documents, isRecovering } = this.#world;
    if (documents.length < MAX_DOCUMENTS && !isRecovering) return { kind: "create" };
    if (random.chance(0.15) && !isRecovering) return { kind: "delete", target: random.pick(documents) };
    return random.chance(0.5) ? { kind: "read" } : { kind: "add", attachment: null };
  }

  #documentAction(): Action {
    const { random } = this.#world;
    if (this.#isReader && random.chance(0.85)) return { kind: "read" };
    const share = random.next();
    if (share < 0.1) return { kind: "read" };
    if (share < 0.2) return { kind: "add", attachment: null };
    return share < 0.6 ? { kind: "add", attachment: random.pick(HASHES) } : { kind: "detach" };
  }
}
